import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fetchRun } from "../../src/fleet/carry.ts";
import { openCopy } from "../../src/isolation/copy/copy-record.ts";
import { readLog } from "../../src/runs/log/read-log.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { type FakeModelServer, fakeModelServer } from "./fake-model-server.ts";
import { FLEET_RUN, type FleetMachine, makeFleet, send } from "./fleet-machines.ts";
import { calling } from "./headless.ts";

/** The command that leaves a mark outside every copy. */
export const MARK = "leave_mark";
const MARKS = 11;
const WORKER = join(import.meta.dirname, "fleet-worker.ts");

/** What became of a run whose machines were killed. */
export interface MovedRun {
  readonly end: string;
  /** Steps that left more than one mark. */
  readonly twice: readonly number[];
  /** Marks of steps that the log doesn't know. */
  readonly unknown: readonly number[];
  /** Steps that are neither done, with a mark and a line in the copy, nor declared interrupted. */
  readonly undeclared: readonly number[];
}

export const WHOLE: MovedRun = { end: "finished", twice: [], unknown: [], undeclared: [] };

/** How a run was moved: after how long each of its machines was killed. */
export interface Moving {
  readonly moved: MovedRun;
  readonly kills: number;
  readonly interruptions: number;
  /** How long the last machine worked, in ms. */
  readonly lastMs: number;
}

/** Has a run of twelve steps worked on by two machines in turn, each killed after one of these times; the last one brings it to its end. */
export async function moveRun(killsMs: readonly number[]): Promise<Moving> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "autogpt-moved-")));
  const marks = join(top, "marks.txt");
  const server = await fakeModelServer();
  try {
    const [sender, ...workers] = await makeFleet(top, ["sender", "a", "b"]);
    if (!sender) throw new Error("There is no sender.");
    server.plan(() => {
      const count = countMarks(marks);
      // The same call again and again would look like a loop.
      return count < MARKS ? calling(MARK, { at: performance.now() }) : calling("task_complete", { reason: "Done." });
    });
    await send(sender);
    let kills = 0;
    let lastMs = 0;
    for (const [at, ms] of [...killsMs, undefined].entries()) {
      const worker = workers[at % workers.length];
      const start = performance.now();
      const ended = worker && (await work(worker, { server, marks, ms, origin: join(top, "origin.git") }));
      lastMs = performance.now() - start;
      if (!ended) break;
      kills += 1;
    }
    const found = await inspect(sender, marks);
    return { ...found, kills, lastMs };
  } finally {
    await server.close();
    await rm(top, { recursive: true, force: true });
  }
}

interface Working {
  readonly server: FakeModelServer;
  readonly marks: string;
  readonly origin: string;
  /** Absent: to the end. */
  readonly ms: number | undefined;
}

/** Works on a run in a process of its own. True if it was killed before it ended. */
async function work({ place, workspace }: FleetMachine, { server, marks, origin, ms }: Working): Promise<boolean> {
  const env = { ...process.env, HOME: join(place.data, ".."), XDG_DATA_HOME: join(place.data, "xdg") };
  const keys = { OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: server.baseUrl };
  const child = spawn(process.execPath, [WORKER, place.data, workspace, origin, FLEET_RUN, marks], {
    env: { ...env, ...keys },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = ms === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), ms);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await once(child, "exit");
  clearTimeout(timer);
  if (signal === "SIGKILL") return true;
  if (code !== 0) throw new Error((await said).join("\n"));
  return false;
}

/** How many marks are there at the moment when the model is asked. */
function countMarks(marks: string): number {
  return existsSync(marks) ? readFileSync(marks, "utf8").split("\n").length - 1 : 0;
}

/** Brings the run back to its sender, and compares log, marks and copy. */
async function inspect(
  sender: FleetMachine,
  marks: string,
): Promise<{ readonly moved: MovedRun; readonly interruptions: number }> {
  await fetchRun(sender.place, FLEET_RUN, sender.workspace);
  const { events } = await readLog(join(sender.workspace, ".autogpt/runs", FLEET_RUN));
  const copy = await openCopy(join(sender.place.data, "copies", FLEET_RUN));
  const outside = numbersIn(await readFile(marks, "utf8"));
  const inside = numbersIn(await readFile(join(copy.visible[0] ?? "", "work.txt"), "utf8"));
  const began = events.flatMap((event) => (event.type === "began" && event.command === MARK ? [event.step] : []));
  const interrupted = began.filter((step) => isInterrupted(step, events));
  const isDone = (step: number): boolean => outside.includes(step) && inside.includes(step);
  const over = events.findLast((event) => event.type === "over");
  return {
    moved: {
      end: over?.type === "over" ? over.end.reason : "none",
      twice: outside.filter((step, at) => outside.indexOf(step) !== at),
      unknown: outside.filter((step) => !began.includes(step)),
      undeclared: began.filter((step) => !interrupted.includes(step) && !isDone(step)),
    },
    interruptions: interrupted.length,
  };
}

function numbersIn(lines: string): readonly number[] {
  return lines.split("\n").filter(Boolean).map(Number);
}

function isInterrupted(step: number, events: readonly AgentEvent[]): boolean {
  const ended = events.findLast((event) => event.type === "ended" && event.step === step);
  return ended?.type === "ended" && ended.outcome.status === "failed" && /interrupted/i.test(ended.outcome.error);
}
