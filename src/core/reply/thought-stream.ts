import { THOUGHT_FIELDS } from "./reply.ts";

type ThoughtField = (typeof THOUGHT_FIELDS)[number];

/** A streamed piece of one thought, or of the model's own reasoning. */
export interface ThoughtDelta {
  readonly field: ThoughtField | "own";
  readonly text: string;
}

const FIELDS: ReadonlySet<string> = new Set(THOUGHT_FIELDS);
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads the string values of `thoughts` from streaming JSON in any chunks, or the thought of ReAct's text form, in one pass. It understands
 * just enough of both and never fails; it skips what it doesn't understand.
 */
export function createThoughtStream(): (chunk: string) => ThoughtDelta[] {
  let reader: ThoughtReader | LabeledThought | undefined;
  let begin = "";
  return (chunk) => {
    if (reader) return reader.read(chunk);
    begin += chunk;
    const label = LABEL.exec(begin)?.[0];
    if (label === undefined && MAYBE_LABEL.test(begin)) return [];
    reader = label === undefined ? new ThoughtReader() : new LabeledThought();
    return reader.read(begin.slice(label?.length ?? 0));
  };
}

/** The text before the thought in ReAct's text form, and an incomplete form of it. */
const LABEL = /^[\s*#_-]*Thought[\s\d*_]*:[\s*_]*(?=[^\s*_])/i;
const MAYBE_LABEL = /^[\s*#_-]*(?:t(?:h(?:o(?:u(?:g(?:h(?:t[\s\d*_]*(?::[\s*_]*)?)?)?)?)?)?)?)?$/i;
/** The label on the line after the thought, and an incomplete form of it. */
const NEXT_LABEL = /\n[\s*#_-]*(?:action|observation|final answer)/i;
const MAYBE_NEXT = /\n[\s*#_-]*[a-z ]{0,12}$/i;

/** Reads the text between two labels. */
class LabeledThought {
  /** Held-back text; at first a line break in place of the label. */
  private held = "\n";
  private from = 1;
  private isOver = false;

  read(chunk: string): ThoughtDelta[] {
    if (this.isOver) return [];
    const text = this.held + chunk;
    const next = NEXT_LABEL.exec(text);
    this.isOver = next !== null;
    const end = next?.index ?? MAYBE_NEXT.exec(text)?.index ?? text.length;
    this.held = text.slice(end);
    if (end <= this.from) return [];
    const thought = text.slice(this.from, end);
    this.from = 0;
    return [{ field: "text", text: thought }];
  }
}

class ThoughtReader {
  private readonly path: { readonly key: string; readonly list: boolean }[] = [];
  private key = "";
  private expectsKey = false;
  private inString = false;
  /** The current escape sequence, including its backslash; "" outside one. */
  private escape = "";
  private deltas: ThoughtDelta[] = [];

  read(chunk: string): ThoughtDelta[] {
    this.deltas = [];
    for (const char of chunk) {
      if (this.inString) this.readInsideString(char);
      else this.readOutsideString(char);
    }
    return this.deltas;
  }

  private readInsideString(char: string): void {
    if (this.escape !== "") this.put(this.decodeEscapeChar(char));
    else if (char === "\\") this.escape = char;
    else if (char === '"') this.inString = false;
    else this.put(char);
  }

  private readOutsideString(char: string): void {
    switch (char) {
      case "{":
      case "[":
        this.path.push({ key: this.key, list: char === "[" });
        this.expectsKey = char === "{";
        return;
      case "}":
      case "]":
        this.key = this.path.pop()?.key ?? "";
        this.expectsKey = false;
        return;
      case ",":
        this.expectsKey = this.path.at(-1)?.list === false;
        return;
      case ":":
        this.expectsKey = false;
        return;
      case '"':
        this.inString = true;
        if (this.expectsKey) this.key = "";
        return;
      default:
    }
  }

  /** Returns the character of an escape; "" while it is incomplete. */
  private decodeEscapeChar(char: string): string {
    this.escape += char;
    if (this.escape[1] === "u" && this.escape.length < 6) return "";
    const code = this.escape[1] === "u" ? Number.parseInt(this.escape.slice(2), 16) : Number.NaN;
    const plain = ESCAPES[char] ?? char;
    const unicode = this.escape[1] === "u";
    this.escape = "";
    if (!unicode) return plain;
    return Number.isNaN(code) ? "" : String.fromCharCode(code);
  }

  private put(piece: string): void {
    if (this.expectsKey) this.key += piece;
    const field = this.findThoughtField();
    if (field === undefined || piece === "") return;
    const last = this.deltas.at(-1);
    if (last?.field === field) this.deltas[this.deltas.length - 1] = { field, text: last.text + piece };
    else this.deltas.push({ field, text: piece });
  }

  private findThoughtField(): ThoughtField | undefined {
    if (this.expectsKey || !FIELDS.has(this.key)) return undefined;
    return this.path.some((level) => level.key === "thoughts") ? (this.key as ThoughtField) : undefined;
  }
}
