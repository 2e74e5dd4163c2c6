import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Shell } from "../../src/core/ports/programs.ts";
import type { Copy } from "../../src/isolation/copy/copy.ts";
import { findWalls } from "../../src/isolation/walls/find-walls.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { createRunShell } from "../../src/node/sandbox/run-shell.ts";

const LINES = 15;
const FILES = 2000;
/** Milliseconds that a confined line may cost more than a plain one. */
const TARGET_MS = 40;

/** One line on its own, in the sandbox and within the walls of an isolated run: the median of what each takes. */
async function main(): Promise<void> {
  const folder = await mkdtemp("/var/tmp/autogpt-walls-bench-");
  try {
    const home = join(folder, "copies/r1");
    const path = join(home, "app");
    const origin = join(folder, "app");
    await workspace(origin);
    await workspace(path);
    const borrowed = [{ origin: join(origin, "node_modules"), path: join(path, "node_modules") }];
    const copy: Copy = {
      ...{ run: "r1", home, folders: [{ name: "app", origin, path }], borrowed },
      ...{ visible: [path], objects: [], notes: [] },
    };
    const before = performance.now();
    const walls = await findWalls("auto");
    const probe = performance.now() - before;
    if (walls.engine === "none") throw new Error("There are no walls here.");
    const options = { runHome: join(folder, "run"), hosts: [], redact: (text: string) => text };
    const { shell: walled, dispose } = await walls.createPrograms(copy, options);
    const sandboxed = await createRunShell(
      { enabled: true, sandbox: "trusted" },
      {
        ...{ outputFolder: join(folder, "out"), redact: options.redact, listFolders: () => [origin] },
      },
    );
    const kinds = {
      plain: createNodeShell({ outputFolder: join(folder, "out") }),
      sandbox: sandboxed.shell,
      walls: walled,
    };
    const first = await timeOf(walled, path);
    // In turns, so that a busy machine counts for all of them.
    const times = { plain: [], sandbox: [], walls: [] } as Record<keyof typeof kinds, number[]>;
    for (let round = 0; round < LINES; round++)
      for (const kind of ["plain", "sandbox", "walls"] as const)
        times[kind].push(await timeOf(kinds[kind], kind === "walls" ? path : origin));
    await dispose();
    report(probe, first, median(times.plain), median(times.sandbox), median(times.walls));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function workspace(folder: string): Promise<void> {
  for (let index = 0; index < FILES; index++) {
    const below = join(folder, index % 3 === 0 ? "node_modules" : "src", `part${index % 40}`);
    await mkdir(below, { recursive: true });
    await writeFile(join(below, `file${index}.ts`), `export const value = ${index};\n`);
  }
}

async function timeOf(shell: Shell | undefined, cwd: string): Promise<number> {
  const { signal } = new AbortController();
  const started = performance.now();
  await shell?.run("true", { cwd, step: 1, timeoutSeconds: 60, signal, reportOutput: () => undefined });
  return performance.now() - started;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function report(probe: number, first: number, plain: number, sandbox: number, walls: number): void {
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  console.log(
    `plain line      ${ms(plain)}\n` +
      `in the sandbox  ${ms(sandbox)}   (${ms(sandbox - plain)} more; target: at most ${TARGET_MS})\n` +
      `within walls    ${ms(walls)}   (${ms(walls - plain)} more; target: at most ${TARGET_MS})\n` +
      `first line      ${ms(first)}\n` +
      `probe           ${ms(probe)}`,
  );
  if (Math.max(sandbox, walls) - plain > TARGET_MS) process.exitCode = 1;
}

await main();
