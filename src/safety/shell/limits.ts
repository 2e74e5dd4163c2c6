import type { Node, Parser } from "web-tree-sitter";

/** Longer lines are not read. */
const LONGEST_LINE = 8192;
const DEEPEST = 40;

/** Why a command line is not even tried to be read, as a sentence; undefined when it may be. */
export function beyondLimits(line: string): string | undefined {
  if (line.length > LONGEST_LINE) return `The command line is longer than ${LONGEST_LINE} characters.`;
  if (line.trim() === "") return "The command line is empty.";
  if (INVISIBLE.test(line))
    return "The command line holds characters that cannot be seen, or blanks that are none to the shell.";
  if (isTooDeep(line)) return `The command line is nested deeper than ${DEEPEST} levels.`;
  return undefined;
}

/** Control characters but tab and line end, format characters, and every blank that is not a space. */
const INVISIBLE =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\ufffc\ufffd]/u;

/** Counts brackets wherever they stand, quoted ones too: rather too many than too few. */
function isTooDeep(line: string): boolean {
  let depth = 0;
  for (const character of line) {
    if ("([{`".includes(character)) depth++;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** The parser reports about every 60 microseconds' worth of work; so many reports and it is stopped. The same line always stops at the same place. */
const MOST_REPORTS = 20;

/** Parses with a bound on the work, lets `use` look at the tree, and frees it. Returns a sentence where the bound was reached. */
export function parseBounded<T>(parser: Parser, source: string, use: (root: Node) => T): T | string {
  let reports = 0;
  const tree = parser.parse(source, null, { progressCallback: () => ++reports > MOST_REPORTS });
  if (!tree) {
    parser.reset();
    return "The command line is too intricate to be read.";
  }
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}
