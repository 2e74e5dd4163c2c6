import type { RunLog } from "../core/ports.ts";
import { waitingLog } from "../runs/waiting-log.ts";
import type { HostedRuns } from "./hosted-runs.ts";
import { show } from "./say.ts";

/** The log of a run in this window: it waits for its disk, and the user reads what to do, until the run is stopped. */
export function patientLog(log: RunLog, runs: HostedRuns, id: string): RunLog {
  return waitingLog(log, {
    waits: () => runs.get(id)?.live?.stopped === false,
    told: (trouble) => {
      runs.get(id)?.live?.hinder(trouble);
      if (trouble !== undefined) void show("warning", trouble);
    },
  });
}
