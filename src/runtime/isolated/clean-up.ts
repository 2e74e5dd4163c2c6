import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { CopyNeed } from "../../isolation/copy/remove-copy.ts";
import { acceptedChanges, unfinishedPlan } from "../../isolation/review/accepted.ts";
import { placesOfRun } from "../../runs/store/deleted-runs.ts";
import { HOME } from "../../runs/store/run-folder.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { openRun } from "../compose-run.ts";
import type { Host } from "../host.ts";
import { type HostIsolation, inBytes } from "./isolated-run.ts";
import { copyOfStored } from "./isolated-start.ts";

/** A copy that was made this recently may belong to a run whose log isn't there yet. */
const NEW_MS = 3_600_000;

/**
 * Deletes the copies of deleted runs, what crashes have left, and the oldest reviewed copies once all take more than the quota. A copy
 * stays while it can't be known whether its run exists.
 */
export async function cleanUpCopies(host: Host, quotaMb: number): Promise<void> {
  const { storage, isolation } = host;
  if (!isolation) return;
  const listed = new Map((await storage.runs()).map((run) => [run.id, run]));
  await isolation.clean(storage.copies, {
    quotaBytes: inBytes(quotaMb),
    keep: async (run) =>
      needOf(join(storage.copies, run), run, {
        isolation,
        listed,
        isCopyOf: (known) =>
          copyOfStored(host, known).then(
            () => true,
            () => false,
          ),
        fallback: storage.fallback,
      }),
  });
}

/** Completes the accepts of stored isolated runs that a crash has interrupted. */
export async function finishAccepts(host: Host, open: (id: string) => Promise<StoredRun>): Promise<void> {
  for (const { id, folder, isolated, readOnly } of await host.storage.runs()) {
    if (isolated === undefined || readOnly !== undefined || !(await mayBeUnfinished(folder))) continue;
    const run = await openRun(host, await open(id));
    await run.dispose();
  }
}

/** A damaged plan is reported when its run is opened. */
async function mayBeUnfinished(runHome: string): Promise<boolean> {
  return unfinishedPlan(acceptedChanges(runHome)).then(
    (plan) => plan !== undefined,
    () => true,
  );
}

interface KnownRuns {
  readonly isolation: HostIsolation;
  readonly listed: ReadonlyMap<string, RunSummary>;
  isCopyOf(run: RunSummary): Promise<boolean>;
  fallback(folder: string): string;
}

async function needOf(
  home: string,
  run: string,
  { isolation, listed, isCopyOf, fallback }: KnownRuns,
): Promise<CopyNeed> {
  const known = listed.get(run);
  // A log with this run's ID may lie in another workspace.
  if (known) return isReviewed(known) && (await isCopyOf(known)) ? "reviewed" : "needed";
  const stats = await lstat(home).catch(() => undefined);
  if (!stats || Date.now() - stats.ctimeMs < NEW_MS) return "needed";
  const origin = (await isolation.openCopy(home).catch(() => undefined))?.folders[0]?.origin;
  if (origin === undefined || !(await isThere(origin))) return "needed";
  const places = placesOfRun([join(origin, HOME), fallback(origin)], run);
  return (await Promise.all(places.map(isThere))).some(Boolean) ? "needed" : "gone";
}

function isReviewed({ isolated, state }: RunSummary): boolean {
  return (isolated === "accepted" || isolated === "branch") && state !== "open" && state !== "paused";
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
