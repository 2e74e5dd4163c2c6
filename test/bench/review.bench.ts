import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../src/disk/sha256.ts";
import { readBaseContents } from "../../src/isolation/copy/base-content.ts";
import { listCopyChanges } from "../../src/isolation/copy/copy-changes.ts";
import { createCopy } from "../../src/isolation/copy/create-copy.ts";
import { acceptChanges } from "../../src/isolation/review/accept.ts";
import { reviewCopy } from "../../src/isolation/review/review.ts";
import { createFileReplacer } from "../../src/node/files/atomic-write.ts";
import { makeRepository, writeFiles } from "../support/repositories.ts";
import { median } from "./memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

// What the review of an isolated run with 200 changed files costs, a quarter of which the user changed as well, in a repository of 3,000
// files, in milliseconds, and what the review of many and of large files takes of memory. `npm run bench -- review.bench`.

const FILES = 3_000;
const CHANGED = 200;
const ROUNDS = 5;
const MOST_MS = 1_000;

const MANY = 1_000;
const MANY_BYTES = 200_000;
const LARGE = 3;
const LARGE_BYTES = 80_000_000;
const MOST_MB = 250;
const MEGABYTE = 1024 ** 2;

const folder = await realpath(await mkdtemp(join(tmpdir(), "autogpt-review-")));
const { signal } = new AbortController();

function files(count: number, change: (line: string, index: number) => string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, file) => [
      `src/part${file % 40}/file${file}.ts`,
      Array.from(
        { length: 200 },
        (_line, index) => `${change(`const value${file}_${index} = ${index};`, index)}\n`,
      ).join(""),
    ]),
  );
}

/** Writes the many files and the large ones; `word` makes their contents differ. */
async function writeMuch(at: string, word: string): Promise<void> {
  const line = `${word} ${"x".repeat(90)}\n`;
  for (let number = 0; number < MANY + LARGE; number++) {
    const bytes = number < MANY ? MANY_BYTES : LARGE_BYTES;
    const text = Buffer.from(`${number}\n${line.repeat(Math.ceil(bytes / line.length))}`);
    await writeFile(join(at, `file${number}.txt`), text);
  }
}

/** The megabytes by which this process has grown at most. */
async function grown(act: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const start = process.memoryUsage.rss();
  let most = start;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await act().finally(() => clearInterval(timer));
  return (Math.max(most, process.memoryUsage.rss()) - start) / MEGABYTE;
}

/** Changes, review and acceptance of much that was changed. */
async function measureMemory(): Promise<void> {
  const work = join(folder, "much");
  await mkdir(work);
  await mkdir(join(folder, "copies"));
  await writeMuch(work, "before");
  const copy = await createCopy({
    ...{ run: "much", home: join(folder, "copies/much"), lend: [], quotaBytes: 2 ** 40, signal },
    folders: [{ name: "much", path: work }],
    reportProgress: () => undefined,
  });
  await writeMuch(copy.folders[0]?.path ?? "", "after");
  const runHome = join(folder, "run-of-much");
  const held: { review?: Awaited<ReturnType<typeof reviewCopy>>; accepted: number } = { accepted: 0 };
  const reviewMb = await grown(async () => {
    const changes = await listCopyChanges(copy, signal);
    held.review = await reviewCopy({
      copy,
      changes,
      runHome,
      seal: sha256,
      signal,
      readBaseContents: readBaseContents,
    });
  });
  const { review } = held;
  const acceptMb = await grown(async () => {
    if (!review) return;
    const choices = new Map(review.changes.map(({ label }) => [label, "result" as const]));
    const parts = { files: createFileReplacer(), record: async () => undefined };
    held.accepted = (await acceptChanges(review, choices, parts)).files.length;
  });
  const size = `${MANY} files of ${MANY_BYTES / 1000} kB and ${LARGE} of ${LARGE_BYTES / 1e6} MB`;
  console.log(`\n${size}:`);
  check("memory of changes and review, MB", reviewMb, MOST_MB);
  check("memory of the acceptance, MB", acceptMb, MOST_MB);
  check("files that aren't accepted", MANY + LARGE - held.accepted, 0);
  for (const one of [work, copy.home, runHome]) await rm(one, { recursive: true, force: true });
}

try {
  await measureMemory();
  const work = join(folder, "work");
  makeRepository(
    work,
    files(FILES, (line) => line),
  );
  const copy = await createCopy({
    ...{ run: "run", home: join(folder, "copies/run"), lend: [], quotaBytes: 2 ** 30, signal },
    folders: [{ name: "work", path: work }],
    reportProgress: () => undefined,
  });
  writeFiles(
    copy.folders[0]?.path ?? "",
    files(CHANGED, (line, index) => (index === 20 ? `${line} // run` : line)),
  );
  writeFiles(
    work,
    files(CHANGED / 4, (line, index) => (index === 150 ? `${line} // user` : line)),
  );
  const runHome = join(folder, "run");
  const times: Record<"changes" | "review" | "together", number[]> = {
    changes: [],
    review: [],
    together: [],
  };
  const timed = async () => {
    const start = performance.now();
    const changes = await listCopyChanges(copy, signal);
    const found = performance.now();
    const review = await reviewCopy({
      copy,
      changes,
      runHome,
      seal: sha256,
      signal,
      readBaseContents: readBaseContents,
    });
    const end = performance.now();
    times.changes.push(found - start);
    times.review.push(end - found);
    times.together.push(end - start);
    return review;
  };
  for (let round = 1; round < ROUNDS; round++) await timed();
  const review = await timed();
  const start = performance.now();
  const choices = new Map(review.changes.map(({ label }) => [label, "result" as const]));
  const accepted = await acceptChanges(review, choices, {
    files: createFileReplacer(),
    record: async () => undefined,
  });
  const acceptMs = performance.now() - start;
  const results = review.changes.map(({ result }) => result);
  const count = (result: string): number => results.filter((one) => one === result).length;
  tellMachine();
  table(
    `${CHANGED} changed files: ${count("taken")} taken, ${count("merged")} merged, ${accepted.files.length} accepted`,
    ["", "median ms"],
    [...Object.entries(times).map(([name, all]) => [name, median(all).toFixed(0)]), ["accept", acceptMs.toFixed(0)]],
  );
  check("files left out", CHANGED - accepted.files.length, 0);
  check("changes and review, ms", median(times.together), MOST_MS);
} finally {
  await rm(folder, { recursive: true, force: true });
}
exitWithChecks();
