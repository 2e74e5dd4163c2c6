import { WorkspaceError } from "../../core/ports/workspace.ts";
import { createMatchAround, isRegex, type LineMatch, LONG_LINE } from "./line-matcher.ts";
import { RipgrepFailure, runRipgrep } from "./ripgrep.ts";
import type { MatchTexts } from "./search-results.ts";

/** A matching line in the concatenated texts; `starts` are the positions of its matches in bytes. */
interface InputMatch {
  readonly line: number;
  readonly starts: readonly number[];
}

/** Time limit for the lines of one batch of texts. */
const LINES_MS = 20_000;

/** Finds the lines that match ripgrep's regular expression. The texts are passed to ripgrep as one input. See `MatchTexts`. */
export async function findLinesByRipgrep(
  program: string,
  pattern: string,
  texts: readonly string[],
  most: number,
  signal: AbortSignal,
): ReturnType<MatchTexts> {
  const lines = texts.map((text) => text.split(/\r?\n/));
  const clock = AbortSignal.timeout(LINES_MS);
  const found = await findInputMatches(program, pattern, lines, most, AbortSignal.any([signal, clock])).catch(
    (error: unknown) => {
      if (clock.aborted && !signal.aborted) return undefined;
      throw error;
    },
  );
  if (!found) return undefined;
  const last = found.length < most || texts.length === 1 ? Number.POSITIVE_INFINITY : (found.at(-1)?.line ?? 0);
  let before = 0;
  return lines.map((own) => {
    const end = before + own.length;
    if (end >= last) return undefined;
    const inText = found.filter(({ line }) => line > before && line <= end);
    const matches = inText.flatMap(({ line, starts }) =>
      listLineMatches(own[line - before - 1] ?? "", line - before, starts),
    );
    before = end;
    return matches;
  });
}

async function findInputMatches(
  program: string,
  pattern: string,
  texts: readonly (readonly string[])[],
  most: number,
  signal: AbortSignal,
): Promise<readonly InputMatch[] | undefined> {
  const args = [
    "--json",
    "--text",
    "--encoding=none",
    "--engine=auto",
    `--max-count=${most}`,
    `--regexp=${pattern}`,
    "--",
    "-",
  ];
  const input = Buffer.from(`${texts.map((lines) => lines.join("\n")).join("\n")}\n`);
  const pieces: Buffer[] = [];
  const take = async (piece: Buffer) => {
    pieces.push(piece);
    return "go on" as const;
  };
  const complaints = await runRipgrep(program, { args, signal, input, take });
  if (hasPatternFailed(complaints, pattern)) return undefined;
  return Buffer.concat(pieces).toString("utf8").split("\n").flatMap(parseMatch);
}

function parseMatch(json: string): readonly InputMatch[] {
  if (!json.startsWith('{"type":"match"')) return [];
  const { data } = JSON.parse(json);
  const starts = [data.submatches ?? []].flat().map(({ start }) => Number(start));
  return [{ line: Number(data.line_number), starts: starts.length > 0 ? starts : [0] }];
}

/** The first match of a line; for a long line, all matches that aren't close together. */
function listLineMatches(text: string, line: number, starts: readonly number[]): readonly LineMatch[] {
  const [first = 0] = starts;
  const bytes = first === 0 && text.length <= LONG_LINE ? undefined : Buffer.from(text);
  const measureLength = (from: number, to: number): number => bytes?.toString("utf8", from, to).length ?? 0;
  if (text.length <= LONG_LINE) return [{ line, column: measureLength(0, first), text }];
  const found: LineMatch[] = [];
  let [at, column, next] = [0, 0, 0];
  for (const start of starts) {
    column += measureLength(at, start);
    at = start;
    if (column < next) continue;
    const { next: after, ...match } = createMatchAround(text, line, column);
    found.push(match);
    next = after;
  }
  return found;
}

/** Whether ripgrep gave up on the expression. Throws for an invalid one, and for any other complaint that isn't about a file. */
export function hasPatternFailed(complaints: readonly string[], pattern: string): boolean {
  const text = complaints.join("\n");
  const invalid = /^error: (.*)$/m.exec(text) ?? /^PCRE2: error compiling .*?: (.*)$/m.exec(text);
  if (invalid) throw new WorkspaceError(explainInvalidRegex(pattern, invalid[1] ?? ""));
  if (complaints.some((line) => /^rg: (?:.*unrecognized flag|.*invalid value for flag|unknown encoding)/.test(line)))
    throw new RipgrepFailure(complaints[0] ?? "");
  return complaints.some((line) => line.includes("PCRE2: error matching"));
}

function explainInvalidRegex(pattern: string, why: string): string {
  const quoted = JSON.stringify(pattern);
  const otherwise = 'or search for it as text by leaving "regex" out.';
  return isRegex(pattern)
    ? `${quoted} is not a regular expression of ripgrep, which searches here, but of JavaScript only: ${why}. Rewrite it in ripgrep's syntax, ${otherwise}`
    : `${quoted} is not a regular expression: ${why}. Correct it, ${otherwise}`;
}
