// What runs cost: opening a long one, undoing a large step, searching many, and their room on the disk. `npm run bench runs`.
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Run } from "../../src/core/events/run.ts";
import { createFileReplacer } from "../../src/node/files/atomic-write.ts";
import { LOG_FILE, openRunLog } from "../../src/runs/log/run-log.ts";
import { getRunsFolder } from "../../src/runs/store/run-folder.ts";
import { searchRuns } from "../../src/runs/store/run-search.ts";
import { createRunStoreForHomes } from "../../src/runs/store/run-store.ts";
import { createUndoJournal } from "../../src/runs/undo/journal.ts";
import { createPreImages } from "../../src/runs/undo/pre-images.ts";
import { createUndo } from "../../src/runs/undo/undo.ts";
import type { AgentEvent, AgentEventBody } from "../../src/schema/events.ts";
import type { RecalledMemory } from "../../src/schema/run-values.ts";
import { sampleOwner, sampleStart, sampleTail } from "../support/sample-run.ts";
import { logText, storeHistory } from "../support/stored-history.ts";
import { NO_WATCH, UndoBench } from "../support/undo-bench.ts";
import { median, timesOf } from "./memory/clock.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const ROUNDS = 7;
const root = await mkdtemp(join(tmpdir(), "runs-bench-"));
try {
  await measureResume();
  await measureUndo();
  await measurePrograms();
  await measureSearch();
  await measureStorage();
} finally {
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

async function measureResume(): Promise<void> {
  const home = join(root, "resume");
  const id = "20260102_030405_scribe_0a1b";
  const folder = join(getRunsFolder(home), id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, LOG_FILE), logText(id, 1000));
  const times = await timesOf(ROUNDS, async () => {
    const { events } = await createRunStoreForHomes([home], sampleOwner()).open(id);
    await Run.openStored(await openRunLog(folder), events).close();
  });
  table("A run of 1,000 steps, ready to be gone on with", ["first", "median"], [[show(times[0]), show(median(times))]]);
  check("resuming a run of 1,000 steps", Math.max(times[0] ?? 0, median(times)), 300);
}

async function measureUndo(): Promise<void> {
  const [work, run] = [join(root, "undo"), join(root, "undo-run")];
  await mkdir(work);
  const paths = Array.from({ length: 20 }, (_, index) => join(work, `file-${index}.ts`));
  const kept = createPreImages(run);
  const journal = createUndoJournal(run, kept);
  const undo = createUndo({ journal, kept, files: createFileReplacer(), folder: work });
  const undos: number[] = [];
  const changes = await timesOf(ROUNDS, async (round) => {
    for (const path of paths) await writeFile(path, `${path} as it was\n`.repeat(100));
    const change = await journal.begin({
      by: "step",
      step: round + 1,
      files: paths.map((path) => ({ path })),
    });
    for (const path of paths) await writeFile(path, `${path} changed ${round}\n`.repeat(100));
    await journal.settle(change, paths);
    const start = performance.now();
    const { conflicts } = await undo.undo({ step: round + 1 });
    undos.push(performance.now() - start);
    if (conflicts.length > 0) throw new Error(`${conflicts.length} files could not be undone.`);
  });
  table("A step that changes 20 files", ["step", "undo"], [[show(median(changes)), show(median(undos))]]);
  check("undoing a step of 20 files", median(undos), 300);
}

/** What undo adds to a step that runs a program and changes nothing, after the agent has changed many files. */
async function measurePrograms(): Promise<void> {
  const rows: string[][] = [];
  for (const files of [0, 200]) {
    const [work, run] = [join(root, `programs-${files}`), join(root, `programs-run-${files}`)];
    await mkdir(work);
    const bench = new UndoBench(work, run, undefined, NO_WATCH);
    for (let file = 0; file < files; file++) await bench.write(`${file}.txt`, `text ${file}\n`.repeat(50));
    const program = async () => void (await bench.act("execute_shell", { command_line: "true" }));
    await program();
    const before = await sizeOf(run);
    const times = await timesOf(ROUNDS, program);
    const grown = ((await sizeOf(run)) - before) / ROUNDS;
    rows.push([String(files), show(median(times)), grown.toFixed(0)]);
    check(`bytes of a step whose program changes nothing, after ${files} files`, grown, 500);
  }
  table("A step that runs a program", ["files changed before", "ms", "bytes kept"], rows);
}

async function measureSearch(): Promise<void> {
  const runs = await storeHistory(join(root, "search"), 500, 100, { oldest: "Quetzal", every: "common" });
  const rows: string[][] = [];
  for (const query of ["common", "quetzal"]) {
    const firsts: number[] = [];
    const wholes = await timesOf(ROUNDS, async () => {
      const start = performance.now();
      let first: number | undefined;
      for await (const _found of searchRuns(runs, query, new AbortController().signal))
        first ??= performance.now() - start;
      firsts.push(first ?? Number.POSITIVE_INFINITY);
    });
    rows.push([query, show(median(firsts)), show(median(wholes))]);
    check(`the first result for "${query}"`, median(firsts), 150);
  }
  table("Searching 500 runs of 100 steps", ["word", "first", "all"], rows);
}

/** What a run that writes and reads files in turn takes on the disk, against the bytes of its replies, outcomes and pre-images. */
async function measureStorage(): Promise<void> {
  const runs = [
    { name: "files of 4 kB", lines: 80, recalled: [] },
    { name: "files of 1 kB", lines: 20, recalled: [] },
    { name: "files of 1 kB, with 4 kB recalled at each step", lines: 20, recalled: sameMemories() },
  ];
  const ratios: number[] = [];
  const rows: string[][] = [];
  for (const [index, { name, lines, recalled }] of runs.entries()) {
    const { bytes, needed } = await storageOf(join(root, `storage-${index}`), storedBodies(lines, recalled));
    ratios.push(bytes / needed);
    rows.push([name, show(needed / 1000), show(bytes / 1000), (bytes / needed).toFixed(2)]);
  }
  table(
    "Room of a run of 200 steps that write and read in turn, in kB",
    ["", "replies, outcomes, pre-images", "on the disk", "ratio"],
    rows,
  );
  check("the room that a run takes, over what it must hold", ratios[0] ?? Number.NaN, 1.5);
}

async function storageOf(
  place: string,
  bodies: readonly AgentEventBody[],
): Promise<{ readonly bytes: number; readonly needed: number }> {
  const [work, folder] = [join(place, "work"), join(place, "run")];
  await mkdir(work, { recursive: true });
  const log = await openRunLog(folder);
  const bench = new UndoBench(work, folder);
  const events = bodies.map((body, seq): AgentEvent => ({ seq, at: new Date(seq * 1000).toISOString(), ...body }));
  for (const event of events) {
    await log.append(event);
    if (event.type === "began" && event.command === "write_to_file")
      await bench.write("a.ts", String(event.args.contents));
  }
  await log.close();
  const images = await sizeOf(join(folder, "pre-images"));
  const needed = images + events.reduce((sum, event) => sum + neededOf(event), 0);
  return { bytes: await sizeOf(folder), needed };
}

/** What is recalled step after step is mostly the same. */
function sameMemories(): readonly RecalledMemory[] {
  return Array.from({ length: 10 }, (_, index) => ({
    text: `Step ${index}: ${"the pump is in the cellar, behind the door on the left; ".repeat(6)}`,
    source: `run 20260101_000000_scribe_0a1b: step ${index} of "Water"`,
    score: 0.5,
    why: "close in meaning, in words, of this folder",
  }));
}

function storedBodies(lines: number, recalled: readonly RecalledMemory[]): readonly AgentEventBody[] {
  const text = (step: number) =>
    Array.from({ length: lines }, (_, line) => `const value${line} = ${line * step}; // of step ${step}`).join("\n");
  return [
    sampleStart(),
    ...Array.from({ length: 200 }, (_, index) => index + 1).flatMap((step) => {
      const isWrite = step % 2 === 1;
      const thoughts = {
        text: `Step ${step}: I look at what is there and say what comes next. `.repeat(3),
        reasoning: "It has to be seen before it is changed.",
        plan: "- look\n- act",
        criticism: "I could look at more at once.",
        speak: "On it.",
      };
      const call = isWrite
        ? { name: "write_to_file", args: { filename: "a.ts", contents: text(step) } }
        : { name: "read_file", args: { filename: "a.ts" } };
      const raw = JSON.stringify({ thoughts, ...call.args });
      const usage = { input: 9000, output: 1200, cached: 8000 };
      const scored = recalled.map((memory) => ({ ...memory, score: step / 1000 }));
      return [
        ...(scored.length > 0 ? ([{ type: "recalled", step, memories: scored }] as const) : []),
        { type: "asked", step, format: "tools", tail: sampleTail({ recalled: scored }) },
        {
          type: "replied",
          step,
          format: "tools",
          text: "",
          calls: [{ id: "c", name: call.name, arguments: raw }],
          finish: "tool_calls",
          reply: { kind: "proposal", thoughts, call },
          model: "m",
          usage,
          costUsd: 0.01,
        },
        {
          type: "decided",
          step,
          allow: true,
          by: "user",
          reason: "approved by the user",
          hash: "0".repeat(64),
        },
        { type: "began", step, command: call.name, args: call.args },
        { type: "ended", step, outcome: { status: "done", output: isWrite ? "Written." : text(step - 1) } },
      ] satisfies readonly AgentEventBody[];
    }),
  ];
}

function neededOf(event: AgentEvent): number {
  if (event.type === "replied") return event.text.length + JSON.stringify(event.calls).length;
  return event.type === "ended" ? JSON.stringify(event.outcome).length : 0;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function show(value = Number.NaN): string {
  return value.toFixed(1);
}
