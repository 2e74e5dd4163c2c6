import type { RunLog } from "../core/ports.ts";
import { Run } from "../core/run.ts";
import type { StoredRun } from "../runs/store.ts";
import { Beside } from "./beside.ts";
import type { HostedRun } from "./hosted-runs.ts";

/** A run that can be looked at, and nothing else. */
export function readOnlyRun(stored: StoredRun, folder: string, readOnly: string): HostedRun {
  const closed: RunLog = { append: refuse, sync: refuse, close: async () => undefined };
  const beside = new Beside();
  for (const event of stored.events) beside.add(event);
  return {
    id: stored.id,
    beside,
    run: Run.from(closed, stored.events),
    home: stored.folder,
    folder,
    readOnly,
    dispose: async () => undefined,
  };
}

async function refuse(): Promise<never> {
  throw new Error("This run is open for reading only.");
}
