import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { findRepositoryAround } from "../node/git/repository.ts";
import { findCarriedRun, getCarriedRunPath } from "../runs/store/fleet-marks.ts";
import { getRunsFolder, HOME, isRunId } from "../runs/store/run-folder.ts";
import { fail } from "../texts/display-text.ts";
import { KEPT_DAYS } from "./carry.ts";
import { storeCarriedRun } from "./checkout.ts";
import type { FleetKey } from "./key.ts";
import { forgetPlaceOfRun } from "./known-places.ts";
import { type CarryPlace, dropRunRef } from "./run-ref.ts";

const DAY_MS = 86_400_000;

/** True for a file or folder that was changed last so many days ago. */
export async function isExpired(path: string, nowMs: number, days = KEPT_DAYS): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs < nowMs - days * DAY_MS,
    () => false,
  );
}

/** The runs of which this machine knows how far they were carried. */
export async function listCarriedRuns(data: string): Promise<readonly string[]> {
  const names = await readdir(join(data, "fleet", "runs")).catch(() => []);
  return names.map((name) => name.replace(/\.json$/, "")).filter(isRunId);
}

/**
 * Takes the commits of a run away, and after a while what this machine knows about it, unless it lies here for its review. Throws a sentence
 * if this machine works on it.
 */
export async function forgetRun(place: CarryPlace, run: string, nowMs = Date.now()): Promise<void> {
  const { data } = place;
  const known = findCarriedRun(data, run);
  if (known?.isClaimed) fail("fleet.worksHere", { folder: known.folder });
  await dropRunRef(place, run);
  await forgetPlaceOfRun(data, run);
  if (!known) return;
  const path = getCarriedRunPath(data, run);
  if ((await isExpired(path, nowMs)) && !(await isHere(known.folder, run))) await rm(path, { force: true });
  else await storeCarriedRun(data, { ...known, isRemoved: true });
}

/** Whether a run lies in its workspace folder, or for some time among the deleted ones. */
async function isHere(folder: string, run: string): Promise<boolean> {
  const runs = getRunsFolder(join(folder, HOME));
  const found = await Promise.all(
    [join(runs, run), join(runs, ".deleted", run)].map((path) => stat(path).catch(() => undefined)),
  );
  return found.some((one) => one !== undefined);
}

/**
 * Forgets the runs that were sent from this machine, or were fetched, and that were deleted here since, once they are old. What other
 * machines have of them stays there. Problems with one leave it for the next time.
 */
export async function cleanUpSentRuns(data: string, key: FleetKey, nowMs: number, signal: AbortSignal): Promise<void> {
  for (const run of await listCarriedRuns(data)) {
    const known = findCarriedRun(data, run);
    if (!known || known.isClaimed || !(await isExpired(getCarriedRunPath(data, run), nowMs))) continue;
    const repository = await findRepositoryAround(known.folder).catch(() => undefined);
    if (!repository || (await isHere(known.folder, run))) continue;
    await forgetRun({ data, key, repository, signal }, run, nowMs).catch(() => undefined);
  }
}
