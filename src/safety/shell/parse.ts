import type { Node, Parser } from "web-tree-sitter";

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
