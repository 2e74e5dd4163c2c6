import { estimateTokens } from "../../core/context/tokens.ts";
import { WebError } from "../../core/ports/services.ts";

/** One element or text of a page. */
export interface TreeLine {
  readonly depth: number;
  readonly text: string;
  /** The element's reference; absent for texts and addresses. */
  readonly reference?: string;
}

/** Estimated tokens of a reading. References cost more than other text: this many are at most 2,000 by a tokenizer. */
const MOST_TOKENS = 1250;
const LONGEST_LINE = 300;

/** An element's reference, as `e12`: `f3` before it is for a later document of a tab or for a frame, `t2` for a later tab. */
interface Reference {
  readonly name: string;
  /** As Playwright calls it. */
  readonly own: string;
}

/** The reference in a text; undefined for another text. */
export function parseReference(written: string): Reference | undefined {
  const [, name, own] = /^\[?(?:ref=)?((?:t\d+)?((?:f\d+)?e\d+))\]?$/.exec(written.trim()) ?? [];
  return name === undefined || own === undefined ? undefined : { name, own };
}

/** The reference in a text. Throws a sentence for another text. */
export function readReference(written: string): Reference {
  const reference = parseReference(written);
  if (reference === undefined)
    throw new WebError(`${JSON.stringify(written)} is no reference. Take one like e12 from read_page.`);
  return reference;
}

export function failToFind(reference: string): never {
  throw new WebError(`There is no element ${reference} on the page now. read_page shows those that are there.`);
}

/** A line up to its element's reference: role, name and states. What the page says is in the name's quotation marks or after the reference. */
const ELEMENT =
  /^(- '?[\w-]+(?: "(?:[^"\\]|\\.)*")?(?: \[(?!ref=)[^\]]*\])* )\[ref=([a-z\d]+)\](?: \[cursor=pointer\])?/;

/** Reads Playwright's snapshot of a page: an element per line, with its reference in the short form. */
export function readTree(snapshot: string, tab: number): readonly TreeLine[] {
  return snapshot
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const indent = line.length - line.trimStart().length;
      const [, , own] = ELEMENT.exec(line.trimStart()) ?? [];
      const reference = own && (tab === 1 ? own : `t${tab}${own}`);
      const short = line.trimStart().replace(ELEMENT, `$1[${reference}]`);
      const text = short.length > LONGEST_LINE ? `${short.slice(0, LONGEST_LINE)}…` : short;
      return { depth: indent / 2, text, ...(reference === undefined ? {} : { reference }) };
    });
}

/** The lines of an element and everything in it; undefined if it isn't there. */
export function selectElement(lines: readonly TreeLine[], reference: string): readonly TreeLine[] | undefined {
  const start = lines.findIndex((line) => line.reference === reference);
  const root = lines[start];
  if (!root) return undefined;
  const end = lines.findIndex((line, index) => index > start && line.depth <= root.depth);
  return lines.slice(start, end < 0 ? lines.length : end);
}

function renderLines(lines: readonly TreeLine[]): string {
  const least = Math.min(...lines.map(({ depth }) => depth));
  return lines.map(({ depth, text }) => `${" ".repeat(depth - least)}${text}`).join("\n");
}

/** The first lines that fit a reading, and a sentence about the others. */
export function cutLines(
  lines: readonly TreeLine[],
  most = MOST_TOKENS,
): { readonly tree: string; readonly rest: string } {
  let tokens = 0;
  let end = 0;
  for (const line of lines) {
    tokens += estimateTokens(line.text) + 1 + line.depth / 8;
    if (tokens > most) break;
    end++;
  }
  if (end === lines.length) return { tree: renderLines(lines), rest: "" };
  // The next part begins with an element that can be named.
  while (end > 1 && lines[end]?.reference === undefined) end--;
  const next = lines[end]?.reference;
  const count = lines.length - end;
  const how =
    next === undefined ? "" : `: read on with read_page, from "${next}", or only a part of the page, of an element`;
  return { tree: renderLines(lines.slice(0, end)), rest: `${count} more lines are left out${how}.` };
}

const AROUND = 2;
/** Places with a text that are shown; a reading has no room for more. */
const MOST_PLACES = 200;

/** Lines with a text, in any case, with the elements that they are in and those around them; gaps are marked. */
export function findLines(
  lines: readonly TreeLine[],
  text: string,
): { readonly found: readonly TreeLine[]; readonly count: number } {
  const wanted = text.trim().toLowerCase();
  const hits = lines.flatMap((line, index) => (line.text.toLowerCase().includes(wanted) ? [index] : []));
  const shown = new Set(hits.slice(0, MOST_PLACES).flatMap((hit) => listAround(lines, hit)));
  const found: TreeLine[] = [];
  let last = -1;
  for (const index of [...shown].sort((one, other) => one - other)) {
    const line = lines[index];
    if (!line) continue;
    if (index > last + 1) found.push({ depth: line.depth, text: "…" });
    found.push(line);
    last = index;
  }
  return { found, count: hits.length };
}

function listAround(lines: readonly TreeLine[], hit: number): readonly number[] {
  const around = Array.from({ length: 2 * AROUND + 1 }, (_, index) => hit - AROUND + index);
  const parents: number[] = [];
  for (let index = hit, depth = lines[hit]?.depth ?? 0; index >= 0 && parents.length < 2; index--) {
    const line = lines[index];
    if (!line || line.depth >= depth) continue;
    depth = line.depth;
    parents.push(index);
  }
  return [...around.filter((index) => index >= 0 && index < lines.length), ...parents];
}

/** The lines that an earlier reading of the same document didn't have. */
export function listNewLines(before: readonly TreeLine[], after: readonly TreeLine[]): readonly TreeLine[] {
  const known = new Set(before.map(({ text }) => text.replace(/ \[active\]/, "")));
  return after.filter(({ text }) => !known.has(text.replace(/ \[active\]/, "")));
}
