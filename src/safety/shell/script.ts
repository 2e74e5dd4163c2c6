import type { DisplayText } from "../../texts/display-text.ts";
import type { ProgramFacts } from "../programs/program.ts";
import { getProgramFacts } from "../programs/table.ts";
import { getCommandName, listCommandWords, type SimpleCommand, type Word } from "./reading.ts";

/** A command with the facts about its program, which are looked up once. */
export interface ProgramCall extends SimpleCommand {
  /** As `getCommandName` returns it. */
  readonly name: string;
  readonly program: ProgramFacts;
  readonly args: readonly Word[];
  /** The texts of the arguments. */
  readonly texts: readonly string[];
  /** The arguments that don't start with a dash. */
  readonly operands: readonly Word[];
}

/** Looks up the program of a command. Also needed after its words were replaced. */
export function describeCall(command: SimpleCommand): ProgramCall {
  const name = getCommandName(command);
  const args = command.words.slice(1);
  const texts = args.map(({ text }) => text);
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  return { ...command, name, program: getProgramFacts(name), args, texts, operands };
}

/** A parsed command line. */
export interface ShellScript {
  readonly kind: "script";
  /** Every simple command in it: in lists, pipes, loops, functions, substitutions, and in text that it runs as commands. */
  readonly commands: readonly ProgramCall[];
  /** Commands that wrappers such as `sudo`, `xargs` or `find` may run: every tail of their arguments that could be one. */
  readonly wrapped: readonly ProgramCall[];
  /** The line as a plain sequence of simple commands; absent when it contains anything else. */
  readonly plain?: readonly SimpleCommand[];
  /** The same, including `for`, `if`, `( )` and `{ }`, in the order of the line; a loop's items are assignments before its commands. */
  readonly flow?: readonly SimpleCommand[];
}

/** A command line that can't be parsed, with a sentence that explains why. */
export interface UnreadableLine {
  readonly kind: "unreadable";
  readonly why: DisplayText;
}

export type Reading = ShellScript | UnreadableLine;

/** Parses command lines; runs nothing. */
export interface ShellReader {
  read(line: string): Reading;
}

export function createUnreadableLine(why: DisplayText): UnreadableLine {
  return { kind: "unreadable", why };
}

/** Every command that a script runs or may run. */
export function listCalls({ commands, wrapped }: Pick<ShellScript, "commands" | "wrapped">): readonly ProgramCall[] {
  return [...commands, ...wrapped];
}

/** The words of calls, each once, because the tails of a wrapper's arguments share them. */
export function listLineWords(calls: readonly ProgramCall[]): readonly Word[] {
  return [...new Set(calls.flatMap(listCommandWords))];
}

/** True for a call with an argument that fits. */
export function hasArgument({ texts }: ProgramCall, pattern: RegExp | undefined): boolean {
  return pattern !== undefined && texts.some((text) => pattern.test(text));
}
