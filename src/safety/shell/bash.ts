import type { Parser } from "web-tree-sitter";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { readCommandTree, UnsupportedSyntax } from "./bash-tree.ts";
import { scanFlow } from "./flow.ts";
import { explainOverLimit, parseBounded } from "./limits.ts";
import { isReason, type SimpleCommand } from "./reading.ts";
import { createUnreadableLine, type Reading, type ShellReader } from "./script.ts";
import { unwrapCommands } from "./unwrap.ts";

/** A parser for bash and sh. It accepts a line only if the grammar finds no error in it. */
export function createBashReader(parser: Parser): ShellReader {
  const read = (line: string, depth: number): Reading => {
    const beyond = explainOverLimit(line);
    if (beyond !== undefined) return createUnreadableLine(beyond);
    const commands = parseCommands(parser, line);
    if (isReason(commands)) return createUnreadableLine(commands);
    const all = unwrapCommands(commands, (inner) => read(inner, depth + 1), depth);
    if (isReason(all)) return createUnreadableLine(all);
    const flow = scanFlow(line);
    if (!flow || !agree(flow.commands, commands)) return { kind: "script", ...all };
    return { kind: "script", ...all, flow: flow.commands, ...(flow.isPlain ? { plain: flow.commands } : {}) };
  };
  return { read: (line) => read(line, 0) };
}

/** The commands, or a sentence on why the line can't be parsed. */
function parseCommands(parser: Parser, line: string): readonly SimpleCommand[] | DisplayText {
  return parseBounded(parser, line, (root) => {
    if (root.hasError) return displayText("safety.line.invalidShellLine");
    try {
      return readCommandTree(root, line);
    } catch (error) {
      if (error instanceof UnsupportedSyntax) return error.text;
      throw error;
    }
  });
}

/** True when both parsers found the same words in the same order, and the same redirections. */
function agree(one: readonly SimpleCommand[], other: readonly SimpleCommand[]): boolean {
  const same = one.length === other.length && one.every((command, index) => isSame(command, other[index]));
  return same && joinRedirects(one) === joinRedirects(other);
}

function isSame(one: SimpleCommand, other: SimpleCommand | undefined): boolean {
  const sameInput = (one.input === undefined) === (other?.input === undefined);
  return other !== undefined && sameInput && joinCommandTexts(one) === joinCommandTexts(other);
}

function joinCommandTexts({ words, assignments }: SimpleCommand): string {
  return JSON.stringify([words, assignments].map((all) => all.map(({ text }) => text)));
}

/** The grammar attaches a redirection at the end of a pipe to the whole pipe, so only the set of redirections is compared. */
function joinRedirects(commands: readonly SimpleCommand[]): string {
  const all = commands.flatMap(({ redirects }) =>
    redirects.map(({ operator, target }) => `${operator} ${target.text}`),
  );
  return [...new Set(all)].sort().join("\n");
}
