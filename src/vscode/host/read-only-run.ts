import { Run } from "../../core/events/run.ts";
import type { RunLog } from "../../core/ports/storage.ts";
import { SideEvents } from "../../panel/side-events.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { HostedRun } from "./hosted-runs.ts";

/** A run that can be looked at, and nothing else. */
export function readOnlyRun(stored: StoredRun, folder: string, readOnly: string): HostedRun {
  const closed: RunLog = { append: refuse, sync: refuse, close: async () => undefined };
  const beside = new SideEvents();
  for (const event of stored.events) beside.add(event);
  return {
    id: stored.id,
    sideEvents: beside,
    run: Run.from(closed, stored.events),
    home: stored.folder,
    folder,
    readOnly,
    dispose: async () => undefined,
  };
}

async function refuse(): Promise<never> {
  throw new Error("This run is open read-only.");
}
