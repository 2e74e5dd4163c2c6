import { join } from "node:path";
import { type HeldLock, takeProcessLock } from "../../node/processes/process-lock.ts";
import { fail } from "../../texts/display-text.ts";
import { type AcceptedPlace, findAcceptedFolder } from "./accepted.ts";

/** Does something with the review of a run that no other window or program may do at the same time. Throws a sentence while one does. */
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
