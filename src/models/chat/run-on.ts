/** White space alone, in a text or as JSON writes it in a string. */
const BLANK = /^(?:\s|\\[nrt])+$/;
/** A reply never has so many lines or tokens of white space in a row. Small models under a grammar write it until their limit. */
const MOST_BLANKS = 100;
/** The longest token of spaces, in characters. */
const LONGEST_BLANK = 16;
const LINE_END = /\n|\\n/g;

/** The longest block that is noticed when it comes again and again, in characters. */
const LONGEST_BLOCK = 500;
const LEAST_REPEATS = 5;
/** About 200 tokens. */
const MOST_REPEATED = 800;
/** In a file's text, equal lines may be meant. */
const MOST_MEANT = 4_000;
/** New characters between two looks at them all; more in a long reply, so that a look costs no more than what came since. */
const LOOK_EVERY = 100;
const LOOK_SHARE = 1 / 32;

/** Notices that a reply runs on without end: nothing but white space comes, or the same block again and again. */
export class RunOn {
  /** Lines or tokens of white space since the last word. */
  private blanks = 0;
  private received = "";
  private nextLook = MOST_REPEATED;
  private repeats = false;

  get isEndless(): boolean {
    return this.blanks >= MOST_BLANKS || this.repeats;
  }

  /** Takes the next piece of the reply, whatever part of it that belongs to. */
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

/** A text without the white space at its end. Of a repeated part there, one is left; it ends with a line if it has lines. */
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

/** True where a file's text may be written: in a string of JSON, or in a fence. */
function mayBeMeant(before: string, block: string): boolean {
  if (block.includes("```")) return false;
  if ((before.match(/```/g)?.length ?? 0) % 2 === 1) return true;
  const endsString = /(?<!\\)"/.test(block);
  return !endsString && /[:[,]\s*"(?:[^"\\]|\\.)*\\?$/.test(before);
}

/** The shortest block that a text ends with at least twice, and the length of its repetition; undefined if there is none. */
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
