import type { DisplayText } from "../../texts/display-text.ts";

/** Placeholder in a word's text for a part that only the shell knows: a variable, a substitution. */
export const UNKNOWN = "\0";

/** One word of a command line, without quotes. */
export interface Word {
  /** Its value, with `UNKNOWN` for each unknown part. */
  readonly text: string;
  /** It has wildcards, which the shell replaces with file names. */
  readonly isPattern: boolean;
  /** It has braces that expand to several words. */
  readonly isBraced: boolean;
  /** It starts with `~`, which leads to a home folder. */
  readonly isHome: boolean;
  /** The variables in it. */
  readonly variables: readonly string[];
  /** A part of it was quoted or escaped. */
  readonly isQuoted: boolean;
  /** A variable or substitution in it is unquoted, so blanks and wildcards in its value count. */
  readonly isSplit?: true;
  /** Its unknown parts, except plain variables, in any order. */
  readonly holes?: readonly Hole[];
}

/** A part of a word that only the shell knows. */
export type Hole =
  /** Text that commands print: directly for `$(…)`, or in a file for `<(…)`. */
  | { readonly kind: "printed" | "file"; readonly commands: readonly SimpleCommand[] }
  /** The result of a calculation with numbers. */
  | { readonly kind: "number" }
  /** A changed part of a variable, or a list. */
  | { readonly kind: "changed" };

/** A redirection: `2>` and `/dev/null`, `<` and `input.txt`. */
export interface Redirect {
  /** With the descriptor's number before it, if there is one. */
  readonly operator: string;
  readonly target: Word;
}

/** A command with its arguments, anywhere in a command line. */
export interface SimpleCommand {
  /** The name first; empty when there are only assignments or redirections. */
  readonly words: readonly Word[];
  /** `NAME=value` before it. */
  readonly assignments: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Set when its standard input is a pipe, a file, or text in the line itself. */
  readonly input?: "stream";
  /** The commands before it in its pipe. */
  readonly fedBy?: readonly SimpleCommand[];
  /** The operator that joins it to the simple command before: `;`, `&&`, `||` or `|`; absent for the first, and for `&&` after a group. */
  readonly joint?: string;
  /** `!` precedes it. */
  readonly isNegated?: true;
  /** The loops around it, outermost first. */
  readonly within?: readonly Loop[];
  /** Its pipe carries the output of several commands. */
  readonly afterGroup?: true;
}

/** `for NAME in ITEMS`. */
export interface Loop {
  readonly name: string;
  readonly items: readonly Word[];
}

/** The language of a command line. */
export type ShellDialect = "bash" | "sh" | "zsh" | "powershell" | "cmd";

/** True if a value is the reason why something isn't known, instead of the requested value. */
export function isReason(value: object): value is DisplayText {
  return "code" in value;
}

/** A word that means exactly its text. */
export function createLiteralWord(text: string): Word {
  return { text, isPattern: false, isBraced: false, isHome: false, variables: [], isQuoted: false };
}

/** True when the word means exactly its text. */
export function isLiteral(word: Word): boolean {
  return !word.isPattern && !word.isBraced && !word.isHome && !word.text.includes(UNKNOWN);
}

/** Name of a command's program without its folder, in lower case; "" if there is none, `UNKNOWN` if it's only known at run time. */
export function getCommandName({ words: [first] }: SimpleCommand): string {
  if (!first) return "";
  if (!isLiteral(first)) return UNKNOWN;
  const name = first.text.split(/[\\/]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.exe$/, "");
}

/** All words of a command, including the targets of its redirections. */
export function listCommandWords({ words, assignments, redirects }: SimpleCommand): readonly Word[] {
  return [...words, ...assignments, ...redirects.map(({ target }) => target)];
}

/** Words that a here-document or a here-string feeds to a command. */
export function listFedWords({ redirects }: SimpleCommand): readonly Word[] {
  return redirects.flatMap(({ operator, target }) => (operator.includes("<<") ? [target] : []));
}

/** The arguments from the first that is neither a flag nor the value of `-c` or `-C`: from git's subcommand on. */
export function skipLeadingFlags(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith("-") && !/^-[cC]$/.test(args[index - 1] ?? ""));
  return at === -1 ? [] : args.slice(at);
}

/** The folders among the arguments of `find`: those before its tests. */
export function takeFindRoots(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex(({ text }) => /^[-!(]/.test(text));
  return end === -1 ? args : args.slice(0, end);
}

/** A word as people read it. */
export function formatWordForPeople({ text, variables }: Word): string {
  return text.replace(UNKNOWN, `$${variables[0] ?? "…"}`).replaceAll(UNKNOWN, "…");
}
