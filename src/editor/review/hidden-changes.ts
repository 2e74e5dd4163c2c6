import { t } from "../../texts/language.ts";
import { findLineHunks, type Hunk } from "./hunks.ts";
import { splitTextLines, type TextLine } from "./line-ends.ts";

/** Describes changes that the editor's diff doesn't mark by default: white space around lines, and line ends. */
export function describeHiddenChanges(before: string, after: string): readonly string[] {
  const kept = findKeptLines(splitTextLines(before), splitTextLines(after));
  const spaced = kept.filter(([left, right]) => left.text !== right.text).length;
  const ended = kept.filter(([left, right]) => left.end && right.end && left.end !== right.end).length;
  return [
    ...(spaced > 0 ? [t("review.spacesChange", { count: spaced })] : []),
    ...(ended > 0 ? [t("review.lineEndsChange", { count: ended })] : []),
  ];
}

/** Reports how many lines of a file are missing from its replacement, since models sometimes omit lines without being asked. */
export function describeMissingLines(before: string, after: string): readonly string[] {
  const trimLines = (text: string): readonly string[] => splitTextLines(text).map((line) => line.text.trim());
  const [old, fresh] = [trimLines(before), trimLines(after)];
  const kept = new Set(["", ...fresh]);
  const count = findLineHunks(old, fresh).reduce((sum, { left, right }) => {
    const gone = old.slice(left.start, left.end).filter((line) => !kept.has(line));
    const added = fresh.slice(right.start, right.end).filter((line) => line !== "");
    return sum + Math.max(0, gone.length - added.length);
  }, 0);
  return count > 0 ? [t("review.linesGone", { count })] : [];
}

type Pair = readonly [left: number, right: number];

/** Lines that the editor's diff shows as unchanged, in order. */
interface Block {
  readonly pairs: readonly Pair[];
  /** How many lines of both texts are shown as changed right before it. */
  readonly changedBefore: number;
}

/** Pairs of lines that the diff shows as unchanged. */
function findKeptLines(
  before: readonly TextLine[],
  after: readonly TextLine[],
): readonly (readonly [TextLine, TextLine])[] {
  const ends: Pair = [before.length, after.length];
  const pairs = removeLoneBraces(alignLines(before, after), before, ends);
  return pairs.flatMap(([left, right]) => {
    const [was, is] = [before[left], after[right]];
    return was && is ? [[was, is] as const] : [];
  });
}

/** Pairs equal lines and, between those, lines that differ only in surrounding white space. */
function alignLines(before: readonly TextLine[], after: readonly TextLine[]): readonly Pair[] {
  const listTexts = (lines: readonly TextLine[]): readonly string[] => lines.map(({ text }) => text);
  return listPairs(listTexts(before), listTexts(after), ({ left, right }) => {
    const inside = listPairs(
      listTexts(before.slice(left.start, left.end)).map((text) => text.trim()),
      listTexts(after.slice(right.start, right.end)).map((text) => text.trim()),
      () => [],
    );
    return inside.map(([one, other]): Pair => [one + left.start, other + right.start]);
  });
}

function listPairs(
  before: readonly string[],
  after: readonly string[],
  inHunk: (hunk: Hunk) => readonly Pair[],
): readonly Pair[] {
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  for (const hunk of findLineHunks(before, after)) {
    for (; left < hunk.left.start; left++, right++) pairs.push([left, right]);
    pairs.push(...inHunk(hunk));
    left = hunk.left.end;
    right = hunk.right.end;
  }
  for (; left < before.length && right < after.length; left++, right++) pairs.push([left, right]);
  return pairs;
}

const SHORT_TEXT = 4;
const LARGE_CHANGE = 5;

/**
 * VS Code shows very short unchanged text, such as a brace, as changed if it's between two changes and one of them is large. The numbers
 * are from `removeVeryShortMatchingLinesBetweenDiffs` in its diff algorithm.
 */
function removeLoneBraces(pairs: readonly Pair[], before: readonly TextLine[], ends: Pair): readonly Pair[] {
  const blocks = groupIntoBlocks(pairs);
  const end = blocks.length - 1;
  const kept = blocks.filter(({ pairs: own, changedBefore }, index) => {
    const [last] = own.slice(-1);
    const changedAfter = index === end ? countChangedLines(last, ends) : (blocks[index + 1]?.changedBefore ?? 0);
    const text = own
      .map(([left]) => before[left]?.text ?? "")
      .join("")
      .replace(/\s/g, "");
    const isBetween = changedBefore > 0 && changedAfter > 0;
    return !(isBetween && text.length <= SHORT_TEXT && Math.max(changedBefore, changedAfter) > LARGE_CHANGE);
  });
  const left = kept.flatMap((block) => block.pairs);
  return left.length === pairs.length ? pairs : removeLoneBraces(left, before, ends);
}

function groupIntoBlocks(pairs: readonly Pair[]): readonly Block[] {
  const blocks: Block[] = [];
  let block: Pair[] = [];
  for (const [index, pair] of pairs.entries()) {
    const changedBefore = countChangedLines(pairs[index - 1], pair);
    if (changedBefore > 0 || index === 0) {
      block = [];
      blocks.push({ pairs: block, changedBefore });
    }
    block.push(pair);
  }
  return blocks;
}

/** How many lines of both texts lie between two pairs. */
function countChangedLines([left, right]: Pair = [-1, -1], [nextLeft, nextRight]: Pair): number {
  return nextLeft - left - 1 + (nextRight - right - 1);
}
