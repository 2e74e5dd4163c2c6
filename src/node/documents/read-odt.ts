import {
  describeDamagedFile,
  extractXmlParts,
  PROTECTED,
  readXml,
  TextLines,
  type XmlAttributes,
} from "./xml-parts.ts";

const OPEN_DOCUMENT = { name: "an OpenDocument text", main: "content.xml" };

/** The text of an OpenDocument text as Markdown, with its headings, lists, tables and footnotes. */
export function readOdt(bytes: Uint8Array): string {
  const parts = extractXmlParts(bytes, OPEN_DOCUMENT);
  let isEncrypted = false;
  readXml(parts["META-INF/manifest.xml"], {
    open(name) {
      if (name === "encryption-data") isEncrypted = true;
    },
  });
  if (isEncrypted) throw new Error(PROTECTED);
  const text = new OdtText();
  try {
    readXml(parts[OPEN_DOCUMENT.main], text);
  } catch {
    throw new Error(describeDamagedFile(OPEN_DOCUMENT));
  }
  return text.lines.toString();
}

/** Elements with deleted text, comments, and texts of pictures. */
const SKIPPED: ReadonlySet<string> = new Set(["tracked-changes", "annotation", "desc", "title"]);
/** The limit for repeated cells, which a table can claim. */
const MOST_REPEATED = 50;

/** A table that is being read. Nested tables become part of their cells' texts. */
interface OpenTable {
  readonly rows: string[][];
  cell: string[];
  repeated: number;
}

class OdtText {
  readonly lines = new TextLines();
  private skipped = 0;
  private isBody = false;
  /** The open paragraphs: a footnote has its own inside another one. */
  private readonly paragraphs: string[] = [];
  private heading = 0;
  private listDepth = 0;
  private isItemStart = false;
  private table: OpenTable | undefined;
  private tableDepth = 0;

  open(name: string, attributes: XmlAttributes): void {
    if (this.skipped > 0 || SKIPPED.has(name)) {
      this.skipped += 1;
      return;
    }
    switch (name) {
      case "body":
        this.isBody = true;
        return;
      case "h":
        this.heading = Math.min(6, Math.max(1, Number(attributes["text:outline-level"]) || 1));
        this.paragraphs.push("");
        return;
      case "p":
        this.paragraphs.push("");
        return;
      case "s":
        this.append(" ".repeat(Math.min(100, Number(attributes["text:c"] ?? 1) || 1)));
        return;
      case "tab":
        this.append("\t");
        return;
      case "line-break":
        this.append("\n");
        return;
      case "note":
        this.append(" [");
        return;
      case "list":
        this.listDepth += 1;
        return;
      case "list-item":
        this.isItemStart = true;
        return;
      default:
        this.openTable(name, attributes);
    }
  }

  private openTable(name: string, attributes: XmlAttributes): void {
    if (name === "table") {
      this.tableDepth += 1;
      this.table ??= { rows: [], cell: [], repeated: 1 };
    }
    if (!this.table || this.tableDepth !== 1) return;
    if (name === "table-row") this.table.rows.push([]);
    if (name !== "table-cell" && name !== "covered-table-cell") return;
    this.table.cell = [];
    this.table.repeated = Math.min(MOST_REPEATED, Number(attributes["table:number-columns-repeated"] ?? 1) || 1);
  }

  /** Adds text. White space between words counts as one space. */
  addText(more: string): void {
    this.append(more.replace(/\s+/g, " "));
  }

  private append(more: string): void {
    if (this.skipped > 0 || !this.isBody || this.paragraphs.length === 0) return;
    this.paragraphs.push(`${this.paragraphs.pop()}${more}`);
  }

  close(name: string): void {
    if (this.skipped > 0) {
      this.skipped -= 1;
      return;
    }
    if (name === "p" || name === "h") this.endParagraph();
    else if (name === "note-citation") this.append(": ");
    else if (name === "note") this.append("]");
    else if (name === "list") this.endList();
    else this.closeTable(name);
  }

  private endParagraph(): void {
    const text = (this.paragraphs.pop() ?? "").trim();
    if (this.paragraphs.length > 0) this.append(text);
    else if (text !== "" && this.table) this.table.cell.push(text);
    else if (text !== "") this.addParagraph(text);
    if (this.paragraphs.length === 0) this.heading = 0;
  }

  private addParagraph(text: string): void {
    if (this.listDepth > 0) {
      const indent = "  ".repeat(this.listDepth - 1);
      this.lines.add(`${indent}${this.isItemStart ? "- " : "  "}${text}`);
      this.isItemStart = false;
      return;
    }
    this.lines.addGap();
    this.lines.add(this.heading > 0 ? `${"#".repeat(this.heading)} ${text}` : text);
    this.lines.addGap();
  }

  private endList(): void {
    this.listDepth -= 1;
    if (this.listDepth === 0) this.lines.addGap();
  }

  private closeTable(name: string): void {
    if (!this.table) return;
    if (this.tableDepth === 1 && (name === "table-cell" || name === "covered-table-cell")) {
      const text = this.table.cell.join(" ");
      const count = text === "" ? 1 : this.table.repeated;
      this.table.rows.at(-1)?.push(...Array<string>(count).fill(text));
    }
    if (name !== "table") return;
    this.tableDepth -= 1;
    if (this.tableDepth > 0) return;
    this.lines.addTable(this.table.rows.filter((row) => row.some((cell) => cell !== "")));
    this.table = undefined;
  }
}
