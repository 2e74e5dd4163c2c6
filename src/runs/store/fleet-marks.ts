import { createHmac, hkdfSync } from "node:crypto";
import { join } from "node:path";
import { isObject, tryJson } from "../../core/base/json.ts";
import { readFileTextSync, readLinkedText } from "../../disk/plain-file.ts";
import type { CarriedRun } from "../../schema/fleet/tasks.ts";
import { isCarriedRun } from "../../schema/host-validators.ts";
import { isSealedByAny, isSealedLine, readSeal, type Seal } from "../log/log-seal.ts";

/** The file with the key that one user's or a team's machines share. */
export const FLEET_KEY_FILE = "fleet-key";
/** The beginning of the mark in the log of a run that may move between machines. */
export const FLEET_MARK = "fleet-";

const FORMAT = "autogpt-fleet-1";
const KEY_BYTES = 32;
/** An attempt that ended before it wrote anything leaves a gap in the numbers. */
const MOST_UNSTARTED = 100;

/** Marks and seals that are the same on all machines with the key. */
interface FleetMarks {
  computeMark(run: string): string;
  /** Seals the lines that one attempt at a run writes, so that a machine that was given up can't write on. */
  createSeal(run: string, attempt: number): Seal;
  /** Whether each line was sealed for the attempt that the log says, or by this machine's own seal. */
  hasWritten(run: string, log: string, own: Seal): boolean;
  /** Returns a check for the lines of a run's log, one after the other: whether each was sealed for the attempt that the log says. */
  createLineCheck(run: string): (line: string) => boolean;
}

/** The text form of a fleet key. */
export function formatFleetKey(secret: Buffer): string {
  return `${FORMAT} ${secret.toString("base64url")}`;
}

/** The secret in the text form of a key; undefined for any other text. */
export function parseFleetKey(text: string): Buffer | undefined {
  const [, encoded] = /^autogpt-fleet-1\s+([\w-]{43})\s*$/.exec(text.trim()) ?? [];
  const secret = Buffer.from(encoded ?? "", "base64url");
  return secret.length === KEY_BYTES ? secret : undefined;
}

/** A key for one purpose. */
export function deriveFleetKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, FORMAT, purpose, KEY_BYTES));
}

/** The marks and seals of the key in the user's folder; undefined without one. */
export async function loadFleetMarks(data: string): Promise<FleetMarks | undefined> {
  const secret = parseFleetKey(await readLinkedText(join(data, FLEET_KEY_FILE)).catch(() => ""));
  return secret && createFleetMarks(secret);
}

function createFleetMarks(secret: Buffer): FleetMarks {
  const markKey = deriveFleetKey(secret, "mark");
  const computeMark = (run: string): string =>
    `${FLEET_MARK}${createHmac("sha256", markKey).update(run).digest("hex")}`;
  const createSeal = (run: string, attempt: number): Seal => {
    const key = deriveFleetKey(secret, `seal ${run} ${attempt}`);
    return (text) => createHmac("sha256", key).update(text).digest("hex");
  };
  return {
    computeMark,
    createSeal,
    hasWritten: (run, log, own) => {
      const first = tryJson(log.slice(0, log.indexOf("\n") + 1));
      if (!isObject(first) || first.machine !== computeMark(run)) return false;
      for (let start = 1; start <= MOST_UNSTARTED; start++) {
        const follow = createAttemptFollower(start, (attempt) => createSeal(run, attempt), own);
        if (isSealedByAny(log.slice(0, log.indexOf("\n") + 1), follow)) return isSealedByAny(log, follow);
      }
      return false;
    },
    createLineCheck: (run) =>
      createLineCheck(
        (first) => {
          const start = tryJson(first);
          return isObject(start) && start.machine === computeMark(run);
        },
        (attempt) => createSeal(run, attempt),
      ),
  };
}

/** Finds the attempt that began a log by its first line, and then checks line by line. */
function createLineCheck(
  isStart: (first: string) => boolean,
  createSeal: (attempt: number) => Seal,
): (line: string) => boolean {
  let candidates = Array.from({ length: MOST_UNSTARTED }, (_, at) => createAttemptFollower(at + 1, createSeal));
  let before = "";
  return (line) => {
    const fitting =
      before !== "" || isStart(line) ? candidates.find((select) => isSealedLine(line, before, select)) : undefined;
    candidates = fitting ? [fitting] : [];
    before = readSeal(line);
    return fitting !== undefined;
  };
}

/** Returns the seals that count for each line. The number of the attempt grows with each of its starts in the log. */
function createAttemptFollower(
  start: number,
  createSeal: (attempt: number) => Seal,
  ...own: readonly Seal[]
): (json: string) => readonly Seal[] {
  let attempt = start;
  let seals = [createSeal(attempt), ...own];
  return (json) => {
    const next = readAttempt(json);
    if (next > attempt) {
      attempt = next;
      seals = [createSeal(attempt), ...own];
    }
    return seals;
  };
}

/** The number of the attempt that begins with a line; 0 if none does. */
function readAttempt(json: string): number {
  const event = json.includes('"type":"resumed"') ? tryJson(json) : undefined;
  if (!isObject(event) || event.type !== "resumed" || typeof event.attempt !== "number") return 0;
  return Number.isSafeInteger(event.attempt) ? event.attempt : 0;
}

/** The file with what this machine knows about a carried run. */
export function getCarriedRunPath(data: string, run: string): string {
  return join(data, "fleet", "runs", `${run}.json`);
}

/** Finds the facts about a carried run; undefined for any other run. */
export function findCarriedRun(data: string, run: string): CarriedRun | undefined {
  try {
    const found = tryJson(readFileTextSync(getCarriedRunPath(data, run)));
    return isCarriedRun(found) && found.run === run ? found : undefined;
  } catch {
    return undefined;
  }
}
