import { omitUndefined } from "../../core/base/objects.ts";
import { isLiteral, type Loop, type Redirect, type SimpleCommand, type Word } from "./reading.ts";
import { scanWord } from "./word.ts";

/** Words that start a construct larger than a simple command. */
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function in coproc { } ((".split(" "),
);

/** The position after blanks and line continuations. */
function skipBlank(line: string, at: number): number {
  let end = at;
  while (line[end] === " " || line[end] === "\t" || line.startsWith("\\\n", end)) end += line[end] === "\\" ? 2 : 1;
  return end;
}

/** Position of a simple command in its line. */
interface CommandPosition {
  /** The operator before it; absent for the first command. */
  readonly joint?: string;
  readonly afterGroup: boolean;
  readonly within: readonly Loop[];
}

/** Collects one simple command, part by part. */
class PlainCommand {
  readonly standing: CommandPosition;
  private readonly words: Word[] = [];
  private readonly assignments: Word[] = [];
  private readonly redirects: Redirect[] = [];
  private input: boolean;
  private isNegated = false;

  constructor(standing: CommandPosition) {
    this.standing = standing;
    this.input = this.isPiped;
  }

  get isPiped(): boolean {
    return this.standing.joint === "|";
  }

  get hasAssignments(): boolean {
    return this.assignments.length > 0;
  }

  get isEmpty(): boolean {
    return this.words.length === 0 && this.redirects.length === 0 && !this.hasAssignments;
  }

  /** Takes a word or a redirection and returns its end; undefined if it's neither, or if it isn't plain. */
  take(line: string, at: number): number | undefined {
    const redirect = /^(?:&>>?|\d?>>?|\d?<)(?![<>&|(])|^\d?>&(?=\d(?:[\s;|&)]|$))/.exec(line.slice(at, at + 8))?.[0];
    if (redirect !== undefined) return this.takeRedirect(redirect, line, skipBlank(line, at + redirect.length));
    const scanned = scanWord(line, at);
    if (!scanned || scanned.end === at || scanned.isStrange) return undefined;
    const { word, end } = scanned;
    if (word.isBraced || isZshCommand(word) || (/[<>(&]/.test(line[end] ?? "") && !isRedirectStart(line, end)))
      return undefined;
    if (this.words.length === 0 && HARMLESS_ASSIGNMENT.test(word.text) && isLiteral(word) && !word.isQuoted) {
      this.assignments.push(word);
      return end;
    }
    if (this.words.length === 0 && !canBegin(word)) return undefined;
    if (this.words.length === 0 && word.text === "!" && !word.isQuoted) {
      this.isNegated = true;
      return end;
    }
    this.words.push(word);
    return end;
  }

  /** The command; undefined if there is none, "wrong" if a required one is missing. */
  finish(mayBeEmpty: boolean): SimpleCommand | "wrong" | undefined {
    const { words, assignments, redirects, standing } = this;
    const { joint, within, afterGroup } = standing;
    if (words.length === 0 && this.hasAssignments) return "wrong";
    if (words.length === 0) return redirects.length > 0 || this.isPiped || !mayBeEmpty ? "wrong" : undefined;
    return {
      words,
      assignments,
      redirects,
      ...(this.input ? { input: "stream" as const } : {}),
      ...omitUndefined({ joint }),
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

/** Settings of language, time zone and colors, and no pager: programs don't open or run anything because of them. */
export const HARMLESS_ASSIGNMENT =
  /^(?:(?:LC_[A-Z]+|LANG(?:UAGE)?|NO_COLOR|CLICOLOR|FORCE_COLOR|COLUMNS|GIT_OPTIONAL_LOCKS)=[\w.@-]*|TZ=[A-Z][\w+-]*(?:\/[A-Za-z_]+){0,2}|(?:GIT_|MAN)?PAGER=(?:cat)?)$/;

/** `file>x` is a word and a redirection; `2>x` after the end of a word would have been a separate redirection. */
function isRedirectStart(line: string, at: number): boolean {
  return /^(?:>>?|<)(?![<>&|(])|^>&\d(?:[\s;|&)]|$)|^&>|^&&/.test(line.slice(at, at + 6));
}

/** False for reserved words, assignments and names that are only known at run time. */
function canBegin(word: Word): boolean {
  if (!isLiteral(word)) return false;
  if (word.isQuoted) return true;
  return !RESERVED.has(word.text) && !/^[A-Za-z_]\w*(\[.*\])?\+?=/s.test(word.text);
}

/** zsh replaces `=name` with the path of the program `name`. */
function isZshCommand(word: Word): boolean {
  return word.text.startsWith("=") && word.text !== "=" && !word.isQuoted;
}

/** Commands of a line in order. */
export interface Flow {
  readonly commands: readonly SimpleCommand[];
  readonly isPlain: boolean;
}

/**
 * Parses a line of simple commands, joined by `;`, `&&`, `||`, `|` and line ends, through `for`, `if`, `( )` and `{ }`. This second parser
 * shares no grammar with the first. A line counts as understood only if both agree. Undefined for anything else.
 */
export function scanFlow(line: string): Flow | undefined {
  const scan = new FlowScan(line);
  return scan.run() ? { commands: scan.commands, isPlain: scan.isPlain } : undefined;
}

/** An open construct: the words that may come next, and the loop's variable with its values. */
interface Frame {
  readonly next: string;
  readonly loop?: Loop;
}

const OPERATOR = /^(?:&&|\|\||;(?!;)|\n|\|(?!&))/;
const WORD = /^(?:if|then|elif|else|fi|for|do|done|\{|\})(?=[\s;]|$)|^\((?!\()/;
/** Words that may come next, by the word before. */
const NEXT: ReadonlyMap<string, string> = new Map([
  ["if", "then"],
  ["elif", "then"],
  ["then", "elif else fi"],
  ["else", "fi"],
  ["do", "done"],
  ["{", "}"],
  ["(", ")"],
]);
/** Allows only variables without a meaning to shells or programs. A nested loop must use another variable. */
const LOOP = /^for[ \t]+(?!path\b|argv\b|status\b|prompt\b|watch\b)([a-z]{1,8})[ \t]+in(?=[ \t])/;

class FlowScan {
  readonly commands: SimpleCommand[] = [];
  isPlain = true;
  private readonly line: string;
  private at = 0;
  private open: readonly Frame[] = [];
  private current: PlainCommand;
  /** A construct has just ended, so only an operator may follow. */
  private isClosed = false;

  constructor(line: string) {
    this.line = line;
    this.current = this.createPlainCommand();
  }

  /** False when the line can't be parsed to its end. */
  run(): boolean {
    while (this.at < this.line.length) {
      const skipped = skipBlank(this.line, this.at);
      if (skipped !== this.at) this.at = skipped;
      else if (!this.readNext()) return false;
    }
    return this.open.length === 0 && this.end(true) && !/(&&|\|\|?)\s*$/.test(this.line);
  }

  private readNext(): boolean {
    const rest = this.line.slice(this.at, this.at + 40);
    const operator = OPERATOR.exec(rest)?.[0];
    if (operator !== undefined) return this.readOperator(operator);
    if (rest.startsWith("#")) return this.skipComment();
    if (rest.startsWith(")")) return this.close(")");
    if (this.isClosed) return false;
    const word = this.current.isEmpty ? WORD.exec(rest)?.[0] : undefined;
    if (word !== undefined) return this.readKeyword(word, rest);
    const end = this.current.take(this.line, this.at);
    this.at = end ?? this.at;
    return end !== undefined;
  }

  private createPlainCommand(joint?: string, afterGroup = false): PlainCommand {
    const within = this.open.flatMap(({ loop }) => loop ?? []);
    const standing: CommandPosition = { afterGroup, within, ...omitUndefined({ joint }) };
    return new PlainCommand(standing);
  }

  private readOperator(operator: string): boolean {
    const wasClosed = this.isClosed;
    this.at += operator.length;
    if (this.current.isEmpty && !wasClosed) return operator === "\n";
    if (!this.end(operator === "\n")) return false;
    const joint = operator === "\n" ? ";" : operator;
    this.current = this.createPlainCommand(wasClosed && joint === "&&" ? undefined : joint, wasClosed && joint === "|");
    return true;
  }

  /** Ends the command that is being read. */
  private end(mayBeEmpty: boolean): boolean {
    const done = this.isClosed ? undefined : this.current.finish(mayBeEmpty);
    if (done === "wrong") return false;
    if (done) this.commands.push(done);
    this.isPlain &&= !this.current.hasAssignments;
    this.isClosed = false;
    return true;
  }

  private skipComment(): boolean {
    const end = this.line.indexOf("\n", this.at);
    this.at = end === -1 ? this.line.length : end;
    return true;
  }

  private readKeyword(word: string, rest: string): boolean {
    if (this.current.isPiped) return false;
    this.isPlain = false;
    if (word === "for") return this.readLoop(rest);
    const opens = word === "if" || word === "{" || word === "(";
    if (word === "fi" || word === "done" || word === "}") return this.close(word);
    const last = this.open.at(-1);
    if (!opens && !last?.next.split(" ").includes(word)) return false;
    const kept = opens ? this.open : this.open.slice(0, -1);
    this.open = [...kept, { ...(opens ? {} : last), next: NEXT.get(word) ?? "" }];
    this.at += word.length;
    this.current = this.createPlainCommand();
    return this.open.length <= DEEPEST;
  }

  private close(word: string): boolean {
    if (!this.open.at(-1)?.next.split(" ").includes(word)) return false;
    if (!this.end(word !== ")" || this.isClosed)) return false;
    this.open = this.open.slice(0, -1);
    this.at += word.length;
    this.isClosed = true;
    return true;
  }

  private readLoop(rest: string): boolean {
    const [head, name] = LOOP.exec(rest) ?? [];
    if (head === undefined || name === undefined || this.open.some(({ loop }) => loop?.name === name)) return false;
    const items: Word[] = [];
    let at = skipBlank(this.line, this.at + head.length);
    while (!/^(?:[;\n]|$)/.test(this.line.slice(at, at + 1))) {
      const scanned = scanWord(this.line, at);
      if (!scanned || scanned.end === at || scanned.isStrange || scanned.word.isBraced) return false;
      items.push(scanned.word);
      at = skipBlank(this.line, scanned.end);
    }
    for (const item of items) this.commands.push({ words: [], assignments: [item], redirects: [] });
    this.open = [...this.open, { next: "do", loop: { name, items } }];
    this.at = at + (/^[;\n][ \t\n]*/.exec(this.line.slice(at))?.[0].length ?? 0);
    return items.length > 0;
  }
}

const DEEPEST = 8;
