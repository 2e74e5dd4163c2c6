import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { hasCode } from "../../node/files/file-errors.ts";
import { fileText } from "../../plain-file.ts";
import type { FileState } from "../../runs/undo/file-state.ts";
import { type UndoJournal, undoJournal } from "../../runs/undo/journal.ts";
import { type PreImages, preImages } from "../../runs/undo/pre-images.ts";
import { pathHistories } from "../../runs/undo/undo-plan.ts";
import { isAcceptPlan } from "../../schema/host-validators.ts";
import type { AcceptPlan } from "../../schema/stored-files.ts";
import { fail } from "../../texts/display-text.ts";
import { linkedFiles } from "./versions.ts";

/**
 * The accepted changes of an isolated run, in a folder of the run's own: contents by their hashes, an undo journal, and a plan for
 * each acceptance. The run's own journal is about the copy.
 */
export interface AcceptedChanges {
  readonly folder: string;
  readonly kept: PreImages;
  readonly journal: UndoJournal;
}

/** Contents of accepted changes take at most this much in a run's folder. */
const MAX_BYTES = 4 * 1024 ** 3;

/** The plan of an acceptance that is being carried out. */
export const PLAN = "plan.json";
const DONE = /^accepted-(\d+)\.json$/;

export function acceptedChanges(runHome: string): AcceptedChanges {
  const folder = join(runHome, "accepted");
  const kept = preImages(folder, MAX_BYTES);
  return { folder, kept, journal: undoJournal(folder, kept, linkedFiles) };
}

/** The name of the plan of a finished acceptance. */
export function doneName(step: number): string {
  return `accepted-${step}.json`;
}

/** The plan that was not finished; undefined if there is none. Throws a sentence if it's damaged. */
export async function unfinishedPlan({ folder }: AcceptedChanges): Promise<AcceptPlan | undefined> {
  const text = await fileText(join(folder, PLAN)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const plan = tryJson(text);
  return isAcceptPlan(plan) ? plan : fail("isolation.accept.damaged", { folder });
}

/** The step of the next acceptance. */
export async function nextStep({ journal }: AcceptedChanges): Promise<number> {
  const lines = await journal.read();
  return 1 + lines.reduce((most, line) => Math.max(most, "step" in line ? line.step : 0), 0);
}

/**
 * For each path with an accepted change in effect, the state in the copy that was accepted. Both sides have what led to it, so later
 * changes of both are compared with it.
 */
export async function acceptedStates(accepted: AcceptedChanges): Promise<ReadonlyMap<string, FileState>> {
  const steps = (await readdir(accepted.folder).catch(() => []))
    .map((name) => Number(DONE.exec(name)?.[1] ?? 0))
    .filter((step) => step > 0)
    .toSorted((one, other) => one - other);
  if (steps.length === 0) return new Map();
  const histories = pathHistories(await accepted.journal.read());
  const standing = new Set(
    histories.flatMap(({ path, standing: deeds }) => deeds.map(({ step }) => `${step} ${path}`)),
  );
  const states = new Map<string, FileState>();
  for (const step of steps) {
    const plan = tryJson(await fileText(join(accepted.folder, doneName(step))));
    if (!isAcceptPlan(plan)) continue;
    for (const { path, theirs } of plan.paths)
      if (theirs && standing.has(`${step} ${path}`)) states.set(path, theirs);
  }
  return states;
}
