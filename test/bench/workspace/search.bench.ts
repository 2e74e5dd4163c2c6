// How long searches, listings and mentions take in 200,000 files. `npm run bench workspace`; ratios to ripgrep alone.
import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { WORKERS } from "../../../src/headless/workers.ts";
import { FileIndexes } from "../../../src/node/search/file-index.ts";
import { createRipgrepFinder, listPackageRipgrepPaths } from "../../../src/node/search/find-ripgrep.ts";
import { findFilesByPath } from "../../../src/node/search/indexed-files.ts";
import { NodeFolderWatch } from "../../../src/node/watch/folder-watch.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { mayHoldSecrets } from "../../../src/safety/paths/sensitive.ts";
import { longestGap, median, timesOf } from "../memory/clock.ts";
import { check, checkGap, exitWithChecks, table, tellMachine } from "../memory/report.ts";
import { writeLargeFolder } from "./large-folder.ts";

const ROUNDS = 7;
const { signal } = new AbortController();

/** Patterns in one file, in some and in all. */
const SEARCHES = [
  { pattern: "needle in a haystack", regex: false, name: "text, rare" },
  { pattern: "value499 = 399", regex: false, name: "text, in one file, by numbers" },
  { pattern: "export const", regex: false, name: "text, in all files" },
  { pattern: "needle\\s+in\\s+\\w+ hay", regex: true, name: "regex, rare" },
  { pattern: "value1\\d\\d = 39\\d;", regex: true, name: "regex, in 1,000 files" },
] as const;

const root = await realpath(await mkdtemp(join(tmpdir(), "search-bench-")));
const watch = new NodeFolderWatch(WORKERS.watch);
const ripgrep = createRipgrepFinder(listPackageRipgrepPaths(import.meta.url));
const files = new FileIndexes({ ripgrep, watch, leftOut: mayHoldSecrets });
try {
  tellMachine();
  writeLargeFolder(root);
  await writeFile(join(root, ".gitignore"), "dist/\n*.log\n");
  await writeFile(join(root, "d200", "needle.txt"), "a needle in a haystack\n");
  const program = await ripgrep();
  if (program === undefined) throw new Error("The package @vscode/ripgrep isn't installed.");
  const gap = await longestGap(async () => {
    await measureListings();
    await measureSearches(program);
  });
  checkGap("searches and listings", gap, 50);
} finally {
  files.close();
  await watch.close();
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

async function measureSearches(program: string): Promise<void> {
  const workspace = createNodeWorkspace({
    folders: [{ name: "project", path: root }],
    leftOut: mayHoldSecrets,
    files,
  });
  const place = await workspace.locate(".");
  const rows: string[][] = [];
  for (const { name, ...query } of SEARCHES) {
    const [ours, alone]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await timesOf(1, () => ripgrepAlone(program, query))));
      ours.push(...(await timesOf(1, () => workspace.search(place, { ...query, limit: 200, signal }))));
    }
    // The shortest times, because other programs of the machine only ever add to them.
    const ratio = Math.min(...ours) / Math.min(...alone);
    rows.push([name, show(median(alone)), show(median(ours)), ratio.toFixed(2)]);
    check(`search_files, ${name}, times ripgrep`, ratio, 1.3);
  }
  table("Searches of 200,000 files, ms", ["pattern", "ripgrep", "search_files", "ratio"], rows);
}

/** Ripgrep by itself, which prints the names of the files only. */
function ripgrepAlone(program: string, { pattern, regex }: { readonly pattern: string; readonly regex: boolean }) {
  const kind = regex ? [] : ["--fixed-strings", "--ignore-case"];
  return promisify(execFile)(program, ["--no-config", "--files-with-matches", ...kind, "--regexp", pattern, "./"], {
    cwd: root,
    maxBuffer: 100_000_000,
  });
}

async function measureListings(): Promise<void> {
  const workspace = createNodeWorkspace({
    folders: [{ name: "project", path: root }],
    leftOut: mayHoldSecrets,
    files,
  });
  const list = async (glob?: string) =>
    workspace.list(await workspace.locate("."), {
      ...(glob === undefined ? {} : { glob }),
      limit: 1000,
      signal,
    });
  const first = await timesOf(1, () => list());
  const later = await timesOf(ROUNDS, () => list());
  const globbed = await timesOf(ROUNDS, () => list("*.rs"));
  const changed = await timesOf(ROUNDS, async () => {
    await writeFile(join(root, "d7", `new-${performance.now()}.ts`), "");
    await list();
  });
  await findFilesByPath(files, root, "", 100, signal);
  const keys: number[] = [];
  for (const text of ["f", "fi", "fil", "file4", "d39/", "d399/file49", "needle", "no such file"])
    keys.push(...(await timesOf(ROUNDS, () => findFilesByPath(files, root, text, 100, signal))));
  const near = await timesOf(ROUNDS, () => workspace.findNearestFile?.("d200/nedle.txt", signal));
  table(
    "Files of 200,000, ms",
    ["what", "median", "longest"],
    [
      ["list_files of the root, first", first],
      ["list_files of the root, later", later],
      ["list_files with a glob that nothing matches", globbed],
      ["list_files after a change", changed],
      ["@file, per key", keys],
      ["nearest name", near],
    ].map(([name, times]) => [String(name), show(median(times as number[])), show(Math.max(...(times as number[])))]),
  );
  check("list_files of the root after the first, ms", Math.max(...later, ...changed), 200);
  check("@file per key after the first, p50, ms", median(keys), 50);
}

function show(ms: number): string {
  return ms.toFixed(1);
}
