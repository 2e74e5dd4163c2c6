import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { isBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import { readSeal, removeSeal, type Seal, sealLine } from "../../runs/log/log-seal.ts";
import { findFolderProblem } from "../../runs/store/run-folder.ts";
import { type FileState, isSameState } from "../../runs/undo/file-state.ts";
import { createUndoJournal, type UndoJournal } from "../../runs/undo/journal.ts";
import { createPreImages, type PreImages } from "../../runs/undo/pre-images.ts";
import { collectPathHistories } from "../../runs/undo/undo-plan.ts";
import { isAcceptPlan } from "../../schema/host-validators.ts";
import type { AcceptPlan } from "../../schema/stored-files.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { isForbiddenName } from "./own-yes.ts";
import { linkedFiles } from "./versions.ts";

/** The places that an acceptance reads and writes. */
export interface AcceptedPlace {
  /** The run's own folder, which the copy has no access to. */
  readonly runHome: string;
  /** Real paths of the workspace folders. */
  readonly origins: readonly string[];
  /** The user's seal for the run, needed because others can put files into its folder. */
  readonly seal: Seal;
}

/**
 * The accepted changes of an isolated run, in their own folder: contents by hash, an undo journal, and one plan per acceptance. The run's
 * own journal covers only the copy.
 */
export interface AcceptedChanges {
  readonly folder: string;
  readonly place: AcceptedPlace;
  readonly kept: PreImages;
  readonly journal: UndoJournal;
}

/** Contents of accepted changes take at most this much in a run's folder. */
const MAX_BYTES = 4 * 1024 ** 3;

/** The plan of an acceptance in progress. */
export const PLAN = "plan.json";
const DONE = /^accepted-(\d+)\.json$/;

export function createAcceptedChanges(place: AcceptedPlace): AcceptedChanges {
  const folder = getAcceptedFolderPath(place.runHome);
  const kept = createPreImages(folder, MAX_BYTES);
  return { folder, place, kept, journal: createUndoJournal(folder, kept, linkedFiles, place.seal) };
}

/** The folder of a run's accepted changes. Throws a sentence if it's a link, which would lead elsewhere. */
export async function findAcceptedFolder(runHome: string): Promise<string> {
  const problem = await findFolderProblem(getAcceptedFolderPath(runHome));
  if (problem !== undefined) throw new DisplayError(problem);
  return getAcceptedFolderPath(runHome);
}

function getAcceptedFolderPath(runHome: string): string {
  return join(runHome, "accepted");
}

/** True if a plan's path is a file of the workspace or its repository, and not part of git's own data. */
async function isInsideWorkspace(path: string, { origins }: AcceptedPlace): Promise<boolean> {
  const around = await Promise.all(origins.map(async (origin) => (await findRepositoryAround(origin))?.root));
  const roots = [...origins, ...around.filter((root) => root !== undefined)];
  const root = roots.find((one) => isBelow(path, one));
  return root !== undefined && !isForbiddenName(normalizeSlashes(path.slice(root.length)).slice(1), process.platform);
}

/** The name of the plan of a finished acceptance. */
export function getFinishedPlanName(step: number): string {
  return `accepted-${step}.json`;
}

/** Finds the unfinished plan; undefined if there is none. Throws a sentence if it's damaged, or not the user's. */
export async function findUnfinishedPlan(accepted: AcceptedChanges): Promise<AcceptPlan | undefined> {
  const { folder, place } = accepted;
  const text = await readFileText(join(await findAcceptedFolder(place.runHome), PLAN)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    if (hasCode(error, "ELOOP", "EISDIR", "ENXIO")) return "";
    throw error;
  });
  if (text === undefined) return undefined;
  const plan = readPlan(text, PLAN, accepted);
  const fits = plan && (await Promise.all(plan.paths.map(({ path }) => isInsideWorkspace(path, place))));
  return plan && fits?.every(Boolean) ? plan : fail("isolation.accept.damaged", { folder });
}

/** The text of a plan's file, with the user's seal. */
export function sealPlan(plan: AcceptPlan, { place }: AcceptedChanges): string {
  return sealLine(JSON.stringify(plan), PLAN, place.seal);
}

/** Parses a plan; undefined without the user's seal. */
function readPlan(text: string, name: string, { place }: AcceptedChanges): AcceptPlan | undefined {
  const json = removeSeal(text);
  const plan = readSeal(text) !== "" && sealLine(json, PLAN, place.seal) === text ? tryJson(json) : undefined;
  return isAcceptPlan(plan) && (name === PLAN || name === getFinishedPlanName(plan.step)) ? plan : undefined;
}

/** The step of the next acceptance. */
export async function getNextStep({ journal }: AcceptedChanges): Promise<number> {
  const lines = await journal.read();
  return 1 + lines.reduce((most, line) => Math.max(most, "step" in line ? line.step : 0), 0);
}

/**
 * For each path with an accepted change in effect, the copy's state that was accepted. Both sides contain that change, so their later
 * changes are compared with this state.
 */
export async function readAcceptedStates(accepted: AcceptedChanges): Promise<ReadonlyMap<string, FileState>> {
  const steps = (await readdir(accepted.folder).catch(() => []))
    .map((name) => Number(DONE.exec(name)?.[1] ?? 0))
    .filter((step) => step > 0)
    .toSorted((one, other) => one - other);
  if (steps.length === 0) return new Map();
  const histories = collectPathHistories(await accepted.journal.read());
  const standing = new Set(
    histories.flatMap(({ path, standing: deeds }) => deeds.map(({ step }) => `${step} ${path}`)),
  );
  const states = new Map<string, FileState>();
  for (const step of steps) {
    const name = getFinishedPlanName(step);
    const text = await readFileText(join(accepted.folder, name)).catch(() => "");
    const plan = readPlan(text, name, accepted);
    // The user's own side of a conflict was taken without a change, so there is nothing to undo.
    for (const { path, theirs, was, target } of plan?.paths ?? [])
      if (theirs && (standing.has(`${step} ${path}`) || isSameState(was, target))) states.set(path, theirs);
  }
  return states;
}
