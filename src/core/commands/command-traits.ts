import { COMMAND_BY_ROLE, COMMAND_ROWS } from "../../schema/command-rows.ts";
import type { Call } from "../../schema/run-values.ts";
import type { ParametersOf, TextCode } from "../../texts/display-text.ts";

/** The ends of the codes that begin with a prefix. */
type CodeEnd<Prefix extends string> = TextCode extends infer Code
  ? Code extends `${Prefix}${infer End}`
    ? End
    : never
  : never;

/** The argument that each parameter of a text shows. */
type ShownArguments<Code extends TextCode> = ParametersOf<Code, string> extends [infer Shown] ? Shown : unknown;

/** A title of calls: the end of its codes, one for before the call ran and one for after, and the arguments that they show. */
export type TitleForm = {
  [End in CodeEnd<"timeline.to"> & CodeEnd<"timeline.did">]: {
    readonly code: End;
  } & ShownArguments<`timeline.to${End}`> &
    ShownArguments<`timeline.did${End}`>;
}[CodeEnd<"timeline.to"> & CodeEnd<"timeline.did">] & {
  /** Only for calls that read several files, created one, or set the argument `shared`. */
  readonly when?: "severalFiles" | "createdFile" | "shared";
};

/** The question on a command's card: the end of its code, and the arguments that it shows. */
type QuestionForm = {
  [End in CodeEnd<"approval.">]: { readonly code: End } & ShownArguments<`approval.${End}`>;
}[CodeEnd<"approval.">];

/** A part that one command has in the agent's own work. */
export type CommandRole = keyof typeof COMMAND_BY_ROLE;

/**
 * Facts about a command that hold without its dependencies. `npm run generate` collects them by the commands' names, so that logs can be
 * read and shown where the command itself isn't there.
 */
export interface CommandTraits {
  /** Titles for people, the most special first: a call has the first whose arguments it has, or the last. */
  readonly titles: readonly TitleForm[];
  /** The question on its card. Without one, the card asks by the title. */
  readonly question?: QuestionForm;
  readonly role?: CommandRole;
  /**
   * Its place among the offered commands, 0 for always; from `RARE_RANK` on, it's found by searching where that is possible. Commands of
   * one rank are offered and found together. Commands of others come just before the rare ones.
   */
  readonly rank: number;
  /** A small local model is offered it, too. */
  readonly isLean?: true;
  /** It only reads, so several in a reply run together. All but `once` look at a state, so that a later look replaces an earlier one. */
  readonly reads?: "file" | "search" | "state" | "once";
  /** The argument that names the file which it changes. */
  readonly changes?: "filename" | "source";
  /** It's repeated on purpose until something has happened. */
  readonly isPolled?: true;
  /** Its whole output is kept, and can be read as a file. */
  readonly keepsOutput?: true;
  /** It reads a web page: the page's text, or a summary of it. */
  readonly page?: "text" | "summary";
  /** It neither looks at the workspace nor changes it. */
  readonly isIdle?: true;
  /** Memories of runs leave its steps out. */
  readonly isForgettable?: true;
  /** The editor carries it out, in the user's own workspace. */
  readonly needsEditor?: true;
  /** Code of other extensions may run in it. */
  readonly mayRunExtensions?: true;
  /** Its command line is known, and judged as if it were typed. */
  readonly runsTypedLine?: true;
  /** A line about it among the resources, and one among the good practices, of a profile without its own. */
  readonly resource?: string;
  readonly practice?: string;
}

/** Commands from this rank on are rarely used. */
export const RARE_RANK = 200;

/** The names of the commands that the agent itself uses, by their roles. */
export const COMMAND: Readonly<Record<CommandRole, string>> = COMMAND_BY_ROLE;

const ROWS: Readonly<Record<string, CommandTraits>> = COMMAND_ROWS;

/** The traits of a command of ours; undefined for tools of others, and for a name that no command has. */
export function findTraits(name: string): CommandTraits | undefined {
  return Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
}

/** True for calls that only read, so that several of one reply can run together. */
export function isReading({ name }: Pick<Call, "name">): boolean {
  return findTraits(name)?.reads !== undefined;
}

/** True for calls that only look, so that a later one with the same arguments replaces an earlier one. */
export function isLook(call: Pick<Call, "name">): boolean {
  return isReading(call) && findTraits(call.name)?.reads !== "once";
}

/** The names of our commands that have a trait, in the order of the prompt. */
export function listCommandNames(has: (traits: CommandTraits) => unknown): readonly string[] {
  return Object.entries(ROWS).flatMap(([name, traits]) => (has(traits) ? [name] : []));
}
