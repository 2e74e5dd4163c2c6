import { unifyForms } from "../../core/base/text.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import {
  createPatternTest,
  matchAny,
  matchLiteral,
  matchMany,
  matchOne,
  matchSequence,
  type PatternPart,
} from "./pattern-parts.ts";

const LONGEST_GLOB = 500;
/** In all ranges of a glob. */
const MOST_NUMBERS = 200;

/**
 * Creates a test of paths (with `/`) against a glob, in any Unicode form. A glob without `/` matches file names in any folder. Throws a
 * `WorkspaceError` for a glob that is too large.
 */
export function createGlobTest(glob: string): (path: string) => boolean {
  const matches = createPathGlobTest(unifyForms(glob).replace(/^\//, ""));
  const whole = glob.includes("/");
  return (path) => matches(unifyForms(whole ? path : path.slice(path.lastIndexOf("/") + 1)));
}

/**
 * Like `createGlobTest`, but for whole paths. `*`, `?`, `**`, `[a-z]`, `[!a]`, `{a,b}`, `{1..9}`, `a|b` and `(a|b)` are special unless
 * escaped with `\`; `!` in front excludes. Time is bounded by the lengths of glob and path, because both can come from anyone.
 */
export function createPathGlobTest(glob: string): (path: string) => boolean {
  const problem = checkGlobSize(glob);
  if (problem !== undefined)
    throw new WorkspaceError(
      `The glob "${glob.slice(0, LONGEST_GLOB)}" ${problem}. Use a simpler one, like "*.ts" or "src/**/*.test.ts".`,
    );
  const [, marks = "", plain = ""] = /^(!*)(?:\.\/)?(.*)$/s.exec(glob) ?? [];
  const matches = createPatternTest(new GlobReader(plain.replace(REPEATED_FOLDERS, "")).read());
  return marks.length % 2 === 0 ? matches : (path) => !matches(path);
}

/** Why a glob is too large, as a clause. */
export function checkGlobSize(glob: string): string | undefined {
  if (glob.length > LONGEST_GLOB) return `is longer than ${LONGEST_GLOB} characters`;
  const count = parseNumberRanges(glob).reduce((sum, { first, last }) => sum + Math.abs(last - first) + 1, 0);
  return count > MOST_NUMBERS ? `has ranges of more than ${MOST_NUMBERS} numbers` : undefined;
}

interface NumberRange {
  readonly first: number;
  readonly last: number;
  readonly digits: number;
}

function parseNumberRanges(glob: string): readonly NumberRange[] {
  return [...glob.matchAll(/\{(\d+)\.\.(\d+)\}/g)].map(([, first = "", last = ""]) => ({
    first: Number(first),
    last: Number(last),
    digits: /^0\d/.test(first) ? first.length : 1,
  }));
}

function expandNumberRange({ first, last, digits }: NumberRange): readonly string[] {
  const least = Math.min(first, last);
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => String(least + index).padStart(digits, "0"));
}

/** Repetitions of `**` with a slash. */
const REPEATED_FOLDERS = /(?<=^|\/)(?:\*\*\/)+(?=\*\*(?:\/|$))/g;

/** A piece of a glob. Without `part`, it's a special character. */
interface Piece {
  readonly text: string;
  readonly part?: PatternPart;
}

const PIECE = /\\(?<escaped>.)|\[(?<not>[!^]?)(?<set>\]?(?:\\.|[^\]\\])*)\]|(?<special>[*?/{},()|])|./gsu;

function splitGlob(glob: string): readonly Piece[] {
  return [...glob.matchAll(PIECE)].map(({ 0: text, groups: { escaped, not, set, special } = {} }) => {
    if (special !== undefined) return { text };
    if (set !== undefined) return { text, part: matchOne(createCharacterTest(set, not !== "")) };
    return { text, part: matchLiteral(escaped ?? text) };
  });
}

/** Creates a test of characters against the content of brackets, like `a-z_`. No set contains `/`. */
function createCharacterTest(content: string, isInverse: boolean): (character: string) => boolean {
  const ranges = [...content.matchAll(/\\?(.)(?:-\\?(.))?/gsu)].map(([, from = "", to = from]) => [
    from.codePointAt(0) ?? 0,
    to.codePointAt(0) ?? 0,
  ]);
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    return character !== "/" && ranges.some(([from = 0, to = 0]) => code >= from && code <= to) !== isInverse;
  };
}

/** Alternatives in braces or parentheses: the positions of the opening character, the separators and the closing character. */
interface Group {
  readonly open: number;
  readonly opener: string;
  readonly cuts: number[];
  readonly close: number;
}

const CLOSERS: Readonly<Record<string, string>> = { "}": "{", ")": "(" };

const isAnyCharacter = (): boolean => true;
const isNameCharacter = (character: string): boolean => character !== "/";
const matchOptional = (part: PatternPart): PatternPart => matchAny([part, matchSequence([])]);

/** Reads a glob. Unmatched characters, like `{` without `}`, are literal. */
class GlobReader {
  private readonly pieces: readonly Piece[];
  private readonly groups = new Map<number, Group>();

  constructor(glob: string) {
    this.pieces = splitGlob(glob);
  }

  read(): PatternPart {
    const whole: Group = { open: -1, opener: "", cuts: [], close: this.pieces.length };
    const open = [whole];
    for (let at = 0; at < this.pieces.length; at++) {
      const character = this.getSpecialCharacter(at);
      const inner = open.at(-1) ?? whole;
      if (character === "{" || character === "(") open.push({ open: at, opener: character, cuts: [], close: at });
      else if (character === (inner.opener === "{" ? "," : "|")) inner.cuts.push(at);
      const first = open.findLastIndex(({ opener }) => opener !== "" && opener === CLOSERS[character]);
      for (const group of first === -1 ? [] : open.splice(first).slice(0, 1))
        this.groups.set(group.open, { ...group, close: at });
    }
    return this.readAlternatives(whole);
  }

  /** The special character at a position, or "". */
  private getSpecialCharacter(at: number): string {
    const piece = this.pieces[at];
    return piece && !piece.part ? piece.text : "";
  }

  private readAlternatives({ open, cuts, close }: Group): PatternPart {
    const ends = [...cuts, close];
    return matchAny(ends.map((end, index) => this.readParts((ends[index - 1] ?? open) + 1, end)));
  }

  private readParts(from: number, to: number): PatternPart {
    const parts: PatternPart[] = [];
    for (let at = from; at < to; ) {
      const [part, length] = this.readPart(at);
      parts.push(part);
      at += length;
    }
    return matchSequence(parts);
  }

  /** The part at a position, and the number of its pieces. */
  private readPart(at: number): readonly [PatternPart, number] {
    const { text = "", part } = this.pieces[at] ?? {};
    if (part) return [part, 1];
    const group = this.groups.get(at);
    if (group) return [this.group(group), group.close + 1 - at];
    if (text === "?") return [matchOne(isNameCharacter), 1];
    if (text === "*") return this.readStars(at);
    if (text === "/" && this.isRestOfPath(at))
      return [matchOptional(matchSequence([matchLiteral("/"), matchMany(isAnyCharacter)])), 3];
    return [matchLiteral(text), 1];
  }

  /** Two stars as a whole name match any number of folders, including none. */
  private readStars(at: number): readonly [PatternPart, number] {
    const count = this.countStars(at);
    if (!this.isFolders(at)) return [matchMany(isNameCharacter), count];
    if (this.getSpecialCharacter(at + count) !== "/") return [matchMany(isAnyCharacter), count];
    return [matchOptional(matchSequence([matchMany(isAnyCharacter), matchLiteral("/")])), count + 1];
  }

  /** True for a final `/**`, which also matches the folder itself; after a star, only its content. */
  private isRestOfPath(at: number): boolean {
    return (
      this.isFolders(at + 1) && this.getSpecialCharacter(at + 3) !== "/" && this.getSpecialCharacter(at - 1) !== "*"
    );
  }

  private countStars(at: number): number {
    let count = 0;
    while (this.getSpecialCharacter(at + count) === "*") count++;
    return count;
  }

  private isFolders(at: number): boolean {
    const count = this.countStars(at);
    const isFirst = at === 0 || /^[/{,(|]$/.test(this.getSpecialCharacter(at - 1));
    const next = at + count;
    return count === 2 && isFirst && (next === this.pieces.length || /^[/},)|]$/.test(this.getSpecialCharacter(next)));
  }

  private group(group: Group): PatternPart {
    if (group.cuts.length > 0) return this.readAlternatives(group);
    const texts = this.pieces.slice(group.open, group.close + 1).map(({ text }) => text);
    const [, letter, lastLetter] = /^\{([a-z])\.\.([a-z])\}$/i.exec(texts.join("")) ?? [];
    if (letter !== undefined) return matchOne(createCharacterTest(`${letter}-${lastLetter}`, false));
    const [range] = parseNumberRanges(texts.join(""));
    if (range) return matchAny(expandNumberRange(range).map(matchLiteral));
    return matchSequence([
      matchLiteral(group.opener),
      this.readParts(group.open + 1, group.close),
      matchLiteral(texts.at(-1) ?? ""),
    ]);
  }
}
