import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isLiteral, UNKNOWN, type Word } from "../shell/reading.ts";

/**
 * Flags that a command may have, as words: `-a` takes no value, `-n:` takes one, `-U?` may have one attached, `--long`, `--long=` and
 * `--long?` likewise, `-NUM` is a number after a dash. `*` at the end says that no flag of the command does harm, so that a file
 * name which looks like a flag is harmless too.
 */
export type FlagSpec = string;

/** Parsed arguments of a command. */
export interface Arguments {
  readonly operands: readonly Word[];
  /** Values by flag, all of them for a repeated flag; an empty list for a flag without a value. */
  readonly flags: ReadonlyMap<string, readonly Word[]>;
}

/**
 * Sorts arguments into flags and operands; returns a sentence for an unlisted flag. `expands`: operands may be patterns that begin with a
 * wildcard, because the files that they match are checked for names that look like flags.
 */
export function parseArguments(spec: FlagSpec, words: readonly Word[], expands = false): Arguments | DisplayText {
  const reader = new ArgumentReader(compileFlags(spec), expands);
  for (const word of words) {
    const problem = reader.take(word);
    if (problem !== undefined) return problem;
  }
  return reader.finish();
}

interface Flags {
  readonly known: ReadonlyMap<string, "none" | "needed" | "attached">;
  readonly takesNumber: boolean;
  readonly isLenient: boolean;
}

const cache = new Map<FlagSpec, Flags>();

function compileFlags(spec: FlagSpec): Flags {
  const cached = cache.get(spec);
  if (cached) return cached;
  const words = spec.split(/\s+/).filter((word) => word !== "");
  const known = words.map((word) => [word.replace(/[:=?]$/, ""), getFlagKind(word)] as const);
  const flags = {
    known: new Map(known),
    takesNumber: words.includes("-NUM"),
    isLenient: words.includes("*"),
  };
  cache.set(spec, flags);
  return flags;
}

function getFlagKind(word: string): "none" | "needed" | "attached" {
  if (word.endsWith("?")) return "attached";
  return /[:=]$/.test(word) ? "needed" : "none";
}

class ArgumentReader {
  private readonly spec: Flags;
  private readonly expands: boolean;
  private readonly operands: Word[] = [];
  private readonly flags = new Map<string, readonly Word[]>();
  private onlyOperands = false;
  private waiting: string | undefined;

  constructor(spec: Flags, expands: boolean) {
    this.spec = spec;
    this.expands = expands;
  }

  take(word: Word): DisplayText | undefined {
    const { text } = word;
    if (this.waiting !== undefined) {
      if (!isSingle(word)) return displayText("safety.line.runtimeFlagValue");
      this.set(this.waiting, word);
      this.waiting = undefined;
      return undefined;
    }
    if (this.onlyOperands || !text.startsWith("-") || text === "-") return this.readOperand(word);
    if (text === "--") {
      this.onlyOperands = true;
      return undefined;
    }
    if (!isLiteral(word) && !this.spec.isLenient && !hasLiteralName(word))
      return displayText("safety.line.runtimeFlag");
    return text.startsWith("--") ? this.readLongFlag(word) : this.readShortFlags(word);
  }

  finish(): Arguments | DisplayText {
    if (this.waiting !== undefined) return displayText("safety.line.flagWithoutValue", { flag: this.waiting });
    return { operands: this.operands, flags: this.flags };
  }

  private set(name: string, ...values: readonly Word[]): void {
    this.flags.set(name, [...(this.flags.get(name) ?? []), ...values]);
  }

  private readOperand(word: Word): DisplayText | undefined {
    const mayBeFlag = /^[*?[\0]/.test(word.text) && !isLiteral(word);
    const isChecked = this.expands && word.isPattern && !word.isBraced && !word.text.includes(UNKNOWN);
    if (mayBeFlag && !this.onlyOperands && !this.spec.isLenient && !isChecked)
      return displayText("safety.line.expandsToFlag");
    this.operands.push(word);
    return undefined;
  }

  private readLongFlag(word: Word): DisplayText | undefined {
    const [name = "", ...rest] = word.text.split("=");
    const kind = this.spec.known.get(name);
    if (kind === undefined || (kind === "none" && rest.length > 0)) return describeUnknownFlag(name);
    if (rest.length > 0) this.set(name, { ...word, text: rest.join("=") });
    else if (kind === "needed") this.waiting = name;
    else this.set(name);
    return undefined;
  }

  private readShortFlags(word: Word): DisplayText | undefined {
    if (this.spec.takesNumber && /^-\d+$/.test(word.text)) return undefined;
    for (let at = 1; at < word.text.length; at++) {
      const name = `-${word.text[at]}`;
      const kind = this.spec.known.get(name);
      if (kind === undefined) return describeUnknownFlag(name);
      const rest = word.text.slice(at + 1);
      if (kind === "none") this.set(name);
      else if (rest !== "" || kind === "attached") {
        this.set(name, { ...word, text: rest });
        return undefined;
      } else this.waiting = name;
    }
    return undefined;
  }
}

/** True for `--include=*.ts`: every expansion starts with the same flag. */
function hasLiteralName(word: Word): boolean {
  return !word.isBraced && /^--[\w-]+=[^\0]*$/.test(word.text);
}

/** True if the shell expands the word to exactly one word. */
function isSingle(word: Word): boolean {
  return !word.isPattern && !word.isBraced && !word.text.includes(UNKNOWN);
}

function describeUnknownFlag(name: string): DisplayText {
  return displayText("safety.line.unknownFlag", { name });
}
