import { join } from "node:path";
import type { HeldLock } from "../../core/ports/process-locks.ts";
import { takeProcessLock } from "../../node/processes/process-lock.ts";
import { fail } from "../../texts/display-text.ts";
import { type AcceptedPlace, findAcceptedFolder } from "./accepted.ts";

/** Runs an action on a run's review under a lock. Throws a sentence if another window or program holds the lock. */
export async function runUnderReviewLock<T>(place: AcceptedPlace, act: () => Promise<T>): Promise<T> {
  const lock = await takeReviewLock(place);
  if (!lock) fail("isolation.reviewedElsewhere");
  try {
    return await act();
  } finally {
    await lock.release();
  }
}

/** Takes the lock of a run's review; undefined while someone else holds it. */
export async function takeReviewLock(place: AcceptedPlace): Promise<HeldLock | undefined> {
  const lock = await takeProcessLock(join(await findAcceptedFolder(place.runHome), "lock"), place.seal);
  return "by" in lock ? undefined : lock;
}
