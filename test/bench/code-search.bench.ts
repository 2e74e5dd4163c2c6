// How often search_code finds the file that answers a question about this repository, against ripgrep as an agent would
// use it, and what its index costs. `npm run bench code-search`
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EMBEDDING_TABLE, WORKERS } from "../../src/headless/workers.ts";
import { NodeFolderWatch } from "../../src/node/watch/folder-watch.ts";
import { CodeIndexes } from "../../src/runtime/code-search/code-indexes.ts";
import { codeQuestions, QUESTIONS_FOLDER, type Ranking, ranksOf, ripgrepRanking } from "../support/code-questions.ts";
import { longestGap, percentile } from "./memory/clock.ts";
import { check, checkGap, exitWithChecks, table, tellMachine } from "./memory/report.ts";
import { writeLargeFolder } from "./workspace/large-folder.ts";

const root = await realpath(join(import.meta.dirname, "../.."));
const folder = await realpath(await mkdtemp(join(tmpdir(), "code-search-bench-")));
const watch = new NodeFolderWatch(WORKERS.watch);
const TABLE = fileURLToPath(EMBEDDING_TABLE);
const { signal } = new AbortController();
const questions = codeQuestions();
const settings = { excludes: { files: {}, search: { [QUESTIONS_FOLDER]: true } } };

function indexesIn(name: string, table?: string): CodeIndexes {
  return new CodeIndexes({ worker: WORKERS.code, folder: join(folder, name), watch, table });
}

async function filesOf(indexes: CodeIndexes, query: string): Promise<readonly string[]> {
  const asked = { query, count: 10, below: "", settings, unsaved: [] };
  return (await indexes.search(root, asked, () => undefined, signal)).found.map(({ path }) => path);
}

async function timed<T>(act: () => Promise<T>): Promise<readonly [ms: number, result: T]> {
  const start = performance.now();
  const result = await act();
  return [performance.now() - start, result];
}

const residentMb = (): number => process.memoryUsage.rss() / 1024 / 1024;

try {
  tellMachine();
  await measure();
  await measureLargeWorkspace();
} finally {
  await watch.close();
  await rm(folder, { recursive: true, force: true });
}
exitWithChecks();

async function measure(): Promise<void> {
  const words = indexesIn("words");
  await filesOf(words, "warm");
  const wordRanks = await ranksOf(questions, (query) => filesOf(words, query));
  await words.close();

  globalThis.gc?.();
  const before = residentMb();
  const both = indexesIn("both", TABLE);
  let first = 0;
  const gap = await longestGap(async () => {
    [first] = await timed(() => filesOf(both, "where is the budget of a run"));
  });
  const times: number[] = [];
  const ranks = await ranksOf(questions, async (query) => {
    const [ms, found] = await timed(() => filesOf(both, query));
    times.push(ms);
    return found;
  });
  for (let round = 0; round < 6; round++)
    for (const { query } of questions) times.push((await timed(() => filesOf(both, query)))[0]);
  const memory = residentMb() - before;
  const edited = await editTimes(both);
  await both.close();
  const [file] = await readdir(join(folder, "both"));
  const bytes = (await stat(join(folder, "both", file ?? ""))).size;
  const again = indexesIn("both", TABLE);
  const [reopened] = await timed(() => filesOf(again, "where is the budget of a run"));
  await again.close();

  const ripgrep = await Promise.all(
    (
      [
        "substrings, then matches",
        "substrings, then short paths",
        "words, then matches",
        "words, then short paths",
      ] as const
    ).map(async (way) => [way, await ranksOf(questions, (query) => ripgrepRanking(root, query, way))] as const),
  );
  const row = (name: string, found: readonly Ranking[], kind?: string) => {
    const some = found.filter((one) => kind === undefined || one.kind === kind);
    const share = (most: number) => some.filter(({ rank }) => rank <= most).length / some.length;
    return [name, share(10).toFixed(2), share(5).toFixed(2), share(1).toFixed(2)];
  };
  for (const kind of [undefined, "far", "close"])
    table(
      `${kind ?? "all"} questions`,
      ["found by", "recall@10", "@5", "@1"],
      [
        row("search_code", ranks, kind),
        row("search_code, words alone", wordRanks, kind),
        ...ripgrep.map(([way, found]) => row(`ripgrep: ${way}`, found, kind)),
      ],
    );
  table(
    "misses at 10",
    ["question"],
    ranks.filter(({ rank }) => rank > 10).map(({ query }) => [query]),
  );
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n").length;
  table(
    "costs",
    ["what", "figure"],
    [
      ["files under version control", String(files)],
      ["first query, with the index built, s", (first / 1000).toFixed(2)],
      ["first query of the next session, s", (reopened / 1000).toFixed(2)],
      ["index on the disk, MB", (bytes / 1024 / 1024).toFixed(1)],
      ["memory, MB", memory.toFixed(0)],
      ["query p50, ms", percentile(times, 0.5).toFixed(1)],
      ["query p99, ms", percentile(times, 0.99).toFixed(1)],
      ["query after an edit p50, ms", percentile(edited, 0.5).toFixed(1)],
    ],
  );
  const best = Math.max(...ripgrep.map(([, found]) => found.filter(({ rank }) => rank <= 10).length));
  check("recall@10 of the best ripgrep, less ours", (best - ranks.filter(({ rank }) => rank <= 10).length) / 30, 0);
  check("query p50, ms", percentile(times, 0.5), 50);
  checkGap("the first query", gap, 20);
}

/** A workspace of 200,000 small files, of which a part is indexed. */
async function measureLargeWorkspace(): Promise<void> {
  const large = join(folder, "large");
  writeLargeFolder(large);
  const indexes = indexesIn("large-index", TABLE);
  const asked = { query: "value of a number", count: 10, below: "", settings, unsaved: [] };
  const search = () => timed(() => indexes.search(large, asked, () => undefined, signal));
  let first = Number.NaN;
  const gap = await longestGap(async () => {
    [first] = await search();
  });
  const later: number[] = [];
  for (let round = 0; round < 10; round++) later.push((await search())[0]);
  const [, { figures, isPartial }] = await search();
  await indexes.close();
  table(
    "a workspace of 200,000 files",
    ["what", "figure"],
    [
      ["files indexed", `${figures.files}${isPartial ? ", and it says so" : ""}`],
      ["first query, s", (first / 1000).toFixed(1)],
      ["later queries p50, ms", percentile(later, 0.5).toFixed(1)],
    ],
  );
  checkGap("a large workspace", gap, 20);
}

/** Times of queries right after a file changed, each of which must find the change. */
async function editTimes(indexes: CodeIndexes): Promise<readonly number[]> {
  const times: number[] = [];
  const path = join(root, "src", "zz-bench-edited.ts");
  try {
    for (let round = 0; round < 10; round++) {
      const name = `quokka${round}wombat`;
      await writeFile(path, `/** Feeds the ${name}. */\nexport function feed() {}\n`);
      const [ms, found] = await timed(() => filesOf(indexes, name));
      if (!found.includes("src/zz-bench-edited.ts")) throw new Error(`An edit wasn't seen: ${name}`);
      times.push(ms);
    }
  } finally {
    await rm(path, { force: true });
  }
  return times;
}
