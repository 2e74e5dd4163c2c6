import { dirname } from "node:path";
import { omitUndefined } from "../core/base/objects.ts";
import { isUriPath } from "../core/base/uri-path.ts";
import type { ModelPair, StartedBody } from "../core/events/run.ts";
import { createPictureFields } from "../core/loop/live-run.ts";
import type { Profile } from "../core/prompt/profile.ts";
import { copyFolder } from "../node/search/folder-contents.ts";
import { countEventsUpToStep, isInstructionNeeded } from "../runs/store/fork-events.ts";
import { copyOutputs } from "../runs/store/run-outputs.ts";
import { type CheckedPicture, copyPictures, keepPictures } from "../runs/store/run-pictures.ts";
import type { StoredRun } from "../runs/store/run-store.ts";
import { listEarlierStates, makeEarlier } from "../runs/undo/earlier-files.ts";
import { createUndoJournal } from "../runs/undo/journal.ts";
import { createPreImages } from "../runs/undo/pre-images.ts";
import type { UndoResult } from "../runs/undo/undo.ts";
import type { AttachedPicture, Source } from "../schema/run-values.ts";
import { DisplayError, displayText, fail } from "../texts/display-text.ts";
import { beginRun } from "./compose-run.ts";
import type { LiveComposedRun } from "./composed-run.ts";
import type { NewRun } from "./first-event.ts";
import type { Host } from "./host.ts";

/** Which files a fork finds: the current ones, those of the step restored in place, or those of the step in a new folder. */
export type ForkFiles =
  | { readonly kind: "now" }
  | { readonly kind: "then" }
  | { readonly kind: "copy"; readonly to: string };

/** An earlier message of the user in other words. */
export interface EditedMessage {
  /** The message's event; 0: the task. */
  readonly seq: number;
  readonly text: string;
  readonly pictures: readonly CheckedPicture[];
}

/** A branch of a run. */
export interface ForkOptions {
  /** The run it branches off. */
  readonly parent: StoredRun;
  /** The last step both have in common. */
  readonly step: number;
  readonly files: ForkFiles;
  readonly profile?: Profile;
  /** The first message to the agent. */
  readonly instruction?: string;
  /** Its task in other words. */
  readonly task?: string;
  /** Absent: it asks. */
  readonly mode?: NewRun["mode"];
  /** Events of the parent from this one on are left out. */
  readonly until?: number;
  /** Pictures of the parent, and new ones, that the first message has. */
  readonly attached?: readonly AttachedPicture[];
  readonly pictures?: readonly CheckedPicture[];
  /** Untrusted sources of the first message. */
  readonly sources?: readonly Source[];
  /** The folder it works in. */
  readonly folder: string;
  readonly models: ModelPair;
}

/** A new fork, and the result for its files. */
export interface ForkedRun {
  readonly fork: LiveComposedRun;
  /** The result of undoing the later steps in place. */
  readonly undone?: UndoResult;
  /** Files that couldn't be restored in the new folder. */
  readonly lost: readonly string[];
}

/** A host's actions that restore earlier files. */
export interface ForkFileActions {
  /** Undoes the later steps of the parent in place. */
  undoAfter(step: number): Promise<UndoResult>;
  /** Shows that files are being copied. */
  copyWithProgress<T>(copy: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Loads the start of a run that can be forked this way. Throws a sentence if it can't. */
export async function loadForkableStart(
  host: Host,
  { parent, step, files, instruction }: Pick<ForkOptions, "parent" | "step" | "files" | "instruction">,
): Promise<StartedBody> {
  const [started] = parent.events;
  if (started?.type !== "started") throw new DisplayError(parent.readOnly ?? displayText("trouble.runUnreadable"));
  if (started.isolated && files.kind !== "now") fail("isolation.forkNow");
  countEventsUpToStep(parent.events, step);
  if (isInstructionNeeded(parent.events, step) && !instruction) fail("trouble.forkNeedsInstruction");
  if (files.kind === "copy" && isUriPath(started.folder)) fail("trouble.forkCantCopyVirtual");
  if (files.kind !== "now" && (await isForeign(host, started))) fail("trouble.forkFromOtherMachine");
  return started;
}

/** Branches a run off another one; `live.resume()` starts it. Throws a sentence if that fails; then nothing has changed. */
export async function forkRun(host: Host, options: ForkOptions, actions: ForkFileActions): Promise<ForkedRun> {
  const { parent, step, files, folder, models, instruction = "", attached = [], pictures = [], sources = [] } = options;
  const started = await loadForkableStart(host, options);
  const { undone, lost } = await makeFiles(options, started.folder, actions);
  const wanted: NewRun = {
    task: options.task ?? started.task,
    profile: omitModel(options.profile ?? started.profile),
    folder,
    settings: host.getSettings(folder),
    models,
    mode: started.isolated ? "isolated" : (options.mode ?? "ask"),
    branch: {
      events: parent.events,
      step,
      until: options.until,
      foreign: await isForeign(host, started),
      parent: parent.id,
    },
    ...(files.kind === "copy" ? { home: dirname(dirname(parent.folder)) } : {}),
  };
  const fork = started.isolated
    ? await actions.copyWithProgress((signal) => beginRun(host, { ...wanted, copying: { signal, from: parent } }))
    : await beginRun(host, wanted);
  await copyOutputs(parent.folder, fork.home, step);
  await copyPictures(parent.folder, fork.home, parent.events);
  const shown = [...attached, ...(await keepPictures(fork.home, pictures))];
  const from = sources.length > 0 ? { sources } : {};
  const message = { type: "said", text: instruction, by: "user", ...createPictureFields(shown), ...from } as const;
  const said = instruction || shown.length > 0 ? [await fork.run.record(message)] : [];
  return {
    fork: Object.assign(fork, { past: [...fork.past, ...said] }),
    lost,
    ...omitUndefined({ undone }),
  };
}

/** A fork's models are chosen separately, so its profile names none. */
function omitModel({ model: _model, ...profile }: Profile): Profile {
  return profile;
}

async function isForeign({ storage }: Host, { id, machine }: StartedBody): Promise<boolean> {
  return machine !== (await storage.getMachineMark(id));
}

async function makeFiles(
  { parent, step, files }: ForkOptions,
  from: string,
  { undoAfter, copyWithProgress }: ForkFileActions,
): Promise<Omit<ForkedRun, "fork">> {
  switch (files.kind) {
    case "now":
      return { lost: [] };
    case "then":
      return { undone: await undoAfter(step), lost: [] };
    case "copy":
      return {
        lost: await copyWithProgress(async (signal) => {
          const kept = createPreImages(parent.folder);
          await copyFolder(from, files.to, signal);
          const lines = await createUndoJournal(parent.folder, kept).read();
          return makeEarlier(listEarlierStates(lines, step), { from, copy: files.to, kept });
        }),
      };
  }
}
