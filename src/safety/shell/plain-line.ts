import { isLiteral, type Redirect, type SimpleCommand, type Word } from "./reading.ts";
import { scanWord } from "./word.ts";

/** Words that begin something larger than a simple command. */
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function in coproc { } [[ ((".split(" "),
);

/**
 * Reads a line that is nothing but simple commands, joined by `;`, `&&`, `||`, `|` and line ends. This second reader shares no grammar
 * with the first: only where both agree is a line taken for what it seems to be. Undefined for anything else.
 */
export function scanPlainLine(line: string): readonly SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = [];
  let current = new PlainCommand(false);
  let at = 0;
  while (at < line.length) {
    const skipped = skipBlank(line, at);
    if (skipped !== at) {
      at = skipped;
      continue;
    }
    const operator = /^(?:&&|\|\||;(?!;)|\n|\|(?!&))/.exec(line.slice(at, at + 2))?.[0];
    if (operator !== undefined) {
      const done = current.finish(operator === "\n");
      if (done === "wrong") return undefined;
      if (done) commands.push(done);
      else if (operator !== "\n") return undefined;
      current = new PlainCommand(operator === "|");
      at += operator.length;
      continue;
    }
    const end = line[at] === "#" ? endOfLine(line, at) : current.take(line, at);
    if (end === undefined) return undefined;
    at = end;
  }
  const last = current.finish(true);
  if (last === "wrong") return undefined;
  return last ? [...commands, last] : endsInOperator(line) ? undefined : commands;
}

function skipBlank(line: string, at: number): number {
  let end = at;
  while (line[end] === " " || line[end] === "\t" || line.startsWith("\\\n", end))
    end += line[end] === "\\" ? 2 : 1;
  return end;
}

function endOfLine(line: string, at: number): number {
  const end = line.indexOf("\n", at);
  return end === -1 ? line.length : end;
}

function endsInOperator(line: string): boolean {
  return /(&&|\|\|?)\s*$/.test(line);
}

/** One simple command as its parts come. */
class PlainCommand {
  private readonly piped: boolean;
  private readonly words: Word[] = [];
  private readonly redirects: Redirect[] = [];
  private input: boolean;

  constructor(piped: boolean) {
    this.piped = piped;
    this.input = piped;
  }

  /** Takes a word or a redirection, and says where it ends; undefined when it is neither, or not a plain one. */
  take(line: string, at: number): number | undefined {
    const redirect = /^(?:&>>?|\d?>>?|\d?<)(?![<>&|(])|^\d?>&(?=\d(?:[\s;|&]|$))/.exec(
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
    if (this.words.length === 0 && word.text === "!" && !word.isQuoted) return end;
    this.words.push(word);
    return end;
  }

  /** The command; undefined when there is none, "wrong" when there should be. */
  finish(mayBeEmpty: boolean): SimpleCommand | "wrong" | undefined {
    const { words, redirects } = this;
    if (words.length === 0) return redirects.length > 0 || this.piped || !mayBeEmpty ? "wrong" : undefined;
    return { words, assignments: [], redirects, ...(this.input ? { input: "stream" as const } : {}) };
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
  return /^(?:>>?|<)(?![<>&|(])|^>&\d(?:[\s;|&]|$)|^&>|^&&/.test(line.slice(at, at + 6));
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
