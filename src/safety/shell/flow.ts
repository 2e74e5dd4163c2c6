import { PlainCommand, type Standing, skipBlank } from "./plain-command.ts";
import type { Loop, SimpleCommand, Word } from "./reading.ts";
import { scanWord } from "./word.ts";

/** The commands of a line in its order, and whether it is nothing but simple commands. */
export interface Flow {
  readonly commands: readonly SimpleCommand[];
  readonly isPlain: boolean;
}

/**
 * Reads a line of simple commands, joined by `;`, `&&`, `||`, `|` and line ends, through `for`, `if`, `( )` and `{ }`. This second reader
 * shares no grammar with the first: only where both agree is a line taken for what it seems to be. Undefined for anything else.
 */
export function scanFlow(line: string): Flow | undefined {
  const scan = new FlowScan(line);
  return scan.run() ? { commands: scan.commands, isPlain: scan.isPlain } : undefined;
}

/** What is open: what may come next in it, and what a loop gives its variable. */
interface Frame {
  readonly next: string;
  readonly loop?: Loop;
}

const OPERATOR = /^(?:&&|\|\||;(?!;)|\n|\|(?!&))/;
const WORD = /^(?:if|then|elif|else|fi|for|do|done|\{|\})(?=[\s;]|$)|^\((?!\()/;
/** What comes after a word within what is open. */
const NEXT: ReadonlyMap<string, string> = new Map([
  ["if", "then"],
  ["elif", "then"],
  ["then", "elif else fi"],
  ["else", "fi"],
  ["do", "done"],
  ["{", "}"],
  ["(", ")"],
]);
/** Variables that mean nothing to shells or to programs. Within a loop its own variable is not given away again. */
const LOOP = /^for[ \t]+(?!path\b|argv\b|status\b|prompt\b|watch\b)([a-z]{1,8})[ \t]+in(?=[ \t])/;

class FlowScan {
  readonly commands: SimpleCommand[] = [];
  isPlain = true;
  private readonly line: string;
  private at = 0;
  private open: readonly Frame[] = [];
  private current: PlainCommand;
  /** Something larger has just ended, so only an operator may follow. */
  private isClosed = false;

  constructor(line: string) {
    this.line = line;
    this.current = this.fresh();
  }

  /** False when the line cannot be read to its end. */
  run(): boolean {
    while (this.at < this.line.length) {
      const skipped = skipBlank(this.line, this.at);
      if (skipped !== this.at) this.at = skipped;
      else if (!this.one()) return false;
    }
    return this.open.length === 0 && this.end(true) && !/(&&|\|\|?)\s*$/.test(this.line);
  }

  private one(): boolean {
    const rest = this.line.slice(this.at, this.at + 40);
    const operator = OPERATOR.exec(rest)?.[0];
    if (operator !== undefined) return this.operator(operator);
    if (rest.startsWith("#")) return this.comment();
    if (rest.startsWith(")")) return this.close(")");
    if (this.isClosed) return false;
    const word = this.current.isEmpty ? WORD.exec(rest)?.[0] : undefined;
    if (word !== undefined) return this.word(word, rest);
    const end = this.current.take(this.line, this.at);
    this.at = end ?? this.at;
    return end !== undefined;
  }

  private fresh(joint?: string, afterGroup = false): PlainCommand {
    const within = this.open.flatMap(({ loop }) => loop ?? []);
    const standing: Standing = { afterGroup, within, ...(joint === undefined ? {} : { joint }) };
    return new PlainCommand(standing);
  }

  private operator(operator: string): boolean {
    const wasClosed = this.isClosed;
    this.at += operator.length;
    if (this.current.isEmpty && !wasClosed) return operator === "\n";
    if (!this.end(operator === "\n")) return false;
    const joint = operator === "\n" ? ";" : operator;
    this.current = this.fresh(wasClosed && joint === "&&" ? undefined : joint, wasClosed && joint === "|");
    return true;
  }

  /** Ends the command that is being read. */
  private end(mayBeEmpty: boolean): boolean {
    const done = this.isClosed ? undefined : this.current.finish(mayBeEmpty);
    if (done === "wrong") return false;
    if (done) this.commands.push(done);
    this.isClosed = false;
    return true;
  }

  private comment(): boolean {
    const end = this.line.indexOf("\n", this.at);
    this.at = end === -1 ? this.line.length : end;
    return true;
  }

  private word(word: string, rest: string): boolean {
    if (this.current.isPiped) return false;
    this.isPlain = false;
    if (word === "for") return this.loop(rest);
    const opens = word === "if" || word === "{" || word === "(";
    if (word === "fi" || word === "done" || word === "}") return this.close(word);
    const last = this.open.at(-1);
    if (!opens && !last?.next.split(" ").includes(word)) return false;
    const kept = opens ? this.open : this.open.slice(0, -1);
    this.open = [...kept, { ...(opens ? {} : last), next: NEXT.get(word) ?? "" }];
    this.at += word.length;
    this.current = this.fresh();
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

  private loop(rest: string): boolean {
    const [head, name] = LOOP.exec(rest) ?? [];
    if (head === undefined || name === undefined || this.open.some(({ loop }) => loop?.name === name))
      return false;
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
