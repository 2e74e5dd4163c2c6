import { createHmac, randomUUID } from "node:crypto";
import { join } from "node:path";
import { readLinkedText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { fail } from "../../texts/display-text.ts";
import { isSealed, type Seal } from "../log/log-seal.ts";
import { findCarriedRun, loadFleetMarks } from "./fleet-marks.ts";

const RUN_KEY_FILE = "run-key";
const SEAL_KEY_FILE = "seal-key";
const MEMORY_KEY_FILE = "memory-key";
/** Earlier versions wrote the ID in this file into each log, so anyone who reads a log can copy it. */
const OLD_ID_FILE = "machine-id";
const MAX_LENGTH = 100;

/** Distinguishes the runs of this user on this machine from those that others wrote. */
export interface RunOwner {
  /** The mark in the log of one of this user's runs, which can't be computed elsewhere. */
  computeMark(run: string): string;
  /** Whether a run has today's mark of the user, or the mark of their fleet. */
  hasMark(run: string, mark: string): boolean;
  /** Whether this user wrote a run, by the mark in its log and the time when the log's file last changed, in ms since 1970. */
  isOwnRun(run: string, mark: string, changedMs: number): boolean;
  /** Seals the lines of a run's log. A mark alone can be copied from a log that was published. */
  createSeal(run: string): Seal;
  /** Whether the user wrote all lines of a run's log. */
  hasWritten(run: string, log: string): boolean;
  /** Whether a log without seals may be the user's, because its file last changed before there were seals. */
  maySkipSeals(changedMs: number): boolean;
  /** The workspace folder of a run that came from another machine; undefined for any other run. */
  findFolder(run: string): string | undefined;
}

/**
 * The owner whose key is in `folder`, where it's created once. A run with the old ID is theirs if its file hasn't changed since then. A
 * program that writes a file can't fake that.
 */
export async function loadRunOwner(folder: string): Promise<RunOwner> {
  const stored = await loadOrCreateText(join(folder, RUN_KEY_FILE), createKey);
  const [key = "", since = ""] = stored.split(" ");
  const [sealKey = "", sealsSince = ""] = (await loadOrCreateText(join(folder, SEAL_KEY_FILE), createKey)).split(" ");
  const oldId = await readKnownText(join(folder, OLD_ID_FILE));
  const computeMark = (run: string): string => createHmac("sha256", key).update(run).digest("hex");
  const createSeal =
    (run: string): Seal =>
    (text) =>
      createHmac("sha256", sealKey).update(`${run}\n${text}`).digest("hex");
  const own: RunOwner = {
    computeMark,
    hasMark: (run, mark) => mark === computeMark(run),
    isOwnRun: (run, mark, changedMs) => mark === computeMark(run) || (mark === oldId && changedMs < Number(since)),
    createSeal,
    hasWritten: (run, log) => isSealed(log, createSeal(run)),
    maySkipSeals: (changedMs) => changedMs < Number(sealsSince),
    findFolder: () => undefined,
  };
  return addFleet(own, folder);
}

/** Recognizes the runs of the user's fleet as well. Those that this machine has claimed get the fleet's mark and seals. */
async function addFleet(own: RunOwner, folder: string): Promise<RunOwner> {
  const fleet = await loadFleetMarks(folder);
  if (!fleet) return own;
  const findClaim = (run: string): number | undefined => {
    const carried = findCarriedRun(folder, run);
    return carried?.isClaimed ? carried.attempt : undefined;
  };
  return {
    computeMark: (run) => (findClaim(run) === undefined ? own.computeMark(run) : fleet.computeMark(run)),
    hasMark: (run, mark) => own.hasMark(run, mark) || mark === fleet.computeMark(run),
    isOwnRun: (run, mark, changedMs) => own.isOwnRun(run, mark, changedMs) || mark === fleet.computeMark(run),
    createSeal: (run) => {
      const attempt = findClaim(run);
      return attempt === undefined ? own.createSeal(run) : fleet.createSeal(run, attempt);
    },
    hasWritten: (run, log) => own.hasWritten(run, log) || fleet.hasWritten(run, log, own.createSeal(run)),
    maySkipSeals: own.maySkipSeals,
    findFolder: (run) => findCarriedRun(folder, run)?.folder,
  };
}

/** A key, and the time when it was made. */
function createKey(): string {
  return `${randomUUID()}${randomUUID()} ${Date.now()}`;
}

/** A secret of this user on this machine, created once in `folder`, that proves which memories are theirs. */
export function loadMemoryKey(folder: string): Promise<string> {
  return loadOrCreateText(join(folder, MEMORY_KEY_FILE));
}

/** The text of a file, which is created if it's missing. */
async function loadOrCreateText(path: string, newText: () => string = randomUUID): Promise<string> {
  const known = await readKnownText(path);
  if (known !== undefined) return known;
  const options = { private: true, makeFolder: true, keepFirst: true };
  await replaceFile(path, `${newText()}\n`, options).catch(() => undefined);
  return (await readKnownText(path)) ?? throwUnwritable(path);
}

async function readKnownText(path: string): Promise<string | undefined> {
  const text = (await readLinkedText(path).catch(() => "")).trim();
  return text !== "" && text.length <= MAX_LENGTH ? text : undefined;
}

function throwUnwritable(path: string): never {
  fail("trouble.machineIdNotStored", { path });
}
