import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible, escapeInvisibleJson, formatQuantity } from "../../core/base/text.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import type { ExportFormat } from "../../runs/export/export-run.ts";
import { loadStepDiffs } from "../../runs/export/step-diffs.ts";
import { MOST_LOG_BYTES } from "../../runs/log/log-lines.ts";
import { ensureHomeFolder } from "../../runs/store/run-folder.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import { openRun } from "../../runtime/compose-run.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import { type ForkFiles, forkRun } from "../../runtime/fork-run.ts";
import { describeConflicts, redoLatestUndo, undoSteps } from "../../runtime/run-undo.ts";
import { convertToStoredEvent } from "../../schema/readers.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { renderEvent } from "../display.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { type FlagName, type Flags, readFlags } from "../flags.ts";
import { createRunOptions, getBaseFolder, type RunOptions } from "../options.ts";
import { getRunHomes } from "../place.ts";
import { addResources, hear, resumeRun, startContinuous, toItsEnd } from "../run-headless.ts";
import { runWithSession, type Session, type Subcommand, type Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { acceptRunChanges, discardRunCopy, showRunChanges } from "./isolated-commands.ts";
import { createRunPullRequest } from "./pull-request.ts";

/** Flags of `runs` in addition to a run's flags. */
const OTHERS = {
  step: { value: "N" },
  redo: {},
  file: { value: "FILE", isMultiple: true },
  replace: { value: "FILE", isMultiple: true },
  branch: { value: "NAME" },
  undo: {},
  stat: {},
  yes: {},
  files: { value: "now|then|DIR" },
  format: { value: "FORMAT" },
  output: { short: "o", value: "PATH" },
} as const;

const FORMATS: Readonly<Record<string, { readonly format: ExportFormat; readonly extension?: string }>> = {
  markdown: { format: "markdown", extension: "md" },
  html: { format: "html", extension: "html" },
  json: { format: "json", extension: "json" },
  debugLog: { format: "debugLog" },
  fineTuning: { format: "fineTuning", extension: "jsonl" },
  fineTuningLasting: { format: "fineTuningLasting", extension: "jsonl" },
};

type RunsFlags = Flags<FlagName | keyof typeof OTHERS>;

/** A call of `runs`, as its commands see it. */
interface RunsCall {
  readonly flags: RunsFlags;
  readonly around: Surroundings;
  readonly options: RunOptions;
  /** The word after the command, usually the id of a run. Throws `UsageError` if it is missing. */
  getNamedWord(): string;
}

type RunsAction = (session: Session, call: RunsCall) => Promise<ProgramEnd>;

const ACTIONS: Readonly<Record<string, RunsAction>> = {
  list,
  show,
  resume: async (session, call) => ({ kind: "run", end: await resumeRun(session, call.getNamedWord()) }),
  fork,
  undo,
  changes: (session, { getNamedWord: named, flags }) => showRunChanges(session, named(), { isStat: flags.has("stat") }),
  accept: (session, { getNamedWord: named, flags }) => {
    const branch = flags.findValue("branch");
    const files = { files: flags.listValues("file"), replaced: flags.listValues("replace") };
    const options = { ...files, isUndo: flags.has("undo") };
    return acceptRunChanges(session, named(), { ...options, ...omitUndefined({ branch }) });
  },
  pr: (session, { getNamedWord: named, flags }) =>
    createRunPullRequest(session, named(), { branch: flags.findValue("branch"), isAgreed: flags.has("yes") }),
  discard: (session, { getNamedWord: named }) => discardRunCopy(session, named()),
  export: exportTo,
  import: importFrom,
};

/** `autogpt runs …`: lists, shows, resumes, forks, undoes, reviews, exports and imports stored runs. Throws `UsageError`. */
export const runRunsCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, OTHERS);
  const [name = "", first, ...more] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new UsageError(`"runs" takes one of these: ${Object.keys(ACTIONS).join(", ")}.`);
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many after runs ${name}.`);
  const options = createRunOptions(flags, env, "stored run");
  const getNamedWord = (): string => {
    if (first === undefined) throw new UsageError(`Name the run: runs ${name} ID. "runs list" lists them.`);
    return first;
  };
  return runWithSession(options, around, (session) => action(session, { flags, around, options, getNamedWord }));
};

async function list({ host, options, out }: Session): Promise<ProgramEnd> {
  const runs = await host.store.list();
  for (const run of runs)
    out.writeLine(options.json ? escapeInvisibleJson(JSON.stringify(run)) : escapeInvisible(renderSummaryLine(run)));
  if (runs.length === 0 && !options.json) out.writeLine("No runs are stored in this folder.");
  return { kind: "done" };
}

function renderSummaryLine({ id, state, holder, steps, usd, unpriced, task, title }: RunSummary): string {
  const cost = unpriced || usd === 0 ? "" : `, $${usd.toFixed(4)}`;
  const doing = holder ? `in progress in process ${holder.pid}` : state;
  return `${id}  ${doing}, ${formatQuantity(steps, "step")}${cost}  ${(title ?? task).split("\n")[0]}`;
}

async function show({ host, options, out }: Session, { getNamedWord: named }: RunsCall): Promise<ProgramEnd> {
  const { events, readOnly } = await host.store.open(named());
  for (const event of events) {
    const text = options.json ? escapeInvisibleJson(JSON.stringify(convertToStoredEvent(event))) : renderEvent(event);
    if (text !== "") out.writeLine(text);
  }
  if (readOnly !== undefined && !options.json) out.writeLine(escapeInvisible(writeInEnglish(readOnly)));
  return { kind: "done" };
}

async function fork(session: Session, { flags, options, around, getNamedWord: named }: RunsCall): Promise<ProgramEnd> {
  const { host, workspace, warn } = session;
  const parent = await host.store.open(named());
  const step = parseWholeNumber(
    flags.findValue("step") ?? "",
    "--step takes the last step that both runs have in common",
  );
  const files = parseForkFiles(flags.findValue("files"), options);
  const { task } = (await addResources(session)).options;
  const instruction = task === undefined ? {} : { instruction: task };
  const folder = files.kind === "copy" ? files.to : workspace;
  const forked = await forkRun(
    host,
    { parent, step, files, folder, models: await host.models.resolveModelPair(folder), ...instruction },
    {
      undoAfter: (after) => runUndo(session, parent, (run) => undoSteps(run, { after })),
      copyWithProgress: (copy) => copy(around.signal),
    },
  );
  for (const file of forked.lost) warn(`${file} could not be made as it was.`);
  const left = forked.undone && describeConflicts(forked.undone);
  if (left) warn(writeInEnglish(left));
  hear(session, forked.fork, true);
  await startContinuous(session, forked.fork);
  return { kind: "run", end: await toItsEnd(session, forked.fork) };
}

function parseForkFiles(text: string | undefined, { sources }: RunOptions): ForkFiles {
  if (text === undefined || text === "now") return { kind: "now" };
  return text === "then" ? { kind: "then" } : { kind: "copy", to: resolve(getBaseFolder(sources.env), text) };
}

async function undo(session: Session, { flags, getNamedWord: named }: RunsCall): Promise<ProgramEnd> {
  const { host, out } = session;
  const step = flags.findValue("step");
  const wanted = step === undefined ? {} : { step: parseWholeNumber(step, "--step takes a step's number") };
  const isRedo = flags.has("redo");
  const stored = await host.store.open(named());
  const done = await runUndo(session, stored, (run) => (isRedo ? redoLatestUndo(run) : undoSteps(run, wanted)));
  const files = [...new Set(done.steps.flatMap((one) => one.files))];
  const word = isRedo ? "Redone" : "Undone";
  out.writeLine(
    escapeInvisible(files.length > 0 ? `${word}: ${files.join(", ")}.` : "No changes of files could be undone."),
  );
  const left = describeConflicts(done);
  if (left !== undefined) out.writeLine(escapeInvisible(writeInEnglish(left)));
  if (done.unseen.length > 0)
    out.writeLine(`Step ${done.unseen.join(", ")} ran a program: what that changed is not undone.`);
  return left === undefined ? { kind: "done" } : { kind: "problem" };
}

/** Opens a run, undoes or redoes steps, and closes it. */
async function runUndo(
  { host }: Session,
  stored: StoredRun,
  act: (run: ComposedRun) => Promise<UndoResult>,
): Promise<UndoResult> {
  const run = await openRun(host, stored);
  try {
    return await act(run);
  } finally {
    await run.dispose();
  }
}

async function exportTo(
  { host, out, options }: Session,
  { flags, getNamedWord: named }: RunsCall,
): Promise<ProgramEnd> {
  const id = named();
  const name = flags.findValue("format") ?? "markdown";
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) throw new UsageError(`--format takes one of these: ${Object.keys(FORMATS).join(", ")}, not "${name}".`);
  const run = await host.store.open(id);
  const { exportRun } = await import("../../runs/export/export-run.ts");
  const files = exportRun(run.events, format.format, await host.secrets.listKeys(), await loadStepDiffs(run));
  if (files.every(({ text }) => text === ""))
    throw new Error("This run has nothing to export in that form yet. Choose another one.");
  const output = flags.findValue("output");
  const [only] = files;
  if (format.extension !== undefined && output === undefined && only) {
    out.writeLine(only.text.trimEnd());
    return { kind: "done" };
  }
  const target = resolve(getBaseFolder(options.sources.env), output ?? id);
  for (const file of files) {
    const path = format.extension === undefined ? join(target, file.name) : target;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.text);
  }
  out.writeLine(escapeInvisible(`The run was exported to ${target}.`));
  return { kind: "done" };
}

async function importFrom(
  { workspace, around, out, options }: Session,
  { getNamedWord: named }: RunsCall,
): Promise<ProgramEnd> {
  const path = resolve(getBaseFolder(options.sources.env), named());
  const text = await readLinkedText(path, MOST_LOG_BYTES).catch(() => undefined);
  if (text === undefined) throw new UsageError(`${path} can't be read. Name a run that was exported as JSON.`);
  const { importRun } = await import("../../runs/export/import-run.ts");
  const home = await ensureHomeFolder(workspace, getRunHomes(workspace, around.data).fallback);
  out.writeLine(`The run was imported as ${await importRun(home, text)}.`);
  return { kind: "done" };
}

function parseWholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${what}, not "${text}".`);
  return Number(text);
}
