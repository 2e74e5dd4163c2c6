import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "@temporalio/client";
import { createFleetKey, exportFleetKey, type FleetKey, importFleetKey } from "../../src/fleet/key.ts";
import { parseTemporalAddress } from "../../src/fleet/temporal/address.ts";
import { connectToTemporal } from "../../src/fleet/temporal/connection.ts";
import { TemporalEngine } from "../../src/fleet/temporal/temporal-engine.ts";
import { findSystemProgram } from "../../src/node/processes/programs.ts";
import { type FakeModelServer, fakeModelServer } from "./fake-model-server.ts";
import { git, makeRepository } from "./repositories.ts";
import { startTemporalServer, type TemporalServer } from "./temporal-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(ROOT, "dist-worker/autogpt-worker.mjs");
const START_MS = 60_000;

/** A worker's process, on a machine with a home of its own. */
interface FleetWorker {
  readonly child: ChildProcess;
  readonly data: string;
  /** All that it has written. */
  readonly said: () => string;
  /** Resolves with its exit code; null after a kill. */
  readonly ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

/** How a worker is started. */
interface WorkerStart {
  /** Machines with the same name share a home. */
  readonly machine?: string;
  readonly runs?: number;
  /** In place of the server's address. */
  readonly place?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A whole fleet on this machine: Temporal, a repository, a sender, a model, and workers as they are started. */
export interface TemporalFleet {
  readonly server: TemporalServer;
  readonly models: FakeModelServer;
  readonly engine: TemporalEngine;
  readonly client: Client;
  readonly key: FleetKey;
  /** The sender's workspace and data folder. */
  readonly workspace: string;
  readonly data: string;
  readonly origin: string;
  /** A folder outside of each copy that command lines of runs can write to. */
  readonly marks: string;
  readonly top: string;
  /** Starts a worker that is ready. */
  startWorker(start?: WorkerStart): Promise<FleetWorker>;
  /** Starts a worker, whatever comes of it. */
  spawnWorker(start?: WorkerStart): Promise<FleetWorker>;
  stop(): Promise<void>;
}

/** Builds the worker's program, as it's shipped, unless FLEET_BUILT says that it is built. */
export function buildWorker(): void {
  if (process.env.FLEET_BUILT) return;
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/tasks/build-worker.mjs")]);
  if (status !== 0) throw new Error(String(stderr));
}

/** Why command lines can't leave marks outside their copies here; undefined if they can. */
export function explainNoMarks(): string | undefined {
  const own = ["/usr/bin", "/usr/local/bin", "/bin"].some((folder) => existsSync(join(folder, "bwrap")));
  return own ? "The system's own bubblewrap lets nothing out, so marks can't be left." : undefined;
}

export async function startTemporalFleet(): Promise<TemporalFleet> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "autogpt-fleet-")));
  const [data, workspace, origin, marks] = ["data", "work", "origin.git", "marks"].map((name) => join(top, name));
  if (!data || !workspace || !origin || !marks) throw new Error("There are no folders.");
  for (const folder of [data, marks, join(top, "programs")]) await mkdir(folder);
  makeRepository(workspace, { "note.txt": "old\n" });
  git(top, "clone", "-q", "--bare", workspace, origin);
  await writeLeakyWalls(join(top, "programs"), marks);
  const key = await createFleetKey(data);
  const server = await startTemporalServer(top);
  const models = await fakeModelServer();
  const { client, close } = await connectToTemporal(parseTemporalAddress(server.place), key, {});
  const findRepository = async (): Promise<string> => origin;
  const options = { client, place: server.place, data, key, sender: "Ada", findRepository, folder: workspace };
  const workers = new Set<FleetWorker>();
  const spawnWorker = async (start: WorkerStart = {}): Promise<FleetWorker> => {
    const worker = await spawnOne(start, { top, place: server.place, models, key: await exportFleetKey(data) });
    workers.add(worker);
    void worker.ended.then(() => workers.delete(worker));
    return worker;
  };
  return {
    ...{ server, models, client, key, workspace, data, origin, marks, top, spawnWorker },
    engine: new TemporalEngine(options),
    startWorker: async (start) => {
      const worker = await spawnWorker(start);
      for (const until = performance.now() + START_MS; performance.now() < until; await pause(30)) {
        if (worker.said().includes("Ready:")) return worker;
        if (worker.child.exitCode !== null) break;
      }
      throw new Error(`The worker doesn't start. ${worker.said()}`);
    },
    stop: async () => {
      for (const worker of workers) await worker.kill();
      await close();
      await server.kill();
      await models.close();
      await rm(top, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Bubblewrap with one hole more: programs can leave marks outside their copy, as effects that nobody takes back. */
async function writeLeakyWalls(folder: string, marks: string): Promise<void> {
  const real = findSystemProgram("bwrap");
  const script = `#!/bin/bash
for at in $(seq 1 $#); do
  if [ "\${!at}" = -- ]; then exec ${real} "\${@:1:at-1}" --bind ${marks} ${marks} "\${@:at}"; fi
done
exec ${real} "$@"
`;
  await writeFile(join(folder, "bwrap"), script);
  await chmod(join(folder, "bwrap"), 0o755);
}

interface Surroundings {
  readonly top: string;
  readonly place: string;
  readonly models: FakeModelServer;
  readonly key: string;
}

let machines = 0;

async function spawnOne(start: WorkerStart, { top, place, models, key }: Surroundings): Promise<FleetWorker> {
  machines += 1;
  const { machine = `machine ${machines}`, runs = 4, args = [], env = {} } = start;
  const home = join(top, machine);
  const data = join(home, "autogpt");
  if (!existsSync(join(data, "fleet-key"))) {
    await mkdir(data, { recursive: true });
    await importFleetKey(data, key);
  }
  const words = ["worker", "--on", start.place ?? place, "--runs", String(runs), ...args];
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...{ HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, container: "test" },
      PATH: [join(top, "programs"), process.env.PATH].join(delimiter),
      ...{ OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: models.baseUrl },
      ...{ AUTOGPT_MODEL_SMART: "fake", AUTOGPT_MODEL_CONTEXT_WINDOW: "16000" },
      AUTOGPT_MODEL_PRICES: '{"fake":{"input":1,"output":1}}',
      ...env,
    },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (process.env.FLEET_VERBOSE) process.stderr.write(text);
    });
  const ended = once(child, "exit").then(([code]: unknown[]) => (typeof code === "number" ? code : null));
  return {
    ...{ child, data, ended, said: () => said },
    kill: async (signal = "SIGKILL") => {
      child.kill(signal);
      return ended;
    },
  };
}
