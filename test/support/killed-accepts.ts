import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { recoverAccept } from "../../src/isolation/review/finish-accept.ts";
import { createFileReplacer } from "../../src/node/files/atomic-write.ts";
import { ReviewBench, treeOf } from "./review-bench.ts";
import { plant } from "./trees.ts";

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, "accept-kill.ts");

/** Files of a run that created, edited and deleted `count` of them, with links, a mode and a folder that became a file. */
export async function plantedBench(folder: string, count: number): Promise<ReviewBench> {
  const names = Array.from({ length: count }, (_, index) => `dir${index % 7}/file${index}.txt`);
  const bench = await ReviewBench.make(folder, {
    ...Object.fromEntries(names.map((name) => [name, `${name}\n`])),
    "kind/inside.txt": "inside\n",
  });
  await cp(bench.work, join(folder, "base"), { recursive: true });
  for (const [index, name] of names.entries()) {
    if (index % 5 === 1) await rm(join(bench.copied, name));
    else await plant(bench.copied, { [name]: `${name}\nof the run\n` });
    if (index % 5 === 2) await plant(bench.copied, { [`new/${name}`]: "new\n" });
  }
  await rm(join(bench.copied, "kind"), { recursive: true });
  await plant(bench.copied, { kind: "a file now\n" });
  await symlink("dir0", join(bench.copied, "link"));
  return bench;
}

/** The number of changes that accepting all of a bench makes to the disk. */
export async function changesOfDisk(folder: string): Promise<number> {
  const { stdout } = await run(process.execPath, [PROGRAM, folder], { encoding: "utf8" });
  return Number(stdout.trim());
}

/**
 * Kills an accept right before a change of the disk, and starts again: everything is accepted, or nothing, nothing is left behind, and one
 * undo gives back what was there. `made` is a folder with a bench, which is copied.
 */
export async function surviveKill(made: string, at: number): Promise<void> {
  const folder = `${made}-${at}`;
  await cp(made, folder, { recursive: true, verbatimSymlinks: true });
  try {
    const killed = await run(process.execPath, [PROGRAM, folder, String(at)]).catch((error: unknown) => error);
    assert.ok(killed instanceof Error && "signal" in killed && killed.signal === "SIGKILL", `survived kill ${at}`);
    const bench = await ReviewBench.open(folder);
    const [before, wanted] = await Promise.all([treeOf(join(folder, "base")), treeOf(bench.copied)]);
    await recoverAccept(bench.place, {
      files: createFileReplacer(),
      record: async (one) => void bench.records.push(one),
    });
    const after = await treeOf(bench.work);
    const isDone = JSON.stringify(after) === JSON.stringify(wanted);
    if (!isDone) {
      assert.deepEqual(after, before, `kill ${at}`);
      await bench.acceptAll();
      assert.deepEqual(await treeOf(bench.work), wanted, `kill ${at}, accepted again`);
    }
    await bench.withdraw();
    const undone = await treeOf(bench.work);
    const plans = (await readdir(join(bench.runHome, "accepted"))).filter((name) => name.startsWith("plan"));
    assert.deepEqual([undone, plans], [before, []], `kill ${at}, undone`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
