import { readArguments } from "../shell/flags.ts";
import type { SimpleCommand, Word } from "../shell/reading.ts";

/** The command that really does something, behind `time`, `timeout` or `xargs`. */
export interface Wrapped {
  readonly command: SimpleCommand;
  /** It gets further arguments that come through a pipe. */
  readonly unknownFiles: boolean;
  /** Tells whether such a command shows the content of files it is given. */
  reveals(name: string): boolean;
}

/** Commands that take any names of files and show no more than what is known about them. */
const TELLS_ONLY = new Set(
  "ls wc stat file du basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum cksum echo".split(
    " ",
  ),
);

/** Takes a harmless wrapper off; a sentence when the wrapper itself is not harmless. */
export function wrappedCommand(command: SimpleCommand): Wrapped | string {
  const [name, ...rest] = command.words;
  switch (name?.text) {
    case "time":
      return behind(command, rest[0]?.text === "-p" ? rest.slice(1) : rest);
    case "timeout":
      return timeLimited(command, rest);
    case "xargs":
      return withPipedNames(command, rest);
    default:
      return { command, unknownFiles: false, reveals: () => false };
  }
}

function behind(command: SimpleCommand, words: readonly Word[]): Wrapped | string {
  if (words.length === 0) return "There is no command in it.";
  return { command: { ...command, words }, unknownFiles: false, reveals: () => false };
}

function timeLimited(command: SimpleCommand, [limit, ...rest]: readonly Word[]): Wrapped | string {
  if (!limit || !/^\d+(\.\d+)?[smhd]?$/.test(limit.text))
    return "timeout is not known to be harmless with these flags.";
  return behind(command, rest);
}

function withPipedNames(command: SimpleCommand, words: readonly Word[]): Wrapped | string {
  const at = words.findIndex(
    ({ text }, index) => !text.startsWith("-") && !/^-[nLPId]$/.test(words[index - 1]?.text ?? ""),
  );
  if (at === -1) return { command: { ...command, words: [] }, unknownFiles: true, reveals: () => true };
  const flags = readArguments(
    "-0 -r -t -n: -L: -P: -I: -d: --null --no-run-if-empty --max-args= --max-procs= --delimiter=",
    words.slice(0, at),
  );
  if (typeof flags === "string") return flags;
  return {
    command: { ...command, words: words.slice(at) },
    unknownFiles: true,
    reveals: (name) => !TELLS_ONLY.has(name),
  };
}
