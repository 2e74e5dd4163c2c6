import { resolve } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible, formatQuantity } from "../../core/base/text.ts";
import { openLinkedFile } from "../../disk/plain-file.ts";
import type { FleetEngine } from "../../fleet/engine.ts";
import { selectSentSettings } from "../../fleet/parcel.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import { createRunId } from "../../runs/store/run-folder.ts";
import { type BatchReport, MOST_WAYS } from "../../schema/fleet/batches.ts";
import { DEFAULT_SETTINGS } from "../../schema/read-settings.ts";
import { type ProgramEnd, printHelp } from "../exit-code.ts";
import { type Flags, readFlags } from "../flags.ts";
import { type OpenPlace, openPlace } from "../fleet/open-place.ts";
import { demandConsent } from "../fleet/send-consent.ts";
import { collectSettingSources, getBaseFolder, type OtherPlace, parseCountFlag, parseOtherPlace } from "../options.ts";
import { createOutput } from "../output.ts";
import { resolveWorkspaceFolder } from "../place.ts";
import type { Subcommand, Surroundings } from "../session.ts";
import { type Environment, loadSettings } from "../settings.ts";
import { UsageError } from "../usage-error.ts";
import { stopAttempts } from "./attempt-work.ts";
import { Batch } from "./batch.ts";
import { openBatchFolder, ReportWriter } from "./batch-files.ts";
import { createBatchJournal, type KnownBatch, readBatchJournal } from "./batch-journal.ts";
import { BatchPrinter } from "./batch-printer.ts";
import { sumUsd } from "./batch-report.ts";
import { type BatchAttempt, hashAttempts, readAttempts } from "./batch-tasks.ts";
import { createResultCheck } from "./check-result.ts";
import { createRateSettings, parseRate } from "./rates.ts";

const USAGE = `Usage: autogpt fleet run TASKS --on ssh:HOST|temporal://HOST:7233 --report DIR [options]

Has the tasks of a file done elsewhere, each as a run in an isolated copy. TASKS has one JSON object a line (-: from
standard input):

  {"task": "Update the license.", "repository": "../tool", "name": "license", "ways": 2,
   "models": ["gpt-5", "claude-sonnet-4-5@anthropic"], "settings": {"run.maxSteps": 40}}

Only "task" is needed. Without "repository", it's the folder of --workspace. Called again with the same report folder,
it continues where it was.

  --report DIR            the folder for its state and for report.md and report.json
  --budget USD            dollars for all runs together; each gets a part, and more while there is some
  --ways N                attempts at each task, 1 to ${MOST_WAYS}, which the report compares
  --models A,B,...        their models, in turn
  --at-once N             runs that work at once (4)
  --rate RATE             requests or tokens a minute for all runs together: 60/min, openai=60/min,
                          openai=90000tokens/min; may be given several times
  --check LINE            a command line that checks each result: brings it here, and runs in its copy, within the
                          sandbox; its exit code compares the ways
  --retries N             continue a run up to N times after trouble of its provider or its machine (1)
  --stop                  ask the runs that it has begun to stop
  --yes                   send without asking
  --json                  print changes, one JSON object a line

Settings of a run, such as --model and --set run.maxSteps=40, are those of all tasks. Nothing that a run asks is
answered by itself: the report has the commands for that. Docs: docs/fleet.md
`;

const OTHERS = {
  budget: { value: "USD" },
  ways: { value: "N" },
  models: { value: "A,B,..." },
  "at-once": { value: "N" },
  rate: { value: "RATE", isMultiple: true },
  retries: { value: "N" },
  check: { value: "LINE" },
  report: { value: "DIR" },
  stop: {},
} as const;

type BatchFlags = Flags<keyof typeof OTHERS | Parameters<Flags["has"]>[0]>;

const MOST_AT_ONCE = 200;
const MOST_RETRIES = 100;
const PAUSE_MS = 30_000;

/** A batch as the command line names it. */
interface BatchCall {
  readonly flags: BatchFlags;
  readonly around: Surroundings;
  readonly on: OtherPlace;
  readonly folder: string;
  readonly attempts: readonly BatchAttempt[];
  readonly hash: string;
  readonly numbers: BatchNumbers;
  readonly env: Environment;
  openPlaceFor(folder: string): Promise<OpenPlace>;
}

/** The numbers of a call. */
interface BatchNumbers {
  readonly atOnce: number;
  readonly retries: number;
  readonly ways?: number;
  readonly budgetUsd?: number;
}

/** `autogpt fleet run`: has many tasks done elsewhere. Throws `UsageError` and other sentences. */
export const runBatchCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, OTHERS);
  if (flags.has("help")) return printHelp(USAGE, around);
  const base = getBaseFolder(env);
  const [source, stranger] = flags.rest;
  if (source === undefined || stranger !== undefined)
    throw new UsageError("Name one file with tasks: fleet run TASKS.");
  const on = parseOtherPlace(flags, base);
  if (!on) throw new UsageError("Name the place for the runs: --on ssh:HOST or --on temporal://HOST:7233.");
  const report = flags.findValue("report");
  if (!report) throw new UsageError("Name a folder for the state of the batch and its report: --report DIR.");
  const workspace = await resolveWorkspaceFolder(resolve(base, flags.findValue("workspace") ?? base));
  const numbers: BatchNumbers = {
    atOnce: parseCountFlag(flags, "at-once", { most: MOST_AT_ONCE }) ?? 4,
    retries: parseCountFlag(flags, "retries", { least: 0, most: MOST_RETRIES }) ?? 1,
    ...omitUndefined({ ways: parseCountFlag(flags, "ways", { most: MOST_WAYS }), budgetUsd: parseBudget(flags) }),
  };
  const read = await readTasks(source, { base, workspace, flags, numbers, env, around });
  const places = new Map<string, Promise<OpenPlace>>();
  const openPlaceFor = (folder: string): Promise<OpenPlace> => {
    const place = places.get(folder) ?? openPlace({ ...on, folder }, around);
    places.set(folder, place);
    // One that can't be opened now may be there for the next task.
    place.catch(() => places.delete(folder));
    return place;
  };
  const call: BatchCall = { flags, around, on, folder: resolve(base, report), numbers, env, ...read, openPlaceFor };
  try {
    await openPlaceFor(read.attempts[0]?.folder ?? workspace);
    return await workOnBatch(call, workspace);
  } finally {
    for (const place of places.values()) await place.then(({ close }) => close()).catch(() => undefined);
  }
};

async function readTasks(
  source: string,
  at: {
    readonly base: string;
    readonly workspace: string;
    readonly flags: BatchFlags;
    readonly numbers: BatchNumbers;
    readonly env: Environment;
    readonly around: Surroundings;
  },
): Promise<Pick<BatchCall, "attempts" | "hash">> {
  const { base, workspace, flags, numbers, env, around } = at;
  const folders = new Map<string, Promise<string>>();
  const open = async (path: string): Promise<string> => {
    const folder = await resolveWorkspaceFolder(path).catch(() => undefined);
    if (folder === undefined) throw new Error(`there is no folder ${path}.`);
    if (!(await findRepositoryAround(folder))) throw new Error(`${folder} isn't in a git repository.`);
    return folder;
  };
  const defaults = {
    ways: numbers.ways,
    models: (flags.findValue("models") ?? "").split(",").flatMap((name) => name.trim() || []),
    settings: selectSentSettings((await loadSettings(workspace, collectSettingSources(flags, env))).given),
    resolveFolder: (path = workspace) => {
      const found = folders.get(path) ?? open(resolve(base, path));
      folders.set(path, found);
      return found;
    },
  };
  const plain = await readAttempts(
    source === "-" ? "The input" : source,
    await openTasks(source, base, around),
    defaults,
  );
  const rates = flags.listValues("rate").map(parseRate);
  const attempts = plain.map((attempt) => {
    const kept = createRateSettings(rates, numbers.atOnce, attempt.settings);
    return { ...attempt, settings: { ...attempt.settings, ...kept } };
  });
  return { attempts, hash: hashAttempts(plain) };
}

async function openTasks(
  source: string,
  base: string,
  { stdin }: Surroundings,
): Promise<AsyncIterable<Buffer | string>> {
  if (source === "-") return stdin;
  const file = await openLinkedFile(resolve(base, source)).catch(() => undefined);
  if (!file) throw new UsageError(`There is no file ${source} that can be read.`);
  return file.createReadStream();
}

async function workOnBatch(call: BatchCall, workspace: string): Promise<ProgramEnd> {
  const { flags, numbers, around, folder, attempts, hash, on } = call;
  const opened = await openBatchFolder(folder, around.data);
  try {
    const known = await readBatchJournal(opened.journal, opened.seal);
    if (known.start && (known.start.tasks !== hash || known.start.place !== on.name))
      throw new UsageError(
        `${folder} has the state of another batch: the tasks, their settings or the place are different. Call it as before, or name another folder with --report.`,
      );
    if (flags.has("stop")) return await stopRuns(call, known);
    const place = await call.openPlaceFor(attempts[0]?.folder ?? workspace);
    const folders = attempts.map((attempt) => attempt.folder);
    const what = "the tasks, the limits and the names of models";
    await demandConsent(place, { folders, runs: attempts.length, what, isAgreed: on.isAgreed }, around);
    const startedAt = known.start?.startedAt ?? new Date().toISOString();
    const journal = createBatchJournal(opened.journal, opened.seal, known.before);
    if (!known.start) await journal.add({ type: "batch", version: 1, tasks: hash, place: on.name, startedAt });
    const { budgetUsd } = numbers;
    const check = flags.findValue("check");
    const out = createOutput(around.stdout, () => undefined);
    const { stderr, signal } = around;
    const printed = new BatchPrinter({ isJson: flags.has("json"), stderr, signal, folder }, out);
    const writer = new ReportWriter(folder, (): BatchReport => {
      const rows = batch.listRows();
      const updatedAt = new Date().toISOString();
      const head = { version: 1, place: on.name, startedAt, updatedAt, spentUsd: sumUsd(rows) } as const;
      return { ...head, ...omitUndefined({ budgetUsd }), attempts: rows };
    });
    const batch: Batch = new Batch({
      attempts,
      known: known.attempts,
      journal,
      ...numbers,
      usualUsd: DEFAULT_SETTINGS.run.budgetUsd,
      pauseMs: PAUSE_MS,
      keepsPlaces: flags.has("rate"),
      ...(check === undefined ? {} : { checkResult: createResultCheck(check, call.env, around) }),
      signal,
      createRunId: createIdSource(),
      openEngine: async (path) => (await call.openPlaceFor(path)).engine,
      handleRow: (row) => {
        writer.schedule();
        printed.show(row, () => batch.listRows());
      },
    });
    await batch.run();
    await writer.write();
    await out.waitUntilFlushed();
    return printed.end(batch);
  } finally {
    await opened.release();
  }
}

/** Each ID once, although many runs begin within a second. */
function createIdSource(): () => string {
  const used = new Set<string>();
  return () => {
    for (;;) {
      const id = createRunId("batch", new Date());
      if (used.has(id)) continue;
      used.add(id);
      return id;
    }
  };
}

async function stopRuns({ attempts, around, openPlaceFor }: BatchCall, known: KnownBatch): Promise<ProgramEnd> {
  const openEngine = async (path: string): Promise<FleetEngine> => (await openPlaceFor(path)).engine;
  const { stopped, problems } = await stopAttempts(attempts, known.attempts, openEngine, around.signal);
  for (const problem of problems) around.stderr.write(`${escapeInvisible(problem)}\n`);
  around.stdout.write(`${formatQuantity(stopped, "run")} ${stopped === 1 ? "was" : "were"} asked to stop.\n`);
  return { kind: problems.length > 0 ? "problem" : "done" };
}

function parseBudget(flags: BatchFlags): number | undefined {
  const text = flags.findValue("budget");
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (!(usd > 0) || !Number.isFinite(usd)) throw new UsageError(`--budget takes dollars above 0, not "${text}".`);
  return usd;
}
