import { Run } from "../core/events/run.ts";
import type { RunLog } from "../core/ports/storage.ts";
import { createLogFollower } from "../runs/log/read-log.ts";
import { describeRunInUse, type LeaseHolder, type RunLease } from "../runs/log/run-lease.ts";
import type { StoredRun } from "../runs/store/run-store.ts";
import { fail, type Sentence } from "../texts/display-text.ts";
import type { ComposedRun } from "./composed-run.ts";

/** A run that can only be read. */
export function createReadOnlyRun(stored: StoredRun, folder: string, readOnly: Sentence): ComposedRun {
  const refuse = async (): Promise<never> => {
    fail("trouble.openReadOnly");
  };
  const closed: RunLog = { append: refuse, sync: refuse, close: async () => undefined };
  return {
    id: stored.id,
    run: Run.openStored(closed, stored.events),
    past: stored.events,
    home: stored.folder,
    folder,
    readOnly,
    dispose: async () => undefined,
  };
}

/** A run on which another process works: it can only be read, and follows the events in the log. */
export function createFollowedRun(
  stored: StoredRun,
  folder: string,
  { holder, lease }: { readonly holder: LeaseHolder; readonly lease: Pick<RunLease, "findOther"> },
): ComposedRun {
  const composed = createReadOnlyRun(stored, folder, describeRunInUse(holder));
  const { run } = composed;
  const readNews = createLogFollower(stored.folder);
  let reading: Promise<void> | undefined;
  const follow = async (): Promise<void> => {
    for (const event of await readNews()) if (event.seq > run.state.seq) run.follow(event);
  };
  const timer = setInterval(() => {
    reading ??= follow()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
  }, FOLLOW_MS);
  timer.unref();
  return { ...composed, holder, findHolder: () => lease.findOther(), dispose: async () => clearInterval(timer) };
}

/** How often a run on which another process works is read. */
const FOLLOW_MS = 500;
