import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { getCopyHome, removeCheckout } from "../../fleet/checkout.ts";
import { isExpired, listCarriedRuns } from "../../fleet/forget-run.ts";
import type { FleetKey } from "../../fleet/key.ts";
import { readWholeLog } from "../../fleet/run-files.ts";
import { dropRunRef } from "../../fleet/run-ref.ts";
import { removeCopy, removeTree } from "../../isolation/copy/remove-copy.ts";
import { findCarriedRun, getCarriedRunPath } from "../../runs/store/fleet-marks.ts";
import { getRunsFolder, HOME, isRunId } from "../../runs/store/run-folder.ts";
import { fail } from "../../texts/display-text.ts";
import { openServedRepository } from "./served-repository.ts";
import {
  demandServedRecord,
  getServedHome,
  getServedRecordPath,
  hasRequests,
  listServedRuns,
  readServedRecord,
  takeServedRun,
} from "./served-runs.ts";

/** As long as a question waits for its answer. */
const WAITING_DAYS = 3;

/**
 * Deletes the copy and the checkout of a run whose commits have all of it, with which any machine continues it. Others stay, and so does one
 * that works.
 */
export async function clearServedRun(data: string, run: string, key: FleetKey): Promise<void> {
  const known = findCarriedRun(data, run);
  const release = known && (await takeServedRun(data, run, key));
  if (!release) return;
  try {
    const log = await readWholeLog(join(getRunsFolder(join(known.folder, HOME)), run));
    // Anything after the last carried line isn't in the commits.
    if (log.length > 0 && log.length === known.logBytes) await removeFolders(data, run);
  } finally {
    await release();
  }
}

/** The log is deleted first: without it, the next attempt takes all from the commits. */
async function removeFolders(data: string, run: string): Promise<void> {
  await removeCheckout(data, run);
  await removeCopy(getCopyHome({ data }, run));
}

/**
 * Deletes a run that this machine has worked on for another one: its copy, its checkout, its commits and its record. How far it had come
 * stays known for a while, so that nothing is begun again from older commits. Throws a sentence if it works or waits.
 */
export async function removeServedRun(data: string, run: string, key: FleetKey): Promise<void> {
  const { repository, remote, isOver, failed } = await demandServedRecord(data, run);
  // Where machines meet elsewhere, any of them continues it.
  const isDone = failed !== undefined || remote !== undefined || (isOver && !(await hasRequests(data, run)));
  if (!isDone) fail("fleet.stillWorks", { run });
  const release = (await takeServedRun(data, run, key)) ?? fail("fleet.stillWorks", { run });
  try {
    const { signal } = new AbortController();
    const place = { data, key, repository: await openServedRepository(data, repository), signal };
    await removeFolders(data, run);
    await dropRunRef(place, run);
  } finally {
    await release();
  }
  await removeTree(getServedHome(data, run));
}

/**
 * Deletes the runs of others that ended long ago, what is known about those that were deleted, and logs that were put aside. Problems with
 * one leave it for the next time.
 */
export async function cleanUpServedRuns(data: string, key: FleetKey, nowMs: number): Promise<void> {
  for (const run of await listServedRuns(data)) {
    const record = await readServedRecord(data, run);
    const path = getServedRecordPath(data, run);
    if (record?.remote !== undefined && (record.isOver || (await isExpired(path, nowMs, WAITING_DAYS))))
      await clearServedRun(data, run, key).catch(() => undefined);
    const isDone = record?.isOver || record?.failed !== undefined || record?.remote !== undefined;
    if (isDone && (await isExpired(path, nowMs))) await removeServedRun(data, run, key).catch(() => undefined);
  }
  for (const run of await listCarriedRuns(data)) {
    const path = getCarriedRunPath(data, run);
    if (findCarriedRun(data, run)?.isClaimed && !(await readServedRecord(data, run)) && (await isExpired(path, nowMs)))
      await rm(path, { force: true });
  }
  // Checkouts whose deletion was interrupted.
  const places = join(data, "fleet", "places");
  for (const name of await readdir(places).catch(() => []))
    if (!isRunId(name) && (await isExpired(join(places, name), nowMs, 1))) await removeTree(join(places, name));
  const aside = join(data, "fleet", "set-aside");
  for (const name of await readdir(aside).catch(() => []))
    if (await isExpired(join(aside, name), nowMs)) await removeTree(join(aside, name));
}
