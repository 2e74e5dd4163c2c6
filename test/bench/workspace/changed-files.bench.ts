// How soon it's known what a command line has changed in 200,000 files. `npm run bench changed-files`; milliseconds.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FolderMoment } from "../../../src/core/ports/folder-watch.ts";
import { WORKERS } from "../../../src/headless/workers.ts";
import { NodeFolderWatch } from "../../../src/node/watch/folder-watch.ts";
import { longestGap, median, percentile, timesOf } from "../memory/clock.ts";
import { check, checkGap, exitWithChecks, table, tellMachine } from "../memory/report.ts";
import { writeLargeFolder } from "./large-folder.ts";

/** Lines that change little, a folder, many files, and what git has on the disk; each is followed by its reverse. */
const LINES: readonly (readonly [line: string, reverse: string])[] = [
  ["true", "true"],
  ["echo x >> d7/file7.ts", "git checkout --quiet -- d7/file7.ts"],
  ["echo x > d8/new.ts; rm d9/file1.ts", "rm d8/new.ts; git checkout --quiet -- d9"],
  ["mv d10 moved", "mv moved d10"],
  ["rm -rf d11", "git checkout --quiet -- d11"],
  ["for i in $(seq 0 399); do echo x >> d$i/file3.ts; done", "git checkout --quiet -- ."],
];
const ROUNDS = 5;

const root = await mkdtemp(join(tmpdir(), "changed-files-bench-"));
const watch = new NodeFolderWatch(WORKERS.watch);
try {
  tellMachine();
  writeLargeFolder(root);
  run("git init --quiet && git add --all");
  run("git -c user.name=A -c user.email=a@b -c commit.gpgsign=false commit --quiet --message All");
  await measure();
} finally {
  await watch.close();
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

async function measure(): Promise<void> {
  const status = await timesOf(3, () => run("git status --short"));
  let first: readonly number[] = [];
  const firstGap = await longestGap(async () => {
    first = await timesOf(1, async () => (await remember()).collectChanges());
  });
  const times: {
    readonly line: string;
    readonly before: number;
    readonly after: number;
    readonly count: number;
  }[] = [];
  const gap = await longestGap(async () => {
    for (let round = 0; round < ROUNDS; round++)
      for (const line of LINES.flat()) times.push({ line, ...(await timeOf(line)) });
  });
  const lines = [...new Set(LINES.flat())];
  table(
    "What a line changed in 200,000 files",
    ["line", "files", "before it, median", "after it, median", "longest"],
    lines.map((line) => {
      const own = times.filter((time) => time.line === line);
      const after = own.map((time) => time.after);
      const before = median(own.map((time) => time.before));
      return [line, String(own[0]?.count), show(before), show(median(after)), show(Math.max(...after))];
    }),
  );
  console.log(`  git status: ${show(median(status))}; the first look: ${show(first[0] ?? Number.NaN)}`);
  const after = times.map((time) => time.after);
  check("what a line changed is known, p95 of all lines, ms", percentile(after, 0.95), 300);
  checkGap("the first look", firstGap, 50);
  checkGap("the lines", gap, 50);
}

async function timeOf(line: string) {
  const start = performance.now();
  const moment = await remember();
  const before = performance.now() - start;
  run(line);
  const ended = performance.now();
  const changes = await moment.collectChanges();
  return { before, after: performance.now() - ended, count: changes?.length ?? -1 };
}

async function remember(): Promise<FolderMoment> {
  const moment = await watch.remember(root, []);
  if (!moment) throw new Error("The folder can't be read.");
  return moment;
}

function run(line: string): void {
  execFileSync("/bin/bash", ["-c", line], { cwd: root, stdio: "ignore" });
}

function show(ms: number): string {
  return ms.toFixed(1);
}
