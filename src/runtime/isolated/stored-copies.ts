import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { hasSucceeded } from "../../core/base/async.ts";
import type { Copy } from "../../isolation/copy/copy.ts";
import type { CopyNeed } from "../../isolation/copy/remove-copy.ts";
import { createAcceptedChanges, findUnfinishedPlan } from "../../isolation/review/accepted.ts";
import { resolveRealPath } from "../../node/files/real-path.ts";
import { listRunPlaces } from "../../runs/store/deleted-runs.ts";
import { HOME } from "../../runs/store/run-folder.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { fail } from "../../texts/display-text.ts";
import type { Host } from "../host.ts";
import { closeCopyWindow, isCopyWindowOpen } from "./copy-window.ts";
import { convertToBytes, type HostIsolation } from "./isolated-run.ts";

/** A copy younger than this may belong to a run whose log doesn't exist yet. */
const NEW_MS = 3_600_000;

/** The folder of a run's copy. Logs name it too, but logs are never trusted. */
export function getCopyFolder({ storage }: Pick<Host, "storage">, id: string): string {
  return join(storage.copies, id);
}

/**
 * Opens the copy of a stored run. Throws a sentence if it's gone, or belongs to a run of another workspace: the author of a log chooses its
 * ID.
 */
export async function openStoredCopy(
  { storage, isolation }: Host,
  { id, folder }: Pick<StoredRun, "id" | "folder">,
): Promise<Copy> {
  const copy = await (isolation ?? fail("isolation.unavailable")).openCopy(getCopyFolder({ storage }, id));
  const origin = copy.folders[0]?.origin ?? fail("isolation.copy.damaged");
  const places = listRunPlaces([join(origin, HOME), storage.getFallbackFolder(origin)], id);
  const real = await Promise.all([folder, ...places].map(resolveRealPath));
  return real.lastIndexOf(real[0] ?? "") > 0 ? copy : fail("isolation.copy.gone");
}

/** Bytes that other copies take. If that is more than half of the quota for all, the oldest reviewed ones are deleted. */
export async function limitOtherCopies(host: Host, parts: HostIsolation, quotaMb: number): Promise<number> {
  const { copies } = host.storage;
  const held = await parts.countHeldBytes(copies);
  if (held <= convertToBytes(quotaMb) / 2) return held;
  await cleanUpCopies(host, quotaMb / 2);
  return parts.countHeldBytes(copies);
}

/**
 * Deletes the copy of a run that was deleted for good and whose programs this window has ended. If another window may be running it, the
 * next start deletes the copy.
 */
export async function removeRunCopy(host: Host, run: RunSummary): Promise<void> {
  const { isolation } = host;
  if (!isolation || run.isolated === undefined || run.state === "open") return;
  if (!(await openStoredCopy(host, run).catch(() => undefined))) return;
  await closeCopyWindow(host.storage.copies, run.id);
  await isolation.removeCopy(getCopyFolder(host, run.id));
}

/**
 * Deletes the copies of deleted runs, remains of crashes, and the oldest reviewed copies once all take more than the quota. Keeps a copy
 * while it's unknown whether its run exists.
 */
export async function cleanUpCopies(host: Host, quotaMb: number): Promise<void> {
  const { storage, isolation } = host;
  if (!isolation) return;
  const listed = new Map((await storage.listRuns()).map((run) => [run.id, run]));
  await isolation.clean(storage.copies, {
    quotaBytes: convertToBytes(quotaMb),
    keep: async (run) => {
      if (await isCopyWindowOpen(storage.copies, run)) return "needed";
      return determineCopyNeed(join(storage.copies, run), run, {
        isolation,
        listed,
        isRunCopy: (known) => hasSucceeded(openStoredCopy(host, known)),
        getFallbackFolder: storage.getFallbackFolder,
      });
    },
  });
}

/** Completes the accepts of stored isolated runs that a crash has interrupted, by opening the runs. Throws after it has tried all. */
export async function finishAccepts(
  host: Host,
  open: (id: string) => Promise<{ dispose(): Promise<void> }>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { id, folder, isolated, readOnly } of await host.storage.listRuns()) {
    if (isolated === undefined || readOnly !== undefined || !(await mayBeUnfinished(host, id, folder))) continue;
    await open(id)
      .then((run) => run.dispose())
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** A damaged plan is reported when its run is opened. */
async function mayBeUnfinished({ storage }: Host, id: string, runHome: string): Promise<boolean> {
  const place = { runHome, origins: [], seal: await storage.seal(id) };
  return findUnfinishedPlan(createAcceptedChanges(place)).then(
    (plan) => plan !== undefined,
    () => true,
  );
}

interface KnownRuns {
  readonly isolation: HostIsolation;
  readonly listed: ReadonlyMap<string, RunSummary>;
  isRunCopy(run: RunSummary): Promise<boolean>;
  getFallbackFolder(folder: string): string;
}

async function determineCopyNeed(
  home: string,
  run: string,
  { isolation, listed, isRunCopy, getFallbackFolder }: KnownRuns,
): Promise<CopyNeed> {
  const known = listed.get(run);
  // A log with this run's ID may lie in another workspace.
  if (known) return isReviewed(known) && (await isRunCopy(known)) ? "reviewed" : "needed";
  const stats = await lstat(home).catch(() => undefined);
  if (!stats || Date.now() - stats.ctimeMs < NEW_MS) return "needed";
  const origin = (await isolation.openCopy(home).catch(() => undefined))?.folders[0]?.origin;
  if (origin === undefined || !(await isThere(origin))) return "needed";
  const places = listRunPlaces([join(origin, HOME), getFallbackFolder(origin)], run);
  return (await Promise.all(places.map(isThere))).some(Boolean) ? "needed" : "gone";
}

function isReviewed({ isolated, state }: RunSummary): boolean {
  return (isolated === "accepted" || isolated === "branch") && state !== "open" && state !== "paused";
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
