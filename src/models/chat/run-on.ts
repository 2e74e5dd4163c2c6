/** White space alone, in a text or as JSON writes it in a string. */
const BLANK = /^(?:\s|\\[nrt])+$/;
/**
 * Normal replies never have this many consecutive lines or tokens of white space. Small models under a grammar write them up to their
 * limit.
 */
const MOST_BLANKS = 100;
/** The longest token of spaces, in characters. */
const LONGEST_BLANK = 16;
const LINE_END = /\n|\\n/g;

/** The longest repeated block that is detected, in characters. */
const LONGEST_BLOCK = 500;
const LEAST_REPEATS = 5;
/** About 200 tokens. */
const MOST_REPEATED = 800;
/** In a file's text, equal lines may be intended. */
const MOST_MEANT = 4_000;
/**
 * New characters between two checks of the whole reply. A long reply is checked less often, so that a check costs no more than the new
 * text.
 */
const LOOK_EVERY = 100;
const LOOK_SHARE = 1 / 32;

/** Detects a reply that runs on endlessly: only white space arrives, or the same block repeats. */
export class RunOn {
  /** Consecutive lines or tokens of white space. */
  private blanks = 0;
  private received = "";
  private nextLook = MOST_REPEATED;
  private repeats = false;

  get isEndless(): boolean {
    return this.blanks >= MOST_BLANKS || this.repeats;
  }

  /** Takes the next piece of any part of the reply. */
  add(piece: string): void {
    if (BLANK.test(piece))
      this.blanks += Math.max(Math.ceil(piece.length / LONGEST_BLANK), piece.match(LINE_END)?.length ?? 0);
    else if (piece !== "") this.blanks = 0;
    this.received += piece;
    const { length } = this.received;
    if (length < this.nextLook) return;
    this.nextLook = length + Math.max(LOOK_EVERY, length * LOOK_SHARE);
    this.repeats ||= isRepeatedTooOften(this.received);
  }
}

/** Removes white space from the end of a text, and keeps one copy of a repeated part there, up to the end of a line. */
export function cutRepeatedEnd(text: string): string {
  const end = findRepeatedEnd(text);
  if (!end || end.length < MOST_REPEATED) return text.trimEnd();
  const once = text.length - end.length + end.block.length;
  const lineEnd = text.indexOf("\n", once - 1);
  return text.slice(0, lineEnd === -1 ? once : lineEnd).trimEnd();
}

function isRepeatedTooOften(text: string): boolean {
  const end = findRepeatedEnd(text);
  if (!end || end.block.trim() === "") return false;
  const { block, length } = end;
  const most = length < MOST_MEANT && mayBeMeant(text.slice(0, -length), block) ? MOST_MEANT : MOST_REPEATED;
  return length >= Math.max(most, LEAST_REPEATS * block.length);
}

/** True if a file's text may be in progress: in a JSON string, or in a fence. */
function mayBeMeant(before: string, block: string): boolean {
  if (block.includes("```")) return false;
  if ((before.match(/```/g)?.length ?? 0) % 2 === 1) return true;
  const endsString = /(?<!\\)"/.test(block);
  return !endsString && /[:[,]\s*"(?:[^"\\]|\\.)*\\?$/.test(before);
}

/** The shortest block that repeats at the end of a text, and the length of the repetition; undefined if there is none. */
function findRepeatedEnd(text: string): { readonly block: string; readonly length: number } | undefined {
  const near = text.slice(-2 * LONGEST_BLOCK);
  const last = near.slice(-LONGEST_BLOCK);
  const before = near.lastIndexOf(last, near.length - last.length - 1);
  const period = near.length - last.length - before;
  if (before === -1 || period === 0) return undefined;
  let start = text.length - period;
  while (start > 0 && text[start - 1] === text[start - 1 + period]) start--;
  return { block: text.slice(start, start + period), length: text.length - start };
}
