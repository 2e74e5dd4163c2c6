import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Queue } from "../core/base/async.ts";
import { tryJson } from "../core/base/json.ts";
import type { HeldLock } from "../core/ports/process-locks.ts";
import { readFileText } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { takeProcessLock } from "../node/processes/process-lock.ts";
import { loadRunOwner } from "../runs/store/machine.ts";
import type { KnownPlaces } from "../schema/fleet/served.ts";
import { isKnownPlaces } from "../schema/host-validators.ts";

const MOST_BYTES = 4_000_000;
/** Older ones are still found in their place. */
const MOST_RUNS = 2000;

/** How often the turn of this process is looked for, and for how long. */
const LOOK_MS = 20;
const MOST_LOOKS = 250;

const NONE: KnownPlaces = { version: 1, places: [], runs: {} };

function getFile(data: string): string {
  return join(data, "fleet", "places.json");
}

/** The places to which the user has agreed to send, and the runs that were sent there. */
export async function readKnownPlaces(data: string): Promise<KnownPlaces> {
  const found = tryJson(await readFileText(getFile(data), MOST_BYTES).catch(() => ""));
  return isKnownPlaces(found) ? found : NONE;
}

/** Changes what is known. Windows and programs take turns, so that none undoes what another one writes. */
function change(data: string, act: (known: KnownPlaces) => Omit<KnownPlaces, "version">): Promise<void> {
  return turns.add(async () => {
    const lock = await waitForLock(data);
    try {
      const known: KnownPlaces = { version: 1, ...act(await readKnownPlaces(data)) };
      await replaceFile(getFile(data), JSON.stringify(known), { private: true, makeFolder: true });
    } finally {
      await lock?.release();
    }
  });
}

const turns = new Queue();

/** Waits for the turn of this process; undefined if another one keeps it for too long. */
async function waitForLock(data: string): Promise<HeldLock | undefined> {
  const seal = (await loadRunOwner(data)).createSeal("known places");
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const lock = await takeProcessLock(`${getFile(data)}.lock`, seal);
    if (!("by" in lock)) return lock;
    await wait(LOOK_MS);
  }
  return undefined;
}

/** Remembers that the user agreed to send to a place, and where a run is. */
export function rememberPlace(data: string, place: string, run?: string): Promise<void> {
  return change(data, ({ places, runs }) => {
    const kept = Object.entries(runs).slice(-MOST_RUNS);
    return {
      places: [...new Set([...places, place])],
      runs: Object.fromEntries(run === undefined ? kept : [...kept, [run, place]]),
    };
  });
}

/** Forgets where a run was sent. */
export function forgetPlaceOfRun(data: string, run: string): Promise<void> {
  return change(data, ({ places, runs }) => ({
    places,
    runs: Object.fromEntries(Object.entries(runs).filter(([other]) => other !== run)),
  }));
}

/** Forgets a place, so that the next task for it asks again. Its runs continue there. */
export function forgetPlace(data: string, place: string): Promise<void> {
  return change(data, ({ places, runs }) => ({
    places: places.filter((other) => other !== place),
    runs: Object.fromEntries(Object.entries(runs).filter(([, other]) => other !== place)),
  }));
}
