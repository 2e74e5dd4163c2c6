import { appendFile, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCarrier } from "../../src/fleet/carrier.ts";
import { claimRun } from "../../src/fleet/carry.ts";
import { begin, FLEET_RUN, makeFleet, record, send } from "../support/fleet-machines.ts";
import { git, writeFiles } from "../support/repositories.ts";
import { median } from "./memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

// What it costs to carry a run before a command with effects, which has changed one file since, to a repository on this disk: the part
// of this machine and that of the repository together. `npm run bench -- fleet-push`; milliseconds.

const ROUNDS = 15;
const SIZES = [100, 3_000];
const MOST_MS = 400;
/** Ticks of a processor in a second, as Linux counts them in /proc. */
const TICKS = 100;

/** The processor time of this process and those that it has waited for, in ms. */
async function readProcessorMs(): Promise<number> {
  const stat = await readFile("/proc/self/stat", "utf8");
  const times = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15);
  return (times.reduce((sum, one) => sum + Number(one), 0) * 1000) / TICKS;
}

interface PushCost {
  readonly ms: number;
  readonly processorMs: number;
  /** New objects in the repository, and their size on its disk until it packs them. */
  readonly objects: number;
  readonly kilobytes: number;
}

/** The objects of a bare repository that aren't packed. */
function countObjects(folder: string): { readonly objects: number; readonly kilobytes: number } {
  const found = git(folder, "count-objects", "--verbose");
  const read = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(found)?.[1]);
  return { objects: read("count"), kilobytes: read("size") };
}

async function measure(files: number): Promise<PushCost> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "autogpt-fleet-push-")));
  try {
    const [sender, machine] = await makeFleet(top, ["sender", "machine"]);
    if (!sender || !machine) throw new Error("There are no machines.");
    const names = Array.from({ length: files }, (_, at) => `part-${at % 50}/file-${at}.txt`);
    writeFiles(sender.workspace, Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(40)])));
    await send(sender);
    const claimed = await claimRun(machine.place, FLEET_RUN, "machine");
    const copy = await begin(machine, claimed);
    const carrier = await createCarrier(machine.place, FLEET_RUN);
    await carrier.push();
    const times: number[] = [];
    const origin = join(top, "origin.git");
    const had = countObjects(origin);
    const before = await readProcessorMs();
    for (let round = 0; round < ROUNDS; round++) {
      await appendFile(join(copy.visible[0] ?? "", names[round] ?? ""), "more\n");
      await record(machine, claimed, 1 + round, { type: "said", text: "On.", by: "user" });
      const started = performance.now();
      await carrier.push();
      times.push(performance.now() - started);
    }
    const processorMs = ((await readProcessorMs()) - before) / ROUNDS;
    await carrier.close();
    const { objects, kilobytes } = countObjects(origin);
    return {
      ms: median(times),
      processorMs,
      objects: (objects - had.objects) / ROUNDS,
      kilobytes: (kilobytes - had.kilobytes) / ROUNDS,
    };
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

tellMachine();
const rows: (readonly string[])[] = [];
for (const files of SIZES) {
  const { ms, processorMs, objects, kilobytes } = await measure(files);
  rows.push([String(files), ...[ms, processorMs, objects, kilobytes].map((value) => value.toFixed(0))]);
  check(`a push with ${files} files, ms`, ms, MOST_MS);
}
table("A push, ms", ["files", "median", "processor time", "objects", "KB"], rows);
exitWithChecks();
