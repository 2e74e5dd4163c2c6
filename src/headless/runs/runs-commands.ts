import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { counted, visible, visibleJson } from "../../core/base/text.ts";
import { linkedText } from "../../plain-file.ts";
import type { ExportFormat } from "../../runs/export/export-run.ts";
import type { StepDiffs } from "../../runs/export/step-diffs.ts";
import { MOST_LOG_BYTES } from "../../runs/log/log-lines.ts";
import { homeFolder } from "../../runs/store/run-folder.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { undoJournal } from "../../runs/undo/journal.ts";
import { preImages } from "../../runs/undo/pre-images.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import { openRun } from "../../runtime/compose-run.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import { type ForkFiles, forkRun } from "../../runtime/fork-run.ts";
import { conflictText, redoIn, undoIn } from "../../runtime/run-undo.ts";
import { storedEvent } from "../../schema/readers.ts";
import { inEnglish } from "../../texts/display-text.ts";
import { eventText } from "../display.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { type FlagName, type Flags, readFlags } from "../flags.ts";
import { baseFolder, type RunOptions, runOptions } from "../options.ts";
import { homesOf } from "../place.ts";
import { hear, resumeRun, startContinuous, toItsEnd, withResources } from "../run-headless.ts";
import { inSession, type Session, type Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { acceptOf, changesOf, discardOf } from "./isolated-commands.ts";

/** Flags of `runs` beside those of a run. */
const OTHERS = {
  step: { value: "N" },
  redo: {},
  file: { value: "FILE", isMultiple: true },
  replace: { value: "FILE", isMultiple: true },
  branch: { value: "NAME" },
  undo: {},
  stat: {},
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
  named(): string;
}

type RunsAction = (session: Session, call: RunsCall) => Promise<ProgramEnd>;

const ACTIONS: Readonly<Record<string, RunsAction>> = {
  list,
  show,
  resume: async (session, call) => ({ kind: "run", end: await resumeRun(session, call.named()) }),
  fork,
  undo,
  changes: (session, { named, flags }) => changesOf(session, named(), { isStat: flags.has("stat") }),
  accept: (session, { named, flags }) => {
    const branch = flags.text("branch");
    const files = { files: flags.all("file"), replaced: flags.all("replace") };
    const options = { ...files, isUndo: flags.has("undo") };
    return acceptOf(session, named(), { ...options, ...(branch === undefined ? {} : { branch }) });
  },
  discard: (session, { named }) => discardOf(session, named()),
  export: exportTo,
  import: importFrom,
};

/** `autogpt runs …`: lists, shows, resumes, forks, undoes, reviews, exports and imports stored runs. Throws `UsageError`. */
export async function runsCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<ProgramEnd> {
  const flags = readFlags(argv, OTHERS);
  const [name = "", first, ...more] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new UsageError(`"runs" takes one of these: ${Object.keys(ACTIONS).join(", ")}.`);
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many after runs ${name}.`);
  const options = runOptions(flags, env, "stored run");
  const named = (): string => {
    if (first === undefined) throw new UsageError(`Name the run: runs ${name} ID. "runs list" lists them.`);
    return first;
  };
  return inSession(options, around, (session) => action(session, { flags, around, options, named }));
}

async function list({ host, options, out }: Session): Promise<ProgramEnd> {
  const runs = await host.store.list();
  for (const run of runs)
    out.line(options.json ? visibleJson(JSON.stringify(run)) : visible(summaryLine(run)));
  if (runs.length === 0 && !options.json) out.line("No runs are stored in this folder.");
  return { kind: "done" };
}

function summaryLine({ id, state, steps, usd, unpriced, task, title }: RunSummary): string {
  const cost = unpriced || usd === 0 ? "" : `, $${usd.toFixed(4)}`;
  return `${id}  ${state}, ${counted(steps, "step")}${cost}  ${(title ?? task).split("\n")[0]}`;
}

async function show({ host, options, out }: Session, { named }: RunsCall): Promise<ProgramEnd> {
  const { events, readOnly } = await host.store.open(named());
  for (const event of events) {
    const text = options.json ? visibleJson(JSON.stringify(storedEvent(event))) : eventText(event);
    if (text !== "") out.line(text);
  }
  if (readOnly !== undefined && !options.json) out.line(visible(inEnglish(readOnly)));
  return { kind: "done" };
}

async function fork(session: Session, { flags, options, around, named }: RunsCall): Promise<ProgramEnd> {
  const { host, workspace, warn } = session;
  const parent = await host.store.open(named());
  const step = wholeNumber(
    flags.text("step") ?? "",
    "--step takes the last step that both runs have in common",
  );
  const files = forkFiles(flags.text("files"), options);
  const { task } = (await withResources(session)).options;
  const instruction = task === undefined ? {} : { instruction: task };
  const folder = files.kind === "copy" ? files.to : workspace;
  const forked = await forkRun(
    host,
    { parent, step, files, folder, models: await host.models.pair(folder), ...instruction },
    {
      undoAfter: (after) => undoingIn(session, parent, (run) => undoIn(run, { after })),
      copying: (copy) => copy(around.signal),
    },
  );
  for (const file of forked.lost) warn(`${file} could not be made as it was.`);
  const left = forked.undone && conflictText(forked.undone);
  if (left) warn(inEnglish(left));
  hear(session, forked.fork, true);
  await startContinuous(session, forked.fork);
  return { kind: "run", end: await toItsEnd(session, forked.fork) };
}

function forkFiles(text: string | undefined, { sources }: RunOptions): ForkFiles {
  if (text === undefined || text === "now") return { kind: "now" };
  return text === "then" ? { kind: "then" } : { kind: "copy", to: resolve(baseFolder(sources.env), text) };
}

async function undo(session: Session, { flags, named }: RunsCall): Promise<ProgramEnd> {
  const { host, out } = session;
  const step = flags.text("step");
  const wanted = step === undefined ? {} : { step: wholeNumber(step, "--step takes a step's number") };
  const isRedo = flags.has("redo");
  const stored = await host.store.open(named());
  const done = await undoingIn(session, stored, (run) => (isRedo ? redoIn(run) : undoIn(run, wanted)));
  const files = [...new Set(done.steps.flatMap((one) => one.files))];
  const word = isRedo ? "Redone" : "Undone";
  out.line(
    visible(files.length > 0 ? `${word}: ${files.join(", ")}.` : "No changes of files could be undone."),
  );
  const left = conflictText(done);
  if (left !== undefined) out.line(visible(inEnglish(left)));
  if (done.unseen.length > 0)
    out.line(`Step ${done.unseen.join(", ")} ran a program: what that changed is not undone.`);
  return left === undefined ? { kind: "done" } : { kind: "problem" };
}

/** Opens a run, undoes or redoes in it, and lets it go. */
async function undoingIn(
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

async function exportTo({ host, out, options }: Session, { flags, named }: RunsCall): Promise<ProgramEnd> {
  const id = named();
  const name = flags.text("format") ?? "markdown";
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format)
    throw new UsageError(`--format takes one of these: ${Object.keys(FORMATS).join(", ")}, not "${name}".`);
  const run = await host.store.open(id);
  const { exportRun } = await import("../../runs/export/export-run.ts");
  const files = exportRun(run.events, format.format, await host.secrets.all(), await diffsOf(run));
  if (files.every(({ text }) => text === ""))
    throw new Error("This run has nothing to export in that form yet. Choose another one.");
  const output = flags.text("output");
  const [only] = files;
  if (format.extension !== undefined && output === undefined && only) {
    out.line(only.text.trimEnd());
    return { kind: "done" };
  }
  const target = resolve(baseFolder(options.sources.env), output ?? id);
  for (const file of files) {
    const path = format.extension === undefined ? join(target, file.name) : target;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.text);
  }
  out.line(visible(`The run was exported to ${target}.`));
  return { kind: "done" };
}

/** Changes of files by the run's steps, as far as this machine has them. */
async function diffsOf({ folder, events: [started], readOnly }: StoredRun): Promise<StepDiffs> {
  if (started?.type !== "started" || readOnly !== undefined) return new Map();
  const { stepDiffs } = await import("../../runs/export/step-diffs.ts");
  const kept = preImages(folder);
  return stepDiffs(await undoJournal(folder, kept).read(), { kept, folder: started.folder });
}

async function importFrom(
  { workspace, around, out, options }: Session,
  { named }: RunsCall,
): Promise<ProgramEnd> {
  const path = resolve(baseFolder(options.sources.env), named());
  const text = await linkedText(path, MOST_LOG_BYTES).catch(() => undefined);
  if (text === undefined)
    throw new UsageError(`${path} can't be read. Name a run that was exported as JSON.`);
  const { importRun } = await import("../../runs/export/import-run.ts");
  const home = await homeFolder(workspace, homesOf(workspace, around.data).fallback);
  out.line(`The run was imported as ${await importRun(home, text)}.`);
  return { kind: "done" };
}

function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${what}, not "${text}".`);
  return Number(text);
}
