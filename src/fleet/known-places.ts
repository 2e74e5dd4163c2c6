import { join } from "node:path";
import { tryJson } from "../core/base/json.ts";
import { readFileText } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { KnownPlaces } from "../schema/fleet/served.ts";
import { isKnownPlaces } from "../schema/host-validators.ts";

const MOST_BYTES = 4_000_000;
/** Older ones are still found in their place. */
const MOST_RUNS = 2000;

const NONE: KnownPlaces = { version: 1, places: [], runs: {} };

function getFile(data: string): string {
  return join(data, "fleet", "places.json");
}

/** The places to which the user has agreed to send, and the runs that were sent there. */
export async function readKnownPlaces(data: string): Promise<KnownPlaces> {
  const found = tryJson(await readFileText(getFile(data), MOST_BYTES).catch(() => ""));
  return isKnownPlaces(found) ? found : NONE;
}

async function change(data: string, act: (known: KnownPlaces) => Omit<KnownPlaces, "version">): Promise<void> {
  const known: KnownPlaces = { version: 1, ...act(await readKnownPlaces(data)) };
  await replaceFile(getFile(data), JSON.stringify(known), { private: true, makeFolder: true });
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
