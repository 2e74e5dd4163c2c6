import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import { createRipgrepFinder, listPackageRipgrepPaths } from "../../src/node/search/find-ripgrep.ts";

/** The folder of the frozen questions, which no search may look into. */
export const QUESTIONS_FOLDER = "test/fixtures/code-search";

const FILE = new URL("../fixtures/code-search/questions.tsv", import.meta.url);
const run = promisify(execFile);

/** A question about this repository; each of the files answers it. */
export interface CodeQuestion {
  readonly kind: string;
  readonly query: string;
  readonly files: readonly string[];
}

/** A question with the rank of the first file that answers it. */
export interface Ranking extends CodeQuestion {
  /** From 1; infinite if it wasn't found. */
  readonly rank: number;
}

export function codeQuestions(): readonly CodeQuestion[] {
  return fs
    .readFileSync(FILE, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [kind = "", query = "", files = ""] = line.split("\t");
      return { kind, query, files: files.split(",") };
    });
}

/** The ranks of the answers among the files that a search finds. */
export async function ranksOf(
  questions: readonly CodeQuestion[],
  search: (query: string) => Promise<readonly string[]>,
): Promise<readonly Ranking[]> {
  const ranks: Ranking[] = [];
  for (const question of questions) {
    const place = (await search(question.query)).findIndex((file) => question.files.includes(file));
    ranks.push({ ...question, rank: place === -1 ? Number.POSITIVE_INFINITY : place + 1 });
  }
  return ranks;
}

const STOP_WORDS = new Set(
  "a an and are as at be been before but by can did do does even for from get gets had has have how i if in into is it its just makes no not of on once or our out over so than that the their then there these they this through to two under up was we were what when where whether which while who whom whose why will with you your".split(
    " ",
  ),
);

/** How ripgrep's files are ranked: by the number of different words of the query in them, then as it says. */
export type RipgrepWay = `${"substrings" | "words"}, then ${"matches" | "short paths"}`;

/**
 * The first ten files for a query as an agent finds them with ripgrep: each word of the query that isn't a stop word is searched in
 * small and large letters; the files with most of the words come first.
 */
export async function ripgrepRanking(root: string, query: string, way: RipgrepWay): Promise<readonly string[]> {
  const program = await createRipgrepFinder(listPackageRipgrepPaths(import.meta.url))();
  if (program === undefined) throw new Error("The package @vscode/ripgrep isn't installed.");
  const words = new Set(
    query
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu)
      ?.filter((word) => !STOP_WORDS.has(word)),
  );
  const found = new Map<string, { words: number; matches: number }>();
  for (const word of words) {
    const whole = way.startsWith("words") ? ["--word-regexp"] : [];
    const glob = `--glob=!${QUESTIONS_FOLDER}/**`;
    const args = [
      "--hidden",
      "--glob=!.git",
      glob,
      "--count-matches",
      "--ignore-case",
      "--fixed-strings",
      ...whole,
      "--",
      word,
      ".",
    ];
    const { stdout } = await run(program, args, { cwd: root, maxBuffer: 1e8 }).catch(() => ({ stdout: "" }));
    for (const line of stdout.split("\n")) {
      const [, path, count] = /^\.\/(.*):(\d+)$/.exec(line) ?? [];
      if (path === undefined) continue;
      const known = found.get(path) ?? { words: 0, matches: 0 };
      found.set(path, { words: known.words + 1, matches: known.matches + Number(count) });
    }
  }
  const byMatches = way.endsWith("matches");
  return [...found]
    .sort(([path, one], [otherPath, other]) => {
      if (one.words !== other.words) return other.words - one.words;
      return byMatches ? other.matches - one.matches : path.length - otherPath.length;
    })
    .slice(0, 10)
    .map(([path]) => path);
}
