import type { Outcome } from "../core/outcome.ts";
import { readLog } from "../runs/read-log.ts";
import type { HostedRun } from "./hosted-runs.ts";

/** What came of a step, whole; undefined when it has not ended. The log is read only for a step of long ago. */
export async function outcomeOf({ run, home }: HostedRun, step: number): Promise<Outcome | undefined> {
  const recent = run.state.recent.find((past) => past.step === step);
  if (recent) return recent.outcome;
  const { events } = await readLog(home);
  const ended = events.findLast((event) => event.type === "ended" && event.step === step);
  return ended?.type === "ended" ? ended.outcome : undefined;
}
