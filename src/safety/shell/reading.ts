/** Stands in a word's text for a part that only the shell will know: a variable, a substitution. */
export const UNKNOWN = "\0";

/** One word of a command line, quotes taken off. */
export interface Word {
  /** Its value, with `UNKNOWN` for each part that is not known. */
  readonly text: string;
  /** It has wildcards, so the shell puts the names of files in its place. */
  readonly isPattern: boolean;
  /** It has braces that make several words of one. */
  readonly isBraced: boolean;
  /** It begins with `~`, which leads to a home. */
  readonly isHome: boolean;
  /** The variables in it. */
  readonly variables: readonly string[];
  /** Something of it was between quotes or behind a backslash. */
  readonly isQuoted: boolean;
  /** A variable in it stands outside quotes, so that blanks and wildcards in its value count. */
  readonly isSplit?: true;
}

/** A redirection: `2>` and `/dev/null`, `<` and `input.txt`. */
export interface Redirect {
  /** With the number of the descriptor before it, if one is written. */
  readonly operator: string;
  readonly target: Word;
}

/** A command with its arguments, wherever in a command line it stands. */
export interface SimpleCommand {
  /** The name first; empty when there are only assignments or redirections. */
  readonly words: readonly Word[];
  /** `NAME=value` before it. */
  readonly assignments: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Its standard input is a pipe, a file, or text in the line itself. */
  readonly input?: "stream";
  /** How it hangs on the one simple command before it: `;`, `&&`, `||` or `|`; absent for the first, and for `&&` behind a group. */
  readonly joint?: string;
  /** `!` stands before it. */
  readonly isNegated?: true;
  /** The loops that it runs in, the outermost first. */
  readonly within?: readonly Loop[];
  /** What comes through its pipe was written by several commands. */
  readonly afterGroup?: true;
}

/** `for NAME in ITEMS`. */
export interface Loop {
  readonly name: string;
  readonly items: readonly Word[];
}

/** A command line, read to its end. */
export interface ShellScript {
  readonly kind: "script";
  /** Every simple command in it: in lists, pipes, loops, functions, substitutions, and in texts that it runs as commands. */
  readonly commands: readonly SimpleCommand[];
  /** What may be run by some of these, such as `sudo`, `xargs` or `find`: each rest of their arguments that could be a command. */
  readonly wrapped: readonly SimpleCommand[];
  /** The same line as nothing but simple commands one after the other; absent when it holds anything else. */
  readonly plain?: readonly SimpleCommand[];
  /** The same through `for`, `if`, `( )` and `{ }`, whose commands stand here in the order of the line; a loop's items are assignments before them. */
  readonly flow?: readonly SimpleCommand[];
}

/** A command line that could not be read, with the reason as a sentence. Nobody knows what it does. */
export interface UnreadableLine {
  readonly kind: "unreadable";
  readonly why: string;
}

export type Reading = ShellScript | UnreadableLine;

/** The language of a command line. */
export type ShellDialect = "bash" | "sh" | "zsh" | "powershell" | "cmd";

/** Reads command lines, and runs nothing. */
export interface ShellReader {
  read(line: string): Reading;
}

/** All commands that a script runs or may run. */
export function everyCommand({ commands, wrapped }: ShellScript): readonly SimpleCommand[] {
  return [...commands, ...wrapped];
}

export function unreadable(why: string): UnreadableLine {
  return { kind: "unreadable", why };
}

/** A word that is what it says. */
export function literalWord(text: string): Word {
  return { text, isPattern: false, isBraced: false, isHome: false, variables: [], isQuoted: false };
}

/** True when the word is its text and nothing else. */
export function isLiteral(word: Word): boolean {
  return !word.isPattern && !word.isBraced && !word.isHome && !word.text.includes(UNKNOWN);
}

/** The name of a command without its folder, in lower case; undefined when it is only known once it runs. */
export function nameOf(command: SimpleCommand): string | undefined {
  const [first] = command.words;
  if (!first) return "";
  if (!isLiteral(first)) return undefined;
  const name = first.text.split(/[\\/]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.exe$/, "");
}
