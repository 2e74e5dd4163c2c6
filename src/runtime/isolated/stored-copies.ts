import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Copy } from "../../isolation/copy/copy.ts";
import type { CopyNeed } from "../../isolation/copy/remove-copy.ts";
import { acceptedChanges, unfinishedPlan } from "../../isolation/review/accepted.ts";
import { realPath } from "../../node/files/real-path.ts";
import { placesOfRun } from "../../runs/store/deleted-runs.ts";
import { HOME } from "../../runs/store/run-folder.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { fail } from "../../texts/display-text.ts";
import type { Host } from "../host.ts";
import { type HostIsolation, inBytes } from "./isolated-run.ts";

/** A copy that was made this recently may belong to a run whose log isn't there yet. */
const NEW_MS = 3_600_000;

/** The folder of a run's copy. Logs name it too, but a log is never believed. */
export function copyHome({ storage }: Pick<Host, "storage">, id: string): string {
  return join(storage.copies, id);
}

/**
 * The copy of a stored run. Throws a sentence if it's gone, or belongs to a run of another workspace: whoever writes a log chooses its ID.
 */
export async function copyOfStored(
  { storage, isolation }: Host,
  { id, folder }: Pick<StoredRun, "id" | "folder">,
): Promise<Copy> {
  const copy = await (isolation ?? fail("isolation.unavailable")).openCopy(copyHome({ storage }, id));
  const origin = copy.folders[0]?.origin ?? fail("isolation.copy.damaged");
  const places = placesOfRun([join(origin, HOME), storage.fallback(origin)], id);
  const real = await Promise.all([folder, ...places].map(realPath));
  return real.lastIndexOf(real[0] ?? "") > 0 ? copy : fail("isolation.copy.gone");
}

/** Bytes that other copies take. The oldest reviewed ones are deleted if that is more than half of what all may take. */
export async function heldByOthers(host: Host, parts: HostIsolation, quotaMb: number): Promise<number> {
  const { copies } = host.storage;
  const held = await parts.heldBytes(copies);
  if (held <= inBytes(quotaMb) / 2) return held;
  await cleanUpCopies(host, quotaMb / 2);
  return parts.heldBytes(copies);
}

/**
 * Deletes the copy of a run that was deleted for good, and whose programs this window has ended. If another window may be running it, the
 * copy is left to the next start.
 */
export async function removeCopyOf(host: Host, run: RunSummary): Promise<void> {
  const { isolation } = host;
  if (!isolation || run.isolated === undefined || run.state === "open") return;
  if (await copyOfStored(host, run).catch(() => undefined))
    await isolation.removeCopy(copyHome(host, run.id));
}

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

/** Completes the accepts of stored isolated runs that a crash has interrupted. Opening a run does that. Throws once all were tried. */
export async function finishAccepts(
  host: Host,
  open: (id: string) => Promise<{ dispose(): Promise<void> }>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { id, folder, isolated, readOnly } of await host.storage.runs()) {
    if (isolated === undefined || readOnly !== undefined || !(await mayBeUnfinished(host, id, folder)))
      continue;
    await open(id)
      .then((run) => run.dispose())
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** A damaged plan is reported when its run is opened. */
async function mayBeUnfinished({ storage }: Host, id: string, runHome: string): Promise<boolean> {
  const place = { runHome, origins: [], seal: await storage.seal(id) };
  return unfinishedPlan(acceptedChanges(place)).then(
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
