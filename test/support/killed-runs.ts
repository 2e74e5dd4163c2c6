import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseLog } from "../../src/runs/log/read-log.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { type FakeModelServer, fakeModelServer } from "./fake-model-server.ts";
import { calling } from "./headless.ts";
import { PROGRAM } from "./program.ts";

/** When a run is killed: as soon as it has told so many events, or after so long. */
export type Moment = { readonly events: number } | { readonly ms: number };

/** What became of a run that was killed once and then gone on with. */
export interface Survivor {
  /** The program's exit code in the end. */
  readonly code: number | null;
  readonly killed: boolean;
  readonly file: string;
  /** Steps whose command began more than once. */
  readonly twice: readonly number[];
  /** Events that were told before the kill and are not in the log. */
  readonly missing: number;
}

const LINES = 11;

/** What the file holds after an undisturbed run. */
const WHOLE_FILE = Array.from({ length: LINES }, (_, index) => `line ${index + 1}\n`).join("");

/** A survivor that has lost nothing and done nothing twice. */
export function unharmed(killed: boolean): Survivor {
  return { code: 0, killed, file: WHOLE_FILE, twice: [], missing: 0 };
}

/** A run of twelve steps in a process of its own: eleven add a line to a file, the last one says that it is done. It is killed and resumed. */
export async function killedRun(moment: Moment): Promise<Survivor> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "autogpt-killed-")));
  const file = join(folder, "work.txt");
  const server = await fakeModelServer();
  try {
    server.plan(() => next(linesIn(file)));
    const first = await run(server, folder, ["--task", "Write lines."], moment);
    const stored = await storedRun(folder);
    const again = stored ? ["--resume", stored.id] : ["--task", "Write lines."];
    const last = first.killed ? await run(server, folder, again) : first;
    const log = (await storedRun(folder))?.events ?? [];
    const began = log.flatMap((event) => (event.type === "began" ? [event.step] : []));
    return {
      code: last.code,
      killed: first.killed,
      file: await readFile(file, "utf8").catch(() => ""),
      twice: began.filter((step, index) => began.indexOf(step) !== index),
      missing: first.told.filter((line) => !log.some((event) => JSON.stringify(event) === line)).length,
    };
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function next(lines: number) {
  return lines < LINES
    ? calling("append_to_file", { filename: "work.txt", text: `line ${lines + 1}\n` })
    : calling("task_complete", { reason: "All lines are there." });
}

interface Ran {
  readonly code: number | null;
  readonly killed: boolean;
  /** The events as they were told, a line each. */
  readonly told: readonly string[];
}

async function run(server: FakeModelServer, folder: string, what: readonly string[], moment?: Moment): Promise<Ran> {
  const argv = [
    "--workspace",
    folder,
    "--model",
    "m",
    "--yes-to",
    "append_to_file,task_complete",
    "--json",
    "--set",
    "model.contextWindow=128000",
  ];
  const env = {
    ...process.env,
    XDG_DATA_HOME: join(folder, ".data"),
    OPENAI_API_KEY: "a-test-key",
    OPENAI_BASE_URL: server.baseUrl,
  };
  const child = spawn(process.execPath, [PROGRAM, ...what, ...argv], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exit = once(child, "exit");
  const timer = moment && "ms" in moment ? setTimeout(() => child.kill("SIGKILL"), moment.ms) : undefined;
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    if (moment && "events" in moment && told.length === moment.events) child.kill("SIGKILL");
  }
  const [code, signal] = await exit;
  clearTimeout(timer);
  return { code, killed: signal === "SIGKILL", told };
}

/** How many lines are there at the moment when the model is asked. */
function linesIn(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/** The run that has begun there. One that was killed before its first event was whole has not. */
async function storedRun(
  folder: string,
): Promise<{ readonly id: string; readonly events: readonly AgentEvent[] } | undefined> {
  const runs = join(folder, ".autogpt/runs");
  for (const id of await readdir(runs).catch(() => [])) {
    const { events } = parseLog(await readFile(join(runs, id, "run.jsonl"), "utf8").catch(() => ""));
    if (events.length > 0) return { id, events };
  }
  return undefined;
}
