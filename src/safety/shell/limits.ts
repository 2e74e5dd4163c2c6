import type { Node, Parser } from "web-tree-sitter";
import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** Longer lines aren't parsed. */
const LONGEST_LINE = 8192;
const DEEPEST = 40;

/** Explains why a command line isn't parsed at all; undefined if it may be. */
export function explainOverLimit(line: string): DisplayText | undefined {
  if (line.length > LONGEST_LINE) return displayText("safety.line.lineTooLong", { limit: LONGEST_LINE });
  if (line.trim() === "") return displayText("safety.line.emptyLine");
  if (INVISIBLE.test(line)) return displayText("safety.line.invisibleCharacters");
  if (isTooDeep(line)) return displayText("safety.line.lineNestedTooDeeply", { limit: DEEPEST });
  return undefined;
}

/** Control characters except tab and line end, format characters, and every blank that isn't a space. */
const INVISIBLE = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\ufffc\ufffd]/u;

/** Counts all brackets, including quoted ones: too many is safe, too few isn't. */
function isTooDeep(line: string): boolean {
  let depth = 0;
  for (const character of line) {
    if ("([{`".includes(character)) depth++;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** The parser is stopped after this many progress reports, about 60 µs of work each; the same line always stops at the same place. */
const MOST_REPORTS = 15;

/** Parses with a limit on the work, passes the tree to `use`, and frees it. Returns a sentence if the limit was reached. */
export function parseBounded<T>(parser: Parser, source: string, use: (root: Node) => T): T | DisplayText {
  let reports = 0;
  const tree = parser.parse(source, null, { progressCallback: () => ++reports > MOST_REPORTS });
  if (!tree) {
    parser.reset();
    return displayText("safety.line.lineTooComplex");
  }
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}
