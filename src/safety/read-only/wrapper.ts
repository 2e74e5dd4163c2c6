import { readArguments } from "../shell/flags.ts";
import type { SimpleCommand, Word } from "../shell/reading.ts";

/** The command that really does something, behind `time`, `timeout` or `xargs`. */
export interface Wrapped {
  readonly command: SimpleCommand;
  /** It gets further arguments that come through a pipe, so it must not show the content of files. */
  readonly getsPipedNames: boolean;
}

/** Commands that take any names of files, flags among them, and show no more than what is known about them. */
const TAKES_ANY = new Set("ls stat basename dirname realpath readlink".split(" "));
/** Commands that do so for names that cannot be flags. */
const TAKES_FILES = new Set("wc file du md5sum sha1sum sha256sum sha512sum cksum".split(" "));
/** Commands that hand on lines as they are. */
const FILTERS = new Set("grep egrep fgrep sort head tail uniq tac".split(" "));

/** Takes a harmless wrapper off; a sentence when the wrapper itself is not harmless. `before`: what stands before it in the same pipe. */
export function wrappedCommand(command: SimpleCommand, before: readonly SimpleCommand[]): Wrapped | string {
  const [name, ...rest] = command.words;
  switch (name?.text) {
    case "time":
      return behind(command, rest[0]?.text === "-p" ? rest.slice(1) : rest);
    case "timeout":
      return timeLimited(command, rest);
    case "xargs":
      return withPipedNames(command, rest, before);
    default:
      return { command, getsPipedNames: false };
  }
}

function behind(command: SimpleCommand, words: readonly Word[]): Wrapped | string {
  if (words.length === 0) return "There is no command in it.";
  return { command: { ...command, words }, getsPipedNames: false };
}

function timeLimited(command: SimpleCommand, [limit, ...rest]: readonly Word[]): Wrapped | string {
  if (!limit || !/^\d+(\.\d+)?[smhd]?$/.test(limit.text))
    return "timeout is not known to be harmless with these flags.";
  return behind(command, rest);
}

function withPipedNames(
  command: SimpleCommand,
  words: readonly Word[],
  before: readonly SimpleCommand[],
): Wrapped | string {
  const at = words.findIndex(
    ({ text }, index) => !text.startsWith("-") && !/^-[nLPId]$/.test(words[index - 1]?.text ?? ""),
  );
  if (at === -1) return "xargs without a command is not known to be harmless.";
  const flags = readArguments(
    "-0 -r -t -n: -L: -P: -I: -d: --null --no-run-if-empty --max-args= --max-procs= --delimiter=",
    words.slice(0, at),
  );
  if (typeof flags === "string") return flags;
  const name = words[at]?.text ?? "";
  const takesThem = TAKES_ANY.has(name) || (TAKES_FILES.has(name) && comesFromFind(before));
  if (!takesThem)
    return `xargs hands ${JSON.stringify(name)} names that may be flags, or files whose content it shows.`;
  return { command: { ...command, words: words.slice(at) }, getsPipedNames: true };
}

/** The names that `find` prints begin with one of its roots, so they are no flags. */
function comesFromFind([first, ...filters]: readonly SimpleCommand[]): boolean {
  const names = filters.map(({ words }) => words[0]?.text ?? "");
  return first?.words[0]?.text === "find" && names.every((name) => FILTERS.has(name));
}
