/** The private sequences that a runner prints around a line's output. Terminals ignore them. */
export interface OutputMarks {
  readonly begin: string;
  readonly end: string;
}

/**
 * Creates the marks of one line. Output can't contain them by chance or on purpose, because the nonce is random and only the runner has it.
 */
export function createOutputMarks(nonce: string): OutputMarks {
  return { begin: `\u001b]7717;${nonce};begin\u0007`, end: `\u001b]7717;${nonce};end\u0007` };
}

/** The most characters of a line to show above its output. */
const TITLE_CHARACTERS = 2000;

/** Printed above a line's output. */
export function formatTitle(shown: string): string {
  return `\u001b[1m$ ${shown.slice(0, TITLE_CHARACTERS)}\u001b[0m\n`;
}

/** Names a line in VS Code's lists of a terminal's commands, in place of the text that started it. Other terminals ignore this. */
export function createCommandMark(shown: string): string {
  const escaped = shown
    .slice(0, TITLE_CHARACTERS)
    .replace(/[\\;\p{Cc}]/gu, (character) =>
      character === "\\" ? "\\\\" : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return `\u001b]633;E;${escaped}\u0007`;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const NOTHING: Buffer = Buffer.alloc(0);

/** A line's output within a terminal's: the bytes between the marks, with the program's own line ends. */
export class MarkedOutput {
  private readonly marks: { readonly begin: Buffer; readonly end: Buffer };
  private place: "before" | "within" | "after" = "before";
  private held: Buffer = NOTHING;

  constructor({ begin, end }: OutputMarks) {
    this.marks = { begin: Buffer.from(begin), end: Buffer.from(end) };
  }

  /** True once the output is complete. */
  get isOver(): boolean {
    return this.place === "after";
  }

  /** Takes the terminal's output, and returns the line's part of it. A possible beginning of a mark is held back. */
  add(chunk: Buffer): Buffer {
    if (this.place === "after") return NOTHING;
    const text = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    if (this.place === "within") return this.takeMarkedText(text);
    const at = text.indexOf(this.marks.begin);
    if (at === -1) {
      this.held = text.subarray(text.length - measureBeginning(this.marks.begin, text));
      return NOTHING;
    }
    this.place = "within";
    return this.takeMarkedText(text.subarray(at + this.marks.begin.length));
  }

  /** Returns the held-back bytes if the output's end is missing. */
  finish(): Buffer {
    const rest = this.place === "within" ? this.held : NOTHING;
    this.held = NOTHING;
    return rest;
  }

  private takeMarkedText(text: Buffer): Buffer {
    const at = text.indexOf(this.marks.end);
    const last = text.at(-1) === RETURN ? 1 : 0;
    const end = at === -1 ? text.length - Math.max(last, measureBeginning(this.marks.end, text)) : at;
    if (at !== -1) this.place = "after";
    this.held = text.subarray(at === -1 ? end : text.length);
    return stripReturns(text.subarray(0, end));
  }
}

/** Length of the longest beginning of a mark at the end of a text. */
function measureBeginning(mark: Buffer, text: Buffer): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.subarray(text.length - length).equals(mark.subarray(0, length))) return length;
  return 0;
}

/** Removes the carriage return that a terminal adds before each line feed. */
function stripReturns(text: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(text.length);
  let length = 0;
  let from = 0;
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) {
    if (text[at - 1] !== RETURN) continue;
    length += text.copy(kept, length, from, at - 1);
    from = at;
  }
  length += text.copy(kept, length, from);
  return kept.subarray(0, length);
}
