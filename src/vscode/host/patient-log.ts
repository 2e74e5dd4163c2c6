import type { RunLog } from "../../core/ports/storage.ts";
import { logWithRetries } from "../../runs/log/log-retries.ts";
import type { HostedRuns } from "./hosted-runs.ts";
import { showMessage } from "./notifications.ts";

/** The log of a run in this window: it waits for its disk, and the user reads what to do, until the run is stopped. */
export function retryingLog(log: RunLog, runs: HostedRuns, id: string): RunLog {
  return logWithRetries(log, {
    waits: () => runs.get(id)?.live?.stopped === false,
    told: (trouble) => {
      runs.get(id)?.live?.setBlocked(trouble);
      if (trouble !== undefined) void showMessage("warning", trouble);
    },
  });
}
