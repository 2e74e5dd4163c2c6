import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { NativeConnection, Runtime, Worker } from "@temporalio/worker";
import {
  cleanUpServedRuns,
  connectToTemporal,
  createFleetCodec,
  createSharedWorkers,
  escapeInvisible,
  type FleetKey,
  findWalls,
  getErrorMessage,
  getTaskQueue,
  importFleetKey,
  loadFleetKey,
  parseCountFlag,
  parseTemporalAddress,
  printHelp,
  readConnectionOptions,
  readFlags,
  readLinkedText,
  type Subcommand,
  type Surroundings,
  type TemporalAddress,
  UsageError,
  writeInEnglish,
} from "../../../src/headless/fleet/library.ts";
import { type StretchParts, workOnStretch } from "./stretch.ts";

const USAGE = `Usage: autogpt worker --on temporal://HOST:7233[/NAMESPACE] [--runs N] [--linger SECONDS]

Takes runs from a Temporal server and works on them in isolated copies. Calls out only; nothing connects to this machine.
Needs the fleet key (autogpt fleet key import), git, and bubblewrap. Keys of models come from its environment.

  --runs N          how many runs it works on at once (4)
  --linger SECONDS  how long a run that asks stays here, so that a quick answer has a quick effect (60). Then it makes
                    room, and whichever worker is free continues it with the answer

Docs: docs/fleet.md
`;

const MOST_RUNS = 64;
const MOST_SECONDS = 86_400;
const CLEAN_UP_MS = 3_600_000;

/** `autogpt worker`: works on the runs of a fleet until it's stopped. Throws `UsageError`, and a sentence if it can't begin. */
export const runWorkerCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, { runs: { value: "N" }, linger: { value: "SECONDS" } });
  if (flags.has("help")) return printHelp(USAGE, around);
  const [stranger] = flags.rest;
  if (stranger !== undefined) throw new UsageError(`"worker" doesn't take "${stranger}".`);
  const place = flags.findValue("on") ?? "";
  if (place === "") throw new UsageError("Say where the worker takes runs from: --on temporal://HOST:7233");
  const address = parseTemporalAddress(place);
  const runs = parseCountFlag(flags, "runs", { most: MOST_RUNS }) ?? 4;
  const linger = parseCountFlag(flags, "linger", { least: 0, most: MOST_SECONDS }) ?? 60;
  const isRoot = explainRoot(process.getuid?.(), process.env.container, existsSync);
  if (isRoot !== undefined) throw new UsageError(isRoot);
  const walls = await findWalls("auto");
  if (walls.engine === "none") throw new UsageError(writeInEnglish(walls.why));
  const key = await loadKey(env, around.data);
  if (!key) throw new UsageError("This machine has no fleet key. Bring it here: autogpt fleet key import");
  const cleanUp = (): Promise<void> => cleanUpServedRuns(around.data, key, Date.now()).catch(() => undefined);
  await cleanUp();
  const cleaning = setInterval(cleanUp, CLEAN_UP_MS);
  await workOnFleet({ address, key, runs, lingerMs: linger * 1000 }, env, around).finally(() =>
    clearInterval(cleaning),
  );
  return { kind: "done" };
};

/** The fleet key of this machine. A container gets it in a file that its environment names. */
async function loadKey(
  { AUTOGPT_FLEET_KEY_FILE: file }: Readonly<Record<string, string | undefined>>,
  data: string,
): Promise<FleetKey | undefined> {
  if (!file) return loadFleetKey(data);
  const text = await readLinkedText(file).catch(() => {
    throw new UsageError(
      `AUTOGPT_FLEET_KEY_FILE names the file ${file}, which can't be read. Correct the path, then start again.`,
    );
  });
  return importFleetKey(data, text);
}

/** Why a user can't work, as a sentence: root may only be what a container calls root. `container`: how its engine names itself. */
export function explainRoot(
  user: number | undefined,
  container: string | undefined,
  isThere: (path: string) => boolean,
): string | undefined {
  const isContainer = isThere("/.dockerenv") || isThere("/run/.containerenv") || Boolean(container);
  if (user !== 0 || isContainer) return undefined;
  return "A worker doesn't work as root outside of a container. Start it as another user.";
}

interface WorkerOptions {
  readonly address: TemporalAddress;
  readonly key: FleetKey;
  readonly runs: number;
  readonly lingerMs: number;
}

async function workOnFleet(
  { address, key, runs, lingerMs }: WorkerOptions,
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<void> {
  Runtime.install({ shutdownSignals: [], logger: createQuietLogger(around) });
  const { client, close } = await connectToTemporal(address, key, env);
  const connection = await NativeConnection.connect(await readConnectionOptions(address, env));
  const workers = createSharedWorkers(around.data);
  try {
    const parts: StretchParts = { client, key, lingerMs, env, around: { ...around, workers } };
    const worker = await Worker.create({
      connection,
      namespace: address.namespace,
      taskQueue: getTaskQueue(key),
      identity: `${process.pid}@${hostname()}`,
      buildId: "autogpt",
      ...findWorkflows(),
      dataConverter: { payloadCodecs: [createFleetCodec(key)] },
      activities: {
        work: (stretch: Parameters<typeof workOnStretch>[1]) =>
          workOnStretch(parts, stretch).catch((error: unknown) => keepReason(error, around)),
      },
      maxConcurrentActivityTaskExecutions: runs,
      maxHeartbeatThrottleInterval: "100 ms",
      defaultHeartbeatThrottleInterval: "100 ms",
      shutdownGraceTime: "30 seconds",
      shutdownForceTime: "35 seconds",
    });
    around.stderr.write(`Ready: up to ${runs} runs at once from ${address.host}, as ${hostname()}.\n`);
    around.signal.addEventListener("abort", () => worker.shutdown(), { once: true });
    if (around.signal.aborted) worker.shutdown();
    await worker.run();
  } finally {
    await workers.close();
    await connection.close();
    await close();
  }
}

/** Why a stretch failed stays here: the server would show it, with paths, to all who reach it. */
function keepReason(error: unknown, { stderr }: Surroundings): never {
  stderr.write(`${escapeInvisible(getErrorMessage(error))}\n`);
  const shown = new Error("The work on the run failed. The output of its worker says why.");
  shown.stack = "";
  throw shown;
}

/** The workflow as this package's build has bundled it; in the repository, its source. */
function findWorkflows() {
  const bundled = new URL("./workflow-bundle.js", import.meta.url);
  return existsSync(bundled)
    ? { workflowBundle: { codePath: fileURLToPath(bundled) } }
    : { workflowsPath: fileURLToPath(new URL("./workflow.ts", import.meta.url)) };
}

/** Passes on what the library warns about. */
function createQuietLogger({ stderr }: Surroundings) {
  const warn = (message: string): void => void stderr.write(`${escapeInvisible(message)}\n`);
  const drop = (): void => undefined;
  return { log: drop, trace: drop, debug: drop, info: drop, warn, error: warn };
}
