import type { SimpleCommand, Word } from "../shell/reading.ts";

/** The command that really does something, behind `time` or `timeout`; a sentence when these are not harmless as they stand. */
export function wrappedCommand(command: SimpleCommand): SimpleCommand | string {
  const [name, ...rest] = command.words;
  if (name?.text === "time") return behind(command, rest[0]?.text === "-p" ? rest.slice(1) : rest);
  return name?.text === "timeout" ? timeLimited(command, rest) : command;
}

function behind(command: SimpleCommand, words: readonly Word[]): SimpleCommand | string {
  return words.length === 0 ? "There is no command in it." : { ...command, words };
}

function timeLimited(command: SimpleCommand, [limit, ...rest]: readonly Word[]): SimpleCommand | string {
  if (!limit || !/^\d+(\.\d+)?[smhd]?$/.test(limit.text))
    return "timeout is not known to be harmless with these flags.";
  return behind(command, rest);
}
