import { isLiteral, type Loop, type Redirect, type SimpleCommand, type Word } from "./reading.ts";
import { scanWord } from "./word.ts";

/** Words that begin something larger than a simple command. */
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function in coproc { } ((".split(" "),
);

/** Just behind blanks and broken lines. */
export function skipBlank(line: string, at: number): number {
  let end = at;
  while (line[end] === " " || line[end] === "\t" || line.startsWith("\\\n", end))
    end += line[end] === "\\" ? 2 : 1;
  return end;
}

/** Where a simple command stands. */
export interface Standing {
  /** How it hangs on the command before it; absent for the first. */
  readonly joint?: string;
  readonly afterGroup: boolean;
  readonly within: readonly Loop[];
}

/** One simple command as its parts come, read by hand. */
export class PlainCommand {
  readonly standing: Standing;
  private readonly words: Word[] = [];
  private readonly redirects: Redirect[] = [];
  private input: boolean;
  private isNegated = false;

  constructor(standing: Standing) {
    this.standing = standing;
    this.input = this.isPiped;
  }

  get isPiped(): boolean {
    return this.standing.joint === "|";
  }

  get isEmpty(): boolean {
    return this.words.length === 0 && this.redirects.length === 0;
  }

  /** Takes a word or a redirection, and says where it ends; undefined when it is neither, or not a plain one. */
  take(line: string, at: number): number | undefined {
    const redirect = /^(?:&>>?|\d?>>?|\d?<)(?![<>&|(])|^\d?>&(?=\d(?:[\s;|&)]|$))/.exec(
      line.slice(at, at + 8),
    )?.[0];
    if (redirect !== undefined)
      return this.takeRedirect(redirect, line, skipBlank(line, at + redirect.length));
    const scanned = scanWord(line, at);
    if (!scanned || scanned.end === at || scanned.isStrange) return undefined;
    const { word, end } = scanned;
    if (word.isBraced || isZshCommand(word) || (/[<>(&]/.test(line[end] ?? "") && !isRedirectAt(line, end)))
      return undefined;
    if (this.words.length === 0 && !canBegin(word)) return undefined;
    if (this.words.length === 0 && word.text === "!" && !word.isQuoted) {
      this.isNegated = true;
      return end;
    }
    this.words.push(word);
    return end;
  }

  /** The command; undefined when there is none, "wrong" when there should be. */
  finish(mayBeEmpty: boolean): SimpleCommand | "wrong" | undefined {
    const { words, redirects, standing } = this;
    const { joint, within, afterGroup } = standing;
    if (words.length === 0) return redirects.length > 0 || this.isPiped || !mayBeEmpty ? "wrong" : undefined;
    return {
      words,
      assignments: [],
      redirects,
      ...(this.input ? { input: "stream" as const } : {}),
      ...(joint === undefined ? {} : { joint }),
      ...(this.isNegated ? { isNegated: true as const } : {}),
      ...(within.length > 0 ? { within } : {}),
      ...(afterGroup ? { afterGroup: true as const } : {}),
    };
  }

  private takeRedirect(operator: string, line: string, at: number): number | undefined {
    const scanned = scanWord(line, at);
    if (!scanned || scanned.end === at || scanned.isStrange || !isLiteral(scanned.word)) return undefined;
    this.redirects.push({ operator, target: scanned.word });
    if (operator.endsWith("<")) this.input = true;
    return scanned.end;
  }
}

/** `file>x` is a word and a redirection; `2>x` after a word's end would have been a redirection of its own. */
function isRedirectAt(line: string, at: number): boolean {
  return /^(?:>>?|<)(?![<>&|(])|^>&\d(?:[\s;|&)]|$)|^&>|^&&/.test(line.slice(at, at + 6));
}

/** False for reserved words, assignments and names that are not known yet. */
function canBegin(word: Word): boolean {
  if (!isLiteral(word)) return false;
  if (word.isQuoted) return true;
  return !RESERVED.has(word.text) && !/^[A-Za-z_]\w*(\[.*\])?\+?=/s.test(word.text);
}

/** zsh puts the path of `name` in the place of `=name`. */
function isZshCommand(word: Word): boolean {
  return word.text.startsWith("=") && word.text !== "=" && !word.isQuoted;
}
