import { randomUUID } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { tryJson } from "../../core/base/json.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { FleetKey } from "../../fleet/key.ts";
import { findLockHolder, takeProcessLock } from "../../node/processes/process-lock.ts";
import { isRunId } from "../../runs/store/run-folder.ts";
import type { ServedRecord, ServedRequest } from "../../schema/fleet/served.ts";
import { isServedRecord, isServedRequest } from "../../schema/host-validators.ts";
import { fail } from "../../texts/display-text.ts";

const RECORD_FILE = "record.json";
const LOCK_FILE = "worker.json";
const MOST_BYTES = 40_000_000;

/** How often a folder is looked at where the system reports changes, which some file systems don't, and where it can't. */
const LOOK_MS = { reported: 1000, unreported: 200 };

/** The folder of the runs that this machine works on for others. No sandbox lets a run reach it. */
function getServedFolder(data: string): string {
  return join(data, "fleet", "served");
}

/** The folder with what this machine knows about such a run. Throws a sentence for a name that isn't a run's. */
export function getServedHome(data: string, run: string): string {
  return isRunId(run) ? join(getServedFolder(data), run) : fail("trouble.runNotFound", { id: run });
}

/** The folder with the requests for a run. */
export function getInbox(data: string, run: string): string {
  return join(getServedHome(data, run), "inbox");
}

/** The file with the record of a run. */
export function getServedRecordPath(data: string, run: string): string {
  return join(getServedHome(data, run), RECORD_FILE);
}

/** The record of a run; undefined if this machine doesn't have the run. */
export async function readServedRecord(data: string, run: string): Promise<ServedRecord | undefined> {
  const path = getServedRecordPath(data, run);
  const found = tryJson(await readFileText(path, MOST_BYTES).catch(() => ""));
  return isServedRecord(found) && found.run === run ? found : undefined;
}

/** The record of a run. Throws a sentence if this machine doesn't have it. */
export async function demandServedRecord(data: string, run: string): Promise<ServedRecord> {
  return (await readServedRecord(data, run)) ?? fail("trouble.runNotFound", { id: run });
}

export async function writeServedRecord(data: string, record: ServedRecord): Promise<void> {
  const path = getServedRecordPath(data, record.run);
  await replaceFile(path, JSON.stringify(record), { private: true, makeFolder: true });
}

/** The ids of all runs that this machine works on for others, the newest first. */
export async function listServedRuns(data: string): Promise<readonly string[]> {
  const names = await readdir(getServedFolder(data)).catch(() => []);
  return names.filter(isRunId).sort().reverse();
}

/** Why something didn't work on this machine, as a sentence for people at another one. */
export function explainProblem(error: unknown): string {
  if (!isDiskFull(error)) return getErrorMessage(error);
  return "The disk of that machine is full, so it has written nothing. Make room there, then try again; the run continues where it was.";
}

export function isDiskFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT");
}

/** Lets one process at a time work on a run. Undefined if another one does. */
export async function takeServedRun(
  data: string,
  run: string,
  key: FleetKey,
): Promise<(() => Promise<void>) | undefined> {
  const lock = await takeProcessLock(join(getServedHome(data, run), LOCK_FILE), createLockSeal(key, run), {
    kind: "commandLine",
  });
  return "by" in lock ? undefined : () => lock.release();
}

/** Whether a process works on a run. */
export async function isWorkedOn(data: string, run: string, key: FleetKey): Promise<boolean> {
  return (await findLockHolder(join(getServedHome(data, run), LOCK_FILE), createLockSeal(key, run))) !== undefined;
}

function createLockSeal(key: FleetKey, run: string): (text: string) => string {
  return key.createSeal(`work on ${run}`);
}

/** Writes down a request for a run. Its worker reads it, now or later. */
export async function addRequest(data: string, run: string, request: ServedRequest): Promise<void> {
  const inbox = getInbox(data, run);
  await mkdir(inbox, { recursive: true, mode: 0o700 });
  const name = `${String(Date.now()).padStart(16, "0")}-${randomUUID()}.json`;
  await replaceFile(join(inbox, name), JSON.stringify(request), { private: true });
}

/** Whether a request waits for a worker. */
export async function hasRequests(data: string, run: string): Promise<boolean> {
  return (await readdir(getInbox(data, run)).catch(() => [])).some(isRequestFile);
}

function isRequestFile(name: string): boolean {
  return name.endsWith(".json");
}

/** Takes the requests for a run, in their order. Each is deleted once `handle` has settled. */
export async function takeRequests(
  data: string,
  run: string,
  handle: (request: ServedRequest) => Promise<void>,
): Promise<void> {
  const inbox = getInbox(data, run);
  const names = await readdir(inbox).catch(() => []);
  for (const name of names.filter(isRequestFile).sort()) {
    const path = join(inbox, name);
    const request = tryJson(await readFileText(path, MOST_BYTES).catch(() => ""));
    if (isServedRequest(request)) await handle(request);
    await rm(path, { force: true });
  }
}

/** Calls back when something in one of some folders may have changed: at once where the system reports it, and regularly. */
export function watchFolders(folders: readonly string[], listener: () => void): () => void {
  let ms = LOOK_MS.reported;
  const lookOften = (): void => {
    ms = LOOK_MS.unreported;
  };
  const watchers = folders.flatMap((folder): FSWatcher[] => {
    try {
      return [watch(folder, listener).on("error", lookOften)];
    } catch {
      lookOften();
      return [];
    }
  });
  let timer: NodeJS.Timeout;
  const look = (): void => {
    listener();
    timer = setTimeout(look, ms);
  };
  timer = setTimeout(look, ms);
  return () => {
    clearTimeout(timer);
    for (const one of watchers) one.close();
  };
}
