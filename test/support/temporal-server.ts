import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Connection } from "@temporalio/client";
import { findOnPath } from "../../src/node/processes/programs.ts";
import { freePort } from "./free-port.ts";

const START_MS = 60_000;
/** Ticks of a processor in a second, as Linux counts them in /proc. */
const TICKS = 100;

/** Temporal's real server on a loopback port, with its database in a file. */
export interface TemporalServer {
  readonly host: string;
  /** As the product names it. */
  readonly place: string;
  readonly database: string;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Starts it again with the same database. Resolves once it answers. */
  start(): Promise<void>;
  /** The processor time that it has used since it was started last, in ms. */
  readProcessorMs(): number;
}

/** Why there can be no server here, as a sentence; undefined if there can. */
export function explainNoTemporal(): string | undefined {
  if (findOnPath(["temporal"]) !== undefined) return undefined;
  return "Temporal's server isn't on the PATH; npm run test:fleet installs it with pip.";
}

/** `settings`: further flags of the server. */
export async function startTemporalServer(folder: string, settings: readonly string[] = []): Promise<TemporalServer> {
  const program = findOnPath(["temporal"]);
  if (program === undefined) throw new Error(explainNoTemporal());
  const [port, http] = [await freePort(), await freePort()];
  const host = `127.0.0.1:${port}`;
  const database = join(folder, "temporal.db");
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const where = ["--ip", "127.0.0.1", "--port", String(port), "--http-port", String(http), "--headless"];
    child = spawn(
      program,
      ["server", "start-dev", ...where, "--db-filename", database, "--log-level", "error", ...settings],
      {
        stdio: "ignore",
        env: { ...process.env, HOME: folder },
      },
    );
    for (const until = performance.now() + START_MS; performance.now() < until; await pause(50))
      if (await isUp(host)) return;
    throw new Error("Temporal's server doesn't answer.");
  };
  await start();
  return {
    host,
    place: `temporal://${host}`,
    database,
    start,
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    readProcessorMs: () => readProcessorMs(child?.pid),
  };
}

async function isUp(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: "1 second" }).catch(() => undefined);
  if (!connection) return false;
  const found = await connection.workflowService.describeNamespace({ namespace: "default" }).catch(() => undefined);
  await connection.close();
  return found !== undefined;
}

/** The processor time of a process on Linux, in ms. */
function readProcessorMs(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return ((user + system) * 1000) / TICKS;
}
