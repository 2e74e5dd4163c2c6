import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Queue } from "../core/base/async.ts";
import { tryJson } from "../core/base/json.ts";
import type { HeldLock } from "../core/ports/process-locks.ts";
import { readFileText } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { findRepositoryAround } from "../node/git/repository.ts";
import { takeProcessLock } from "../node/processes/process-lock.ts";
import { loadRunOwner } from "../runs/store/machine.ts";
import type { KnownPlaces } from "../schema/fleet/served.ts";
import { isKnownPlaces } from "../schema/host-validators.ts";
import { fail } from "../texts/display-text.ts";

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

/** The places to which the user has sent runs, those runs, and what the user has agreed to send there. */
export async function readKnownPlaces(data: string): Promise<KnownPlaces> {
  const found = tryJson(await readFileText(getFile(data), MOST_BYTES).catch(() => ""));
  return isKnownPlaces(found) ? found : NONE;
}

/** Changes what is known. Windows and programs take turns, so that none undoes what another one writes. */
function change(data: string, act: (known: KnownPlaces) => Partial<KnownPlaces>): Promise<void> {
  return turns.add(async () => {
    const lock = await waitForLock(data);
    try {
      const known = await readKnownPlaces(data);
      await replaceFile(getFile(data), JSON.stringify({ ...known, ...act(known) }), {
        private: true,
        makeFolder: true,
      });
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

/** Remembers where a run is. */
export function rememberPlace(data: string, place: string, run: string): Promise<void> {
  return change(data, ({ places, runs }) => ({
    places: [...new Set([...places, place])],
    runs: Object.fromEntries([...Object.entries(runs).slice(-MOST_RUNS), [run, place]]),
  }));
}

/** Forgets where a run was sent. */
export function forgetPlaceOfRun(data: string, run: string): Promise<void> {
  return change(data, ({ runs }) => ({
    runs: Object.fromEntries(Object.entries(runs).filter(([other]) => other !== run)),
  }));
}

/** Forgets a place, so that the next task for it asks again. Its runs continue there. */
export function forgetPlace(data: string, place: string): Promise<void> {
  return change(data, ({ places, runs, agreed = [] }) => ({
    places: places.filter((other) => other !== place),
    runs: Object.fromEntries(Object.entries(runs).filter(([, other]) => other !== place)),
    agreed: agreed.filter((one) => !one.startsWith(`${place}\n`)),
  }));
}

/** A folder whose files go to a place. */
interface SentFolder {
  readonly place: string;
  readonly folder: string;
  /** Address of the repository through which they go; undefined: straight to the machine. */
  readonly through?: string | undefined;
}

/** The names of what the user hasn't agreed to yet: that the files of a repository go to a place, through another repository. */
export async function listNotAgreed(data: string, sent: readonly SentFolder[]): Promise<readonly string[]> {
  const { agreed = [] } = await readKnownPlaces(data);
  const names = new Set<string>();
  for (const { place, folder, through = "" } of sent) {
    const { root } = (await findRepositoryAround(folder)) ?? fail("fleet.noRepository", { folder });
    names.add([place, root, through].join("\n"));
  }
  return [...names].filter((name) => !agreed.includes(name));
}

/** Remembers what the user has agreed to, by its names. */
export async function rememberAgreements(data: string, names: readonly string[]): Promise<void> {
  if (names.length > 0) await change(data, ({ agreed = [] }) => ({ agreed: [...agreed, ...names].slice(-MOST_RUNS) }));
}
