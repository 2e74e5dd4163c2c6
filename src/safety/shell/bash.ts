import type { Parser } from "web-tree-sitter";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { commandsOf, UnsupportedSyntax } from "./bash-tree.ts";
import { scanFlow } from "./flow.ts";
import { beyondLimits, parseBounded } from "./limits.ts";
import { isReason, type Reading, type ShellReader, type SimpleCommand, unreadable } from "./reading.ts";
import { unwrapped } from "./unwrap.ts";

/** A parser for bash and sh. It accepts a line only if the grammar finds no error in it. */
export function bashReader(parser: Parser): ShellReader {
  const read = (line: string, depth: number): Reading => {
    const beyond = beyondLimits(line);
    if (beyond !== undefined) return unreadable(beyond);
    const commands = commandsIn(parser, line);
    if (isReason(commands)) return unreadable(commands);
    const all = unwrapped(commands, (inner) => read(inner, depth + 1), depth);
    if (isReason(all)) return unreadable(all);
    const flow = scanFlow(line);
    if (!flow || !agree(flow.commands, commands)) return { kind: "script", ...all };
    return { kind: "script", ...all, flow: flow.commands, ...(flow.isPlain ? { plain: flow.commands } : {}) };
  };
  return { read: (line) => read(line, 0) };
}

/** The commands, or a sentence on why the line can't be parsed. */
function commandsIn(parser: Parser, line: string): readonly SimpleCommand[] | DisplayText {
  return parseBounded(parser, line, (root) => {
    if (root.hasError) return displayText("safety.line.invalidShellLine");
    try {
      return commandsOf(root, line);
    } catch (error) {
      if (error instanceof UnsupportedSyntax) return error.text;
      throw error;
    }
  });
}

/** True when both parsers found the same words in the same order, and the same redirections. */
function agree(one: readonly SimpleCommand[], other: readonly SimpleCommand[]): boolean {
  const same = one.length === other.length && one.every((command, index) => isSame(command, other[index]));
  return same && redirectsOf(one) === redirectsOf(other);
}

function isSame(one: SimpleCommand, other: SimpleCommand | undefined): boolean {
  const sameInput = (one.input === undefined) === (other?.input === undefined);
  return other !== undefined && sameInput && textsOf(one) === textsOf(other);
}

function textsOf({ words, assignments }: SimpleCommand): string {
  return JSON.stringify([words, assignments].map((all) => all.map(({ text }) => text)));
}

/** The grammar attaches a redirection at the end of a pipe to the whole pipe, so only the set of redirections is compared. */
function redirectsOf(commands: readonly SimpleCommand[]): string {
  const all = commands.flatMap(({ redirects }) =>
    redirects.map(({ operator, target }) => `${operator} ${target.text}`),
  );
  return [...new Set(all)].sort().join("\n");
}
