import { TextLines } from "./xml-parts.ts";

/** The text of a document in the Rich Text Format as Markdown, with its headings, lists and tables. */
export function readRtf(bytes: Uint8Array): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (!/^\s*\{\\rtf/.test(source)) throw new Error("it isn't a Rich Text document, or it's damaged");
  const text = new RtfText();
  for (let at = source.indexOf("{"); at < source.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source);
    if (!token) break;
    at = TOKEN.lastIndex;
    const [, word, number, byte, symbol, brace, plain] = token;
    if (word === "bin") at += Math.max(0, Number(number ?? 0));
    else if (word !== undefined) text.handleWord(word, number === undefined ? undefined : Number(number));
    else if (byte !== undefined) text.addBytes(String.fromCharCode(Number.parseInt(byte, 16)));
    else if (symbol !== undefined) text.handleSymbol(symbol);
    else if (brace === "{") text.openGroup();
    else if (brace === "}") text.closeGroup();
    else if (plain !== undefined) text.addBytes(plain);
  }
  return text.end();
}

/** A control word with its number, a byte, a control symbol, a brace, a line end of the source, or text. */
const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\/gy;

const DEEPEST = 10_000;

/** Code pages and character sets by number, with the platform's names. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  65001: "utf-8",
  ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [1250 + at, `windows-${1250 + at}`])),
};
const CHARSETS: Readonly<Record<number, string>> = {
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
const USUAL = "windows-1252";

/** Control words that stand for characters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  softline: "\n",
  emdash: "—",
  endash: "–",
  bullet: "•",
  nestcell: " ",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  emspace: " ",
  enspace: " ",
  nestrow: " ",
};

/** Groups without text of the document. */
const SKIPPED: ReadonlySet<string> = new Set(
  "fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf fldinst listtext pntext pn xe tc rxe txe shprslt upr filetbl revtbl nonesttables".split(
    " ",
  ),
);
/** Groups with text inside skipped groups. */
const KEPT: ReadonlySet<string> = new Set(["shptxt", "result", "ud"]);

interface Group {
  isSkipped: boolean;
  isHidden: boolean;
  isFontTable: boolean;
  /** True if the group lists the paragraph styles, each with its name as text. */
  isStyleTable: boolean;
  style: number;
  isFootnote: boolean;
  /** The number of fallback characters after a Unicode character, for old programs. */
  replacements: number;
  font: number;
}

class RtfText {
  private readonly lines = new TextLines();
  private readonly groups: Group[] = [];
  private group: Group = {
    isSkipped: false,
    isHidden: false,
    isFontTable: false,
    isStyleTable: false,
    style: -1,
    isFootnote: false,
    replacements: 1,
    font: -1,
  };
  private readonly fonts = new Map<number, string>();
  /** The heading levels of the paragraph styles. */
  private readonly headings = new Map<number, number>();
  private codePage = USUAL;
  private pending = "";
  private toSkip = 0;
  private paragraph = "";
  private heading = 0;
  private isListItem = false;
  private cells: string[] = [];
  private rows: string[][] = [];

  openGroup(): void {
    this.flush();
    if (this.groups.length >= DEEPEST) throw new RangeError("too deep");
    this.groups.push(this.group);
    this.group = { ...this.group, isFootnote: false };
    this.toSkip = 0;
  }

  closeGroup(): void {
    this.flush();
    if (this.group.isFootnote) this.paragraph = `${this.paragraph.trimEnd()}]`;
    this.group = this.groups.pop() ?? this.group;
    this.toSkip = 0;
  }

  /** Adds text in the code page of its font. */
  addBytes(text: string): void {
    const rest = text.slice(this.toSkip);
    this.toSkip -= text.length - rest.length;
    this.pending += rest;
  }

  handleSymbol(symbol: string): void {
    if (symbol === "*") this.group.isSkipped = true;
    else if (symbol === "~") this.add("\u00a0");
    else if (symbol === "_") this.add("-");
    else if (symbol === "\n" || symbol === "\r") this.endParagraph();
    else if ("\\{}".includes(symbol)) this.addBytes(symbol);
  }

  handleWord(word: string, number: number | undefined): void {
    this.flush();
    const { group } = this;
    if (SKIPPED.has(word)) {
      group.isSkipped = true;
      group.isFontTable = word === "fonttbl";
      group.isStyleTable = word === "stylesheet";
      if (word === "listtext" || word === "pntext") this.isListItem = true;
    } else if (KEPT.has(word)) group.isSkipped = false;
    else if (Object.hasOwn(CHARACTERS, word)) this.add(CHARACTERS[word] ?? "");
    else if (word === "u" && number !== undefined) this.addUnicode(number);
    else if (!this.describe(word, number)) this.handleStructure(word);
  }

  /** Handles words that describe the following text. */
  private describe(word: string, number = 1): boolean {
    const { group } = this;
    switch (word) {
      case "ansicpg":
        this.codePage = CODE_PAGES[number] ?? USUAL;
        return true;
      case "mac":
        this.codePage = "macintosh";
        return true;
      case "f":
        group.font = number;
        return true;
      case "fcharset":
        if (group.isFontTable && CHARSETS[number]) this.fonts.set(group.font, CHARSETS[number]);
        return true;
      case "s":
        group.style = number;
        this.heading = this.headings.get(number) ?? 0;
        return true;
      case "uc":
        group.replacements = Math.max(0, number);
        return true;
      case "v":
      case "deleted":
        group.isHidden = number !== 0;
        return true;
      case "plain":
        group.isHidden = false;
        return true;
      case "outlinelevel":
        this.heading = number >= 0 && number < 9 ? Math.min(6, number + 1) : 0;
        return true;
      default:
        return false;
    }
  }

  /** Handles words that end a part. */
  private handleStructure(word: string): void {
    if (this.group.isSkipped) return;
    if (word === "pard") this.heading = 0;
    else if (word === "par" || word === "sect" || word === "page") this.endParagraph();
    else if (word === "cell") {
      this.cells.push(this.paragraph.trim());
      this.paragraph = "";
    } else if (word === "row") {
      if (this.cells.some((cell) => cell !== "")) this.rows.push(this.cells);
      this.cells = [];
    } else if (word === "footnote") {
      this.group.isFootnote = true;
      this.add(" [");
    }
  }

  private addUnicode(number: number): void {
    const code = number < 0 ? number + 65_536 : number;
    if (code <= 0xffff) this.add(String.fromCharCode(code));
    this.toSkip = this.group.replacements;
  }

  private flush(): void {
    const text = this.pending;
    this.pending = "";
    this.toSkip = 0;
    if (this.group.isStyleTable) this.addHeadingStyle(text);
    else if (text !== "") this.add(/[^\0-\x7f]/.test(text) ? this.decodeText(text) : text);
  }

  private addHeadingStyle(name: string): void {
    const level = /^\s*heading (\d)/i.exec(name)?.[1];
    if (level !== undefined) this.headings.set(this.group.style, Math.min(6, Math.max(1, Number(level))));
  }

  private decodeText(text: string): string {
    const name = this.fonts.get(this.group.font) ?? this.codePage;
    return new TextDecoder(name).decode(Buffer.from(text, "latin1"));
  }

  private add(text: string): void {
    if (this.pending !== "") this.flush();
    if (!this.group.isSkipped && !this.group.isHidden) this.paragraph += text;
  }

  private endParagraph(): void {
    this.flush();
    if (this.group.isSkipped) return;
    if (this.group.isFootnote || this.cells.length > 0) {
      this.paragraph += " ";
      return;
    }
    const text = this.paragraph.trim();
    const isItem = this.isListItem;
    [this.paragraph, this.isListItem] = ["", false];
    if (text === "") return;
    this.endTable();
    if (!isItem) this.lines.addGap();
    this.lines.add(this.heading > 0 ? `${"#".repeat(this.heading)} ${text}` : isItem ? `- ${text}` : text);
    if (!isItem) this.lines.addGap();
  }

  private endTable(): void {
    this.lines.addTable(this.rows);
    this.rows = [];
  }

  end(): string {
    this.endParagraph();
    this.endTable();
    return this.lines.toString();
  }
}
