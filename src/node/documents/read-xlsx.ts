import {
  describeDamagedFile,
  extractXmlParts,
  findRelationId,
  formatTableRow,
  readRelations,
  readXml,
  TextLines,
  type XmlParts,
} from "./xml-parts.ts";

const EXCEL = { name: "an Excel workbook", main: "xl/workbook.xml" };

/** Excel's own limit for the text of a cell. */
const LONGEST_CELL = 32_767;
/** Longer sequences of empty cells in a row are shortened. */
const WIDEST_GAP = 20;

/** The non-empty rows of all sheets in an Excel workbook, with the sheets' names. */
export function readXlsx(bytes: Uint8Array): string {
  const parts = extractXmlParts(bytes, EXCEL);
  const lines = new TextLines();
  try {
    const values = { ...readWorkbook(parts), shared: readSharedStrings(parts), dates: readDateStyles(parts) };
    for (const { name, path, isHidden } of values.sheets) {
      lines.addGap();
      lines.add(`## Sheet "${name}"${isHidden ? " (hidden)" : ""}`);
      lines.addGap();
      readSheet(parts[path], values, (cells) => lines.add(formatTableRow(cells)));
    }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("its text")) throw error;
    throw new Error(describeDamagedFile(EXCEL));
  }
  return lines.toString();
}

interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

/** The sheets in their order, and whether dates count from 1904. */
function readWorkbook(parts: XmlParts): { readonly sheets: readonly Sheet[]; readonly isFrom1904: boolean } {
  const paths = new Map(readRelations(parts, EXCEL.main).map(({ id, path }) => [id, path]));
  const sheets: Sheet[] = [];
  let isFrom1904 = false;
  readXml(parts[EXCEL.main], {
    open(name, attributes) {
      if (name === "workbookPr") isFrom1904 = isTrue(attributes.date1904);
      const path = name === "sheet" ? paths.get(findRelationId(attributes) ?? "") : undefined;
      const { name: title = "", state = "visible" } = attributes;
      if (path !== undefined) sheets.push({ name: title, path, isHidden: state !== "visible" });
    },
  });
  return { sheets, isFrom1904 };
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

/** The texts that cells refer to by number, without the pronunciation of Japanese texts. */
function readSharedStrings(parts: XmlParts): readonly string[] {
  const path = readRelations(parts, EXCEL.main).find(({ type }) => type === "sharedStrings")?.path;
  const strings: string[] = [];
  let [text, isText, isSpoken] = ["", false, false];
  readXml(path === undefined ? undefined : parts[path], {
    open(name) {
      if (name === "si") text = "";
      if (name === "rPh") isSpoken = true;
      isText = name === "t" && !isSpoken;
    },
    addText(more) {
      if (isText) text += more;
    },
    close(name) {
      if (name === "t") isText = false;
      if (name === "rPh") isSpoken = false;
      if (name === "si") strings.push(text.slice(0, LONGEST_CELL));
    },
  });
  return strings;
}

/** The numbers of styles that format a value as a date or time. */
function readDateStyles(parts: XmlParts): ReadonlySet<number> {
  const path = readRelations(parts, EXCEL.main).find(({ type }) => type === "styles")?.path;
  const formats = new Map<number, string>();
  const dates = new Set<number>();
  let [isCellStyle, count] = [false, 0];
  readXml(path === undefined ? undefined : parts[path], {
    open(name, { numFmtId = "", formatCode = "" }) {
      if (name === "numFmt") formats.set(Number(numFmtId), formatCode);
      if (name === "cellXfs") isCellStyle = true;
      if (name !== "xf" || !isCellStyle) return;
      if (isDateFormat(Number(numFmtId), formats.get(Number(numFmtId)))) dates.add(count);
      count += 1;
    },
    close(name) {
      if (name === "cellXfs") isCellStyle = false;
    },
  });
  return dates;
}

/** Whether a format is for dates: by its number if it's built in, or by the code of a custom one. */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  // Durations stay numbers.
  if (/\[[hms]+\]/i.test(code)) return false;
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, ""));
}

interface CellValues {
  readonly shared: readonly string[];
  readonly dates: ReadonlySet<number>;
  readonly isFrom1904: boolean;
}

/** A cell that is being read. */
interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  formula: string;
}

function readSheet(bytes: Uint8Array | undefined, values: CellValues, row: (cells: readonly string[]) => void): void {
  let cells: string[] = [];
  let column = 0;
  let cell: OpenCell | undefined;
  let within = "";
  readXml(bytes, {
    open(name, { r = "", t: type = "n", s: style = "0" }) {
      if (name === "row") [cells, column] = [[], 0];
      if (name === "c")
        cell = { column: parseColumn(r) ?? column + 1, type, style: Number(style), value: "", formula: "" };
      within = name;
    },
    addText(more) {
      if (!cell) return;
      if ((within === "v" || within === "t") && cell.value.length < LONGEST_CELL) cell.value += more;
      if (within === "f" && cell.formula.length < LONGEST_CELL) cell.formula += more;
    },
    close(name) {
      within = "";
      if (name === "c" && cell) {
        const text = formatCell(cell, values).slice(0, LONGEST_CELL);
        if (text !== "") {
          const gap = Math.max(0, cell.column - column - 1);
          cells.push(...Array<string>(gap > WIDEST_GAP ? 1 : gap).fill(gap > WIDEST_GAP ? "…" : ""), text);
          column = cell.column;
        }
        cell = undefined;
      }
      if (name === "row" && cells.length > 0) row(cells);
    },
  });
}

/** The number of the column in a reference such as `AB12`, from 1. */
function parseColumn(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** A cell's text. If the workbook lacks a formula's value, it's the formula. */
function formatCell({ type, style, value, formula }: OpenCell, { shared, dates, isFrom1904 }: CellValues): string {
  if (value === "" && formula !== "") return `=${formula}`;
  if (type === "s") return shared[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  return type === "n" && value !== "" && dates.has(style) ? formatDate(Number(value), isFrom1904) : value;
}

const DAY_MS = 86_400_000;

/** Formats a date or time that is stored in days. */
function formatDate(days: number, isFrom1904: boolean): string {
  const first = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(first + Math.round(days * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(days);
  const [day = "", time = ""] = date.toISOString().slice(0, 19).split("T");
  if (days < 1) return time;
  return date.getTime() % DAY_MS === 0 ? day : `${day} ${time}`;
}
