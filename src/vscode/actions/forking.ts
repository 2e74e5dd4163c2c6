import { omitUndefined } from "../../core/base/objects.ts";
import type { ModelPair } from "../../core/events/run.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { isRunning } from "../../editor/panel/run-status.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import type { ForkFiles, ForkOptions } from "../../runtime/fork-run.ts";
import { undoSteps } from "../../runtime/run-undo.ts";
import type { Settings } from "../../schema/settings.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showProgress } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { readSettings } from "../host/settings.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { chooseRunFolder, findPlaceProblem, isOpenFolder } from "../workspace/folders.ts";
import { convertPathToUri } from "../workspace/places.ts";

/** A fork that the user requested. */
export interface ForkRequest
  extends Pick<ForkOptions, "task" | "mode" | "until" | "attached" | "pictures" | "sources"> {
  /** The run to fork. */
  readonly run: string;
  /** The last step that both have in common. */
  readonly step: number;
  readonly files: ForkFiles;
  readonly profile?: Profile;
  /** The first instruction for the agent. */
  readonly instruction?: string;
  /** The settings of another model. */
  readonly model?: Partial<Settings["model"]>;
  /** Replaces the configured models. */
  readonly models?: ModelPair;
}

/** Dependencies of forking. */
export interface ForkDependencies {
  readonly runs: HostedRuns;
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly opener: RunOpener;
  readonly desk: ModelResolver;
}

/** A running fork, and the result for its files. */
export interface ForkResult {
  readonly hosted: HostedRun;
  /** The result of undoing the later steps in place. */
  readonly undone?: UndoResult;
  /** Files of the new folder that couldn't be restored. */
  readonly lost: readonly string[];
}

/** Forks a run and starts the fork. Throws a sentence when that isn't possible; then nothing has changed. */
export async function fork(parts: ForkDependencies, wanted: ForkRequest): Promise<ForkResult> {
  const problem = findPlaceProblem();
  if (problem !== undefined) throw new Error(problem);
  const { opener, desk } = parts;
  const { run, instruction, model: _model, models: _models, ...others } = wanted;
  const branch = { ...others, parent: await parts.library.open(run), ...(instruction ? { instruction } : {}) };
  const started = await opener.demandForkable(branch);
  const folder = await chooseForkFolder(started.folder, wanted.files);
  const settings = readSettings(convertPathToUri(folder));
  const models =
    wanted.models ?? (await desk.createModelPair({ ...settings, model: { ...settings.model, ...wanted.model } }));
  const forked = await opener.fork(
    { ...branch, folder, models },
    {
      undoAfter: (after) => undoAfter(parts, run, after),
      copyWithProgress: (copy) => showProgress(t("runs.fork.copying"), copy),
    },
  );
  parts.runs.add(forked.fork);
  parts.runs.show(forked.fork.id);
  forked.fork.live.resume();
  return {
    hosted: forked.fork,
    lost: forked.lost,
    ...omitUndefined({ undone: forked.undone }),
  };
}

/** Chooses the fork's folder: the new one, the parent's, or the user's pick if the parent's doesn't exist. */
async function chooseForkFolder(of: string, files: ForkFiles): Promise<string> {
  if (files.kind === "copy") return files.to;
  return chooseRunFolder(isOpenFolder(of) ? convertPathToUri(of) : undefined);
}

async function undoAfter({ stored }: ForkDependencies, run: string, step: number): Promise<UndoResult> {
  const hosted = await stored.open(run);
  if (isRunning(hosted)) fail("runs.fork.running");
  return undoSteps(hosted, { after: step });
}
