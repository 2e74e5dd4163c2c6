import { hostname } from "node:os";
import { text } from "node:stream/consumers";
import { importFleetKey, loadFleetKey } from "../../fleet/key.ts";
import { findWalls } from "../../isolation/walls/find-walls.ts";
import { findOnPath } from "../../node/processes/programs.ts";
import type { ServedLine } from "../../schema/fleet/served.ts";
import { fail, writeInEnglish } from "../../texts/display-text.ts";
import { printHelp } from "../exit-code.ts";
import { findOwnVersion } from "../place.ts";
import type { Subcommand, Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { Attachment, type PrintLine, printStoredLines, takeRequestLine } from "./serve-attach.ts";
import { openServedRepository } from "./served-repository.ts";
import {
  demandServedRecord,
  explainProblem,
  isWorkedOn,
  listServedRuns,
  readServedRecord,
  writeServedRecord,
} from "./served-runs.ts";
import { startWorker } from "./worker-start.ts";

/** A call of `serve-run`. */
interface ServeCall {
  readonly around: Surroundings;
  readonly words: readonly string[];
  readonly print: PrintLine;
}

const USAGE = `Usage: autogpt serve-run check|prepare|start|attach|tell|list|show|remove|take-key

The other end of runs that a window or a command line sends here by ssh (autogpt --on ssh:HOST). They call it
themselves. Runs work in an isolated copy, go on when the connection ends, and are found again. Answers are
JSON, one a line. Docs: docs/fleet.md
`;

const ACTIONS: Readonly<Record<string, (call: ServeCall) => Promise<void>>> = {
  check,
  prepare: async ({ around, words: [name = ""], print }) =>
    print({ type: "repository", path: (await openServedRepository(around.data, name)).gitFolder }),
  start,
  attach: async ({ around, words: [run = "", lines = "0"], print }) =>
    new Attachment(run, { lines: parseCount(lines), around, print }).follow(),
  tell,
  list,
  show: async ({ around, words: [run = ""], print }) => {
    const { home } = await demandServedRecord(around.data, run);
    if (home !== undefined) await printStoredLines(home, 0, (line) => print({ type: "stored", line }));
    await print({ type: "over" });
  },
  remove: async ({ around: { data }, words: [run = ""], print }) => {
    const { removeServedRun } = await import("./served-cleanup.ts");
    await removeServedRun(data, run, (await loadFleetKey(data)) ?? fail("fleet.noKey"));
    await print({ type: "started" });
  },
  "take-key": async ({ around, print }) => {
    await importFleetKey(around.data, await text(around.stdin));
    await print({ type: "started" });
  },
};

/** `autogpt serve-run …`: works on runs that come from other machines of the user. Throws `UsageError`. */
export const runServeCommand: Subcommand = async (argv, env, around) => {
  const [name = "", ...words] = argv;
  if (name === "--help" || name === "-h") return printHelp(USAGE, around);
  if (name === "work") {
    const { workOnServedRun } = await import("./serve-work.ts");
    return workOnServedRun(words[0] ?? "", env, around);
  }
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new UsageError(`"serve-run" takes one of these: ${Object.keys(ACTIONS).join(", ")}.`);
  const print: PrintLine = (line) =>
    new Promise((resolve) => around.stdout.write(`${JSON.stringify(line satisfies ServedLine)}\n`, () => resolve()));
  await action({ around, words, print }).catch((error: unknown) =>
    print({ type: "failed", why: explainProblem(error) }),
  );
  return { kind: "done" };
};

async function check({ around, print }: ServeCall): Promise<void> {
  const walls = await findWalls("auto");
  const key = await loadFleetKey(around.data);
  await print({
    type: "machine",
    name: hostname(),
    version: await findOwnVersion(),
    node: process.version,
    ...(findOnPath(["git"]) === undefined ? {} : { git: "git" }),
    ...(walls.engine === "none" ? { noWalls: writeInEnglish(walls.why) } : { walls: walls.engine }),
    ...(key ? { key: key.id } : {}),
  });
}

async function start({ around, words: [run = "", name = ""], print }: ServeCall): Promise<void> {
  const { data, signal } = around;
  const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  const walls = await findWalls("auto");
  if (walls.engine === "none") throw new Error(writeInEnglish(walls.why));
  const repository = await openServedRepository(data, name);
  const known = await readServedRecord(data, run);
  if (!known) {
    // Said at once, so that nothing of a task that isn't worked on is left here.
    const { demandSubmitter } = await import("../../fleet/carry.ts");
    await demandSubmitter({ data, key, repository, signal }, run, hostname());
    const facts = { version: 1, run, repository: name, startedAt: new Date().toISOString() } as const;
    await writeServedRecord(data, { ...facts, refused: [], handled: [] });
  }
  // A start that is asked for twice doesn't continue a run that has ended.
  if (!known?.isOver && !(await isWorkedOn(data, run, key))) await startWorker(data, run);
  await print({ type: "started" });
  const { cleanUpServedRuns } = await import("./served-cleanup.ts");
  await cleanUpServedRuns(data, key, Date.now());
}

async function tell({ around, words: [run = ""], print }: ServeCall): Promise<void> {
  const { data } = around;
  const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  await demandServedRecord(data, run);
  await takeRequestLine((await text(around.stdin)).trim(), run, data, print);
  if (!(await isWorkedOn(data, run, key))) await startWorker(data, run);
}

async function list({ around, print }: ServeCall): Promise<void> {
  const { data } = around;
  const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  for (const id of await listServedRuns(data)) {
    const record = await readServedRecord(data, id);
    if (!record) continue;
    const isGoing = await isWorkedOn(data, id, key);
    const state = isGoing ? (record.asked ? "waiting" : "working") : record.isOver ? "ended" : "silent";
    const { startedAt, task = "", steps = 0 } = record;
    await print({ type: "run", id, task, startedAt, state, steps });
  }
  await print({ type: "over" });
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`"attach" takes the number of lines that you have, not "${text}".`);
  return Number(text);
}
