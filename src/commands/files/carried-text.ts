import { diffArrays } from "diff";

/** A line with its end, "" for none. */
export interface EndedLine {
  readonly text: string;
  readonly end: string;
}

/** With more differences, lines are replaced as a whole, which bounds the time. */
const MOST_DIFFERENCES = 2000;

/** The lines of a text; the last one has no end, and is empty after a final line end. */
function splitEndedLines(text: string): readonly EndedLine[] {
  const parts = text.split(/(\r\n|\r|\n)/);
  return parts.flatMap((part, at) => (at % 2 === 0 ? { text: part, end: parts[at + 1] ?? "" } : []));
}

/** A text of the file, the same text as the call wrote it, and the wanted text. */
interface Replacement {
  readonly found: string;
  readonly search: string;
  readonly wanted: string;
  /** Adapts the wanted lines to the file's indentation. */
  adaptIndent(wanted: string): string;
  /** The file's usual line end. */
  readonly eol: string;
}

/** Keeps the file's own white space and line ends in the wanted text wherever `search` and `wanted` are the same. */
export function carryOverWhiteSpace({ found, search, wanted, adaptIndent, eol }: Replacement): string {
  const lacksEnd = /[\r\n]$/.test(search) && !/[\r\n]$/.test(found);
  const [old, fresh] = [search, wanted].map((text) => (lacksEnd ? text.replace(/(?:\r\n|\r|\n)$/, "") : text));
  const lines = splitEndedLines(found);
  const listLineTexts = (text = ""): readonly string[] => splitEndedLines(text).map((line) => line.text);
  const end = /\r\n?/.exec(wanted)?.[0] ?? (lines[0]?.end || eol);
  const carried = carryOverLineWhiteSpace(
    lines,
    listLineTexts(old),
    listLineTexts(fresh),
    listLineTexts(adaptIndent(listLineTexts(fresh).join("\n"))),
  );
  return carried.map((line, at) => line.text + (at === carried.length - 1 ? "" : line.end || end)).join("");
}

/** Does the same for lines that correspond by position: `found` and `old`, `fresh` and `fitted`. */
export function carryOverLineWhiteSpace(
  found: readonly EndedLine[],
  old: readonly string[],
  fresh: readonly string[],
  fitted: readonly string[],
): readonly EndedLine[] {
  const result: EndedLine[] = [];
  let [at, to] = [0, 0];
  /** The file's own text of a line that is moved or repeated. */
  const findMovedLine = (line = ""): string | undefined => {
    const origin = old.indexOf(line);
    return line.trim() === "" || origin !== old.lastIndexOf(line) ? undefined : found[origin]?.text;
  };
  const blend = (removed: number, added: number): void => {
    const [from, until] = [at + removed, to + added];
    const lines = blendLines(
      found.slice(at, from),
      old.slice(at, from),
      fresh.slice(to, until),
      fitted.slice(to, until),
    );
    result.push(...lines.map(({ text, end }, index) => ({ text: findMovedLine(fresh[to + index]) ?? text, end })));
    [at, to] = [from, until];
  };
  const parts = diffArrays([...old], [...fresh], { maxEditLength: MOST_DIFFERENCES });
  if (!parts) blend(old.length, fresh.length);
  for (const [index, { added, removed, count }] of (parts ?? []).entries()) {
    const next = parts?.[index + 1];
    if (removed) blend(count, next?.added ? next.count : 0);
    else if (added && !parts?.[index - 1]?.removed) blend(0, count);
    else if (!added) {
      result.push(...found.slice(at, at + count));
      [at, to] = [at + count, to + count];
    }
  }
  return result;
}

/** Replaces lines, and keeps their white space and line ends wherever the old and new lines are the same. */
function blendLines(
  found: readonly EndedLine[],
  old: readonly string[],
  fresh: readonly string[],
  fitted: readonly string[],
): readonly EndedLine[] {
  const isExact = found.every(({ text }, index) => text === old[index]);
  const origins = isExact ? undefined : findTokenOrigins(old.map(splitIntoTokens), fresh.map(splitIntoTokens));
  if (!origins) return fitted.map((text, index) => ({ text, end: found[index]?.end ?? "" }));
  const own = found.flatMap(({ text, end }) => [...splitIntoTokens(text).slice(0, -1).map(stripTokenMark), end]);
  return fitted.map((text, index) => {
    const wanted = [...splitIntoTokens(text).slice(0, -1).map(stripTokenMark), ""];
    const pieces = wanted.map((token, at) => own[origins[index]?.[at] ?? -1] ?? token);
    return { text: pieces.slice(0, -1).join(""), end: pieces.at(-1) ?? "" };
  });
}

/** For each token of each new line, finds the index of the matching old token; undefined if the search would take too long. */
function findTokenOrigins(
  old: readonly (readonly string[])[],
  fresh: readonly (readonly string[])[],
): readonly (readonly (number | undefined)[])[] | undefined {
  const [before, after] = [old.flat(), fresh.flat()];
  const origins: (number | undefined)[] = [];
  const isAlike = before.length === after.length && before.every((token, at) => token[0] === after[at]?.[0]);
  if (isAlike) origins.push(...after.map((token, at) => (token === before[at] ? at : undefined)));
  else {
    const differences = diffArrays(before, after, { maxEditLength: MOST_DIFFERENCES });
    if (!differences) return undefined;
    let at = 0;
    for (const { added, removed, count } of differences) {
      if (!removed) for (let left = 0; left < count; left++) origins.push(added ? undefined : at + left);
      if (!added) at += count;
    }
  }
  let to = 0;
  return fresh.map((tokens) => {
    const own = origins.slice(to, to + tokens.length);
    to += tokens.length;
    // White space says nothing where no word of the line is left.
    const isKnown = isAlike || tokens.some((token, at) => token[0] === "=" && own[at] !== undefined);
    return isKnown ? own : own.map((origin, at) => (tokens[at] === LINE_END ? origin : undefined));
  });
}

const LINE_END = "\n";

/** Splits a line into words and white space. Leading marks distinguish indentation, inner white space and white space at the end. */
function splitIntoTokens(line: string): readonly string[] {
  if (line.trim() === "") return [`^${line}`, LINE_END];
  const words = line.trim().split(/(\s+)/);
  const [indent = "", trail = ""] = [/^\s*/.exec(line)?.[0], /\s*$/.exec(line)?.[0]];
  return [`>${indent}`, ...words.map((word, at) => `${at % 2 === 0 ? "=" : "_"}${word}`), `<${trail}`, LINE_END];
}

function stripTokenMark(token: string): string {
  return token.slice(1);
}
