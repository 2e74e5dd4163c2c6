import { UNKNOWN, type Word } from "./reading.ts";

/** A word with its end. */
export interface ScannedWord {
  readonly word: Word;
  readonly end: number;
  /** The word uses syntax that the second parser doesn't accept: substitutions, `$'...'`, expansion operators. */
  readonly isStrange: boolean;
}

/** Characters that end an unquoted word. */
const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);

/**
 * Reads the word that starts at a position of a bash command line, as the shell would: without quotes and backslashes. `UNKNOWN` in the
 * source is a part that is known to be unknown. Undefined when the word doesn't end, continues after a line continuation, or has a backquote.
 */
export function scanWord(source: string, start: number): ScannedWord | undefined {
  const scan = new WordScan(source, start);
  return scan.run() ? scan.getScannedWord() : undefined;
}

class WordScan {
  private readonly source: string;
  private at: number;
  private text = "";
  private readonly variables: string[] = [];
  private readonly isHome: boolean;
  private isPattern = false;
  private hasBracket = false;
  private isQuoted = false;
  private isStrange = false;
  private isSplit = false;
  private braces = "";

  constructor(source: string, start: number) {
    this.source = source;
    this.at = start;
    this.isHome = source[start] === "~";
  }

  getScannedWord(): ScannedWord {
    const word: Word = {
      text: this.text,
      isPattern: this.isPattern,
      isBraced: /\{[^}]*(,|\.\.)/.test(this.braces),
      isHome: this.isHome,
      variables: this.variables,
      isQuoted: this.isQuoted,
      ...(this.isSplit ? { isSplit: true as const } : {}),
    };
    return { word, end: this.at, isStrange: this.isStrange };
  }

  /** False when the word can't be read to its end. */
  run(): boolean {
    while (this.at < this.source.length) {
      const character = this.source[this.at] ?? "";
      if (ENDS.has(character)) return true;
      if (!this.readCharacter(character)) return false;
    }
    return true;
  }

  private readCharacter(character: string): boolean {
    switch (character) {
      case "`":
        return false;
      case "'":
        return this.readSingleQuotes();
      case '"':
        return this.readDoubleQuotes();
      case "\\":
        return this.readEscape();
      case "$":
        return this.readDollar(false);
      default:
        this.readPlainCharacter(character);
        return true;
    }
  }

  private readPlainCharacter(character: string): void {
    if (character === "*" || character === "?" || (character === "]" && this.hasBracket)) this.isPattern = true;
    this.hasBracket ||= character === "[";
    if (character === UNKNOWN) {
      this.isStrange = true;
      this.isSplit = true;
    }
    this.braces += character;
    this.text += character;
    this.at++;
  }

  private readEscape(): boolean {
    const next = this.source[this.at + 1];
    if (next === undefined || next === "\n") return false;
    this.at += 2;
    this.isQuoted = true;
    this.text += next;
    this.braces += " ";
    return true;
  }

  private readSingleQuotes(): boolean {
    const end = this.source.indexOf("'", this.at + 1);
    if (end === -1) return false;
    this.quote(this.source.slice(this.at + 1, end));
    this.at = end + 1;
    return true;
  }

  private quote(text: string): void {
    this.isQuoted = true;
    this.text += text;
    this.braces += " ";
  }

  private readDoubleQuotes(): boolean {
    this.quote("");
    this.at++;
    while (this.at < this.source.length) {
      const character = this.source[this.at] ?? "";
      if (character === '"') {
        this.at++;
        return true;
      }
      if (character === "`") return false;
      if (character === "$") {
        if (!this.readDollar(true)) return false;
      } else if (character === "\\") this.readEscapeInQuotes();
      else this.readLiteralCharacter(character);
    }
    return false;
  }

  private readLiteralCharacter(character: string): void {
    if (character === UNKNOWN) this.isStrange = true;
    this.text += character;
    this.at++;
  }

  private readEscapeInQuotes(): void {
    const next = this.source[this.at + 1] ?? "";
    this.at += 2;
    if (next === "\n") return;
    this.text += '$`"\\'.includes(next) ? next : `\\${next}`;
  }

  /** A variable, an ANSI-C string, or a plain dollar sign. */
  private readDollar(inQuotes: boolean): boolean {
    const rest = this.source.slice(this.at + 1, this.at + 64);
    const [whole, braced, bare] = /^(?:\{([A-Za-z_]\w*|[?#$!@*0-9-])\}|([A-Za-z_]\w*|[?#$!@*0-9-]))/.exec(rest) ?? [];
    if (whole !== undefined) {
      this.variables.push(braced ?? bare ?? "");
      this.isSplit ||= !inQuotes;
      this.text += UNKNOWN;
      this.braces += " ";
      this.at += 1 + whole.length;
      return true;
    }
    if (!inQuotes && (rest[0] === "'" || rest[0] === '"')) return this.readDollarQuotes(rest[0]);
    if (/^(?:[{([]|\\\n)/.test(rest)) return false;
    this.readLiteralCharacter("$");
    return true;
  }

  private readDollarQuotes(quote: string): boolean {
    this.isStrange = true;
    this.at++;
    if (quote === '"') return this.readDoubleQuotes();
    const end = findClosingQuote(this.source, this.at + 1);
    if (end === -1) return false;
    this.quote(unescapeAnsi(this.source.slice(this.at + 1, end)));
    this.at = end + 1;
    return true;
  }
}

function findClosingQuote(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "'") return at;
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
};

/** Decodes the escapes of `$'...'`. */
function unescapeAnsi(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs,
    (_all, hex, short, long, octal, control, other) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 31);
      const code = hex ?? short ?? long;
      if (code === undefined) return ESCAPES[other] ?? other;
      const point = Number.parseInt(code, 16);
      return point > 0x10ffff ? "" : String.fromCodePoint(point);
    },
  );
}
