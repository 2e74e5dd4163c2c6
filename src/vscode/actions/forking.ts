import { dirname } from "node:path";
import * as vscode from "vscode";
import type { ModelPair } from "../../core/events/run.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { copyFolder } from "../../node/search/folder-contents.ts";
import { isRunning } from "../../panel/run-status.ts";
import { endOfStep, needsInstruction } from "../../runs/store/fork-events.ts";
import { copyOutputs } from "../../runs/store/run-outputs.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import { earlierStates, makeEarlier } from "../../runs/undo/earlier-files.ts";
import { undoJournal } from "../../runs/undo/journal.ts";
import { preImages } from "../../runs/undo/pre-images.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import type { Settings } from "../../schema/settings.ts";
import type { RunComposer } from "../host/compose.ts";
import type { HostedRun, HostedRuns } from "../host/hosted-runs.ts";
import { withProgress } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { readSettings } from "../host/settings.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { undoIn } from "../review/undo.ts";
import { folderForRun, openFolders, placeProblem } from "../workspace/folders.ts";

/** Which files a fork finds: those of now, those of the step in their place, or those of the step in a new folder. */
export type ForkFiles =
  | { readonly kind: "now" }
  | { readonly kind: "then" }
  | { readonly kind: "copy"; readonly to: string };

/** A fork as the user wants it. */
export interface ForkRequest {
  /** The run it branches off. */
  readonly run: string;
  /** The last step both have in common. */
  readonly step: number;
  readonly files: ForkFiles;
  readonly profile?: Profile;
  /** What the agent is told first. */
  readonly instruction?: string;
  /** The settings of another model. */
  readonly model?: Partial<Settings["model"]>;
  /** Takes the place of any configured model. */
  readonly models?: ModelPair;
}

/** What forking needs. */
export interface ForkDependencies {
  readonly runs: HostedRuns;
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly composer: RunComposer;
  readonly desk: ModelResolver;
}

/** A fork that goes on, and what became of the files. */
export interface ForkResult {
  readonly hosted: HostedRun;
  /** What undoing the later steps in place came to. */
  readonly undone?: UndoResult;
  /** Files of the new folder that could not be made as they were. */
  readonly lost: readonly string[];
}

/** Branches a run off another one and sets it going. Throws a sentence when that cannot be done; then nothing has changed. */
export async function fork(parts: ForkDependencies, wanted: ForkRequest): Promise<ForkResult> {
  const problem = placeProblem();
  if (problem !== undefined) throw new Error(problem);
  const parent = await parts.library.open(wanted.run);
  const [started] = parent.events;
  if (started?.type !== "started") throw new Error(parent.readOnly ?? "The run can't be read.");
  endOfStep(parent.events, wanted.step);
  if (needsInstruction(parent.events, wanted.step) && !wanted.instruction)
    throw new Error(
      "The task was complete after that step. Tell the fork what to do, or fork from an earlier step.",
    );
  const foreign = started.machine !== (await parts.library.machine());
  if (foreign && wanted.files.kind !== "now")
    throw new Error("A run from another machine can only be forked with the current files.");
  const folder = await folderOf(started.folder, wanted.files);
  const settings = readSettings(vscode.Uri.file(folder));
  const models =
    wanted.models ?? (await parts.desk.pair({ ...settings, model: { ...settings.model, ...wanted.model } }));
  const { undone, lost } = await makeFiles(parts, wanted, parent, started.folder);
  const hosted = await parts.composer.begin({
    task: started.task,
    profile: wanted.profile ?? started.profile,
    folder,
    settings,
    models,
    mode: "ask",
    branch: { events: parent.events, step: wanted.step, foreign, parent: wanted.run },
    ...(wanted.files.kind === "copy" ? { home: dirname(dirname(parent.folder)) } : {}),
  });
  await copyOutputs(parent.folder, hosted.home, wanted.step);
  if (wanted.instruction) await hosted.run.record({ type: "said", text: wanted.instruction, by: "user" });
  parts.runs.add(hosted);
  parts.runs.show(hosted.id);
  hosted.live?.resume();
  return { hosted, lost, ...(undone ? { undone } : {}) };
}

/** Where the fork works: in the new folder, where the other run did, or where that one does not exist, where the user says. */
async function folderOf(of: string, files: ForkFiles): Promise<string> {
  if (files.kind === "copy") return files.to;
  const open = openFolders().some(({ path }) => path === of);
  return folderForRun(open ? vscode.Uri.file(of) : undefined);
}

async function makeFiles(
  { stored }: ForkDependencies,
  { run, step, files }: ForkRequest,
  parent: StoredRun,
  folder: string,
): Promise<Pick<ForkResult, "undone" | "lost">> {
  if (files.kind === "now") return { lost: [] };
  if (files.kind === "copy") return { lost: await copyAsOf(parent, folder, files.to, step) };
  const hosted = await stored.open(run);
  if (isRunning(hosted))
    throw new Error("That run is still running. Stop it first, or fork to a new folder.");
  return { undone: await undoIn(hosted, { after: step }), lost: [] };
}

function copyAsOf(parent: StoredRun, folder: string, copy: string, step: number): Promise<readonly string[]> {
  return withProgress("AutoGPT: copying the files", async (signal) => {
    const kept = preImages(parent.folder);
    await copyFolder(folder, copy, signal);
    const lines = await undoJournal(parent.folder, kept).read();
    return makeEarlier(earlierStates(lines, step), { from: folder, copy, kept });
  });
}
