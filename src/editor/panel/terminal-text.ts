import { stripVTControlCharacters } from "node:util";

/** The parser's state at the end of the last chunk. */
type State = "text" | "escape" | "csi" | "string";

/** A longer control sequence is treated as text. */
const LONGEST_SEQUENCE = 64;

/** Characters that aren't printed as they are: all control characters, including C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this file is about
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

/** Colors except hidden letters, cursor moves within the line, and clearing it. */
const HARMLESS_CSI = /^(?:(?!(?:.*;)?0*8(?:;|m))[\d;:]*m|\d*[CDG]|[0-2]?K)$/;

/**
 * Creates a filter that makes program output safe for a terminal, chunk by chunk. It keeps text, colors, tabs, backspaces, line ends and
 * cursor moves within the line. It removes everything that changes other lines, such as our own, or makes the terminal act (titles, links,
 * clipboard, query answers, modes, sounds).
 */
export function createTerminalFilter(): (chunk: string) => string {
  let state: State = "text";
  let sequence = "";

  const readText = (character: string): string => {
    if (character === "\n") return "\r\n";
    if (character === "\r" || character === "\t" || character === "\b") return character;
    state = findOpenedState(character) ?? "text";
    sequence = "";
    return "";
  };

  const readEscape = (character: string): string => {
    state = getStateAfterEscape(character);
    return isLineEnd(character) ? readText(character) : "";
  };

  const readCsi = (character: string): string => {
    if (character < " " || character > "~") {
      state = "text";
      return readText(character);
    }
    sequence += character;
    if (character < "@" && sequence.length < LONGEST_SEQUENCE) return "";
    state = "text";
    return HARMLESS_CSI.test(sequence) ? `\u001b[${sequence}` : "";
  };

  const readString = (character: string): string => {
    if (character === "\u001b") state = "escape";
    else if (isLineEnd(character) || ENDS_STRING.has(character)) state = "text";
    return isLineEnd(character) ? readText(character) : "";
  };

  const steps: Record<Exclude<State, "text">, (character: string) => string> = {
    escape: readEscape,
    csi: readCsi,
    string: readString,
  };

  return (chunk) => {
    let shown = "";
    for (let at = 0; at < chunk.length; ) {
      if (state !== "text") {
        shown += steps[state](chunk.charAt(at++));
        continue;
      }
      const control = findNextControl(chunk, at);
      shown += chunk.slice(at, control);
      if (control < chunk.length) shown += readText(chunk.charAt(control));
      at = control + 1;
    }
    return shown;
  };
}

/** Bell, string terminator, cancel and substitute. */
const ENDS_STRING: ReadonlySet<string> = new Set(["\u0007", "\u009c", "\u0018", "\u001a"]);

function findNextControl(chunk: string, from: number): number {
  CONTROL.lastIndex = from;
  return CONTROL.exec(chunk)?.index ?? chunk.length;
}

function findOpenedState(character: string): State | undefined {
  if (character === "\u001b") return "escape";
  if (character === "\u009b") return "csi";
  return "\u0090\u0098\u009d\u009e\u009f".includes(character) ? "string" : undefined;
}

function getStateAfterEscape(character: string): State {
  if (character === "[") return "csi";
  if (character === "\u001b") return "escape";
  if ("]PX^_".includes(character)) return "string";
  return character >= " " && character <= "/" ? "escape" : "text";
}

function isLineEnd(character: string): boolean {
  return character === "\n" || character === "\r";
}

/** Creates a filter that reduces program output to plain text, chunk by chunk, with a new line for each carriage return. */
export function createPlainFilter(): (chunk: string) => string {
  const filter = createTerminalFilter();
  return (chunk) =>
    stripVTControlCharacters(filter(chunk)).replace(/\r+\n/g, "\n").replaceAll("\r", "\n").replaceAll("\b", "");
}

/** Short pieces are joined up to this length. */
const PIECE = 8_000;

/** Keeps about the last `most` characters of a stream, starting at a whole piece or line. */
export class OutputTail {
  private readonly most: number;
  private pieces: string[] = [];
  private length = 0;
  private cut = false;

  constructor(most: number) {
    this.most = most;
  }

  add(piece: string): void {
    const kept = piece.length > this.most ? dropFirstLine(piece.slice(-this.most)) : piece;
    if (kept.length < piece.length) this.clear();
    this.cut ||= kept.length < piece.length;
    const last = this.pieces.at(-1);
    const joined = last !== undefined && last.length + kept.length <= Math.min(PIECE, this.most / 2);
    if (joined) this.pieces[this.pieces.length - 1] = last + kept;
    else this.pieces.push(kept);
    this.length += kept.length;
    while (this.length > this.most) this.dropFirst();
  }

  /** The retained text, and whether earlier text was dropped. */
  read(): { readonly text: string; readonly cut: boolean } {
    return { text: this.pieces.join(""), cut: this.cut };
  }

  /** Returns the text that is kept, and starts over. */
  take(): { readonly text: string; readonly cut: boolean } {
    const taken = this.read();
    this.clear();
    this.cut = false;
    return taken;
  }

  private dropFirst(): void {
    this.length -= this.pieces.shift()?.length ?? 0;
    this.cut = true;
  }

  private clear(): void {
    this.pieces = [];
    this.length = 0;
  }
}

/** Drops the first line, because the text may have been cut within a control sequence. */
function dropFirstLine(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}
