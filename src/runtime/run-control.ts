import { assertNever } from "../core/base/errors.ts";
import { formatCount } from "../core/base/text.ts";
import { LIMIT_NAMES, type Limits } from "../core/budget/budget.ts";
import type { LimitName } from "../core/commands/outcome.ts";
import type { CompactionResult } from "../core/context/compaction-requests.ts";
import type { Run } from "../core/events/run.ts";

const UNITS: Readonly<Record<LimitName, readonly [one: string, many: string]>> = {
  steps: ["step", "steps"],
  replies: ["reply", "replies"],
  tokens: ["token", "tokens"],
  minutes: ["minute", "minutes"],
  usd: ["US dollar", "US dollars"],
};

/** A limit with its unit: "100 steps". */
export function limitText(limit: LimitName, amount: number): string {
  const [one, many] = UNITS[limit];
  return `${amount} ${amount === 1 ? one : many}`;
}

/** A limit that the user typed, to be higher than the one that is used up; a sentence when it is not. */
export function higherLimit(text: string, now: number): number | string {
  const amount = Number(text);
  return text.trim() !== "" && amount > now && Number.isFinite(amount) ? amount : `More than ${now}.`;
}

/** Changes limits of a run, if any of them is new. */
export async function changeLimits(run: Run, limits: Partial<Limits>): Promise<void> {
  const now = run.state.limits;
  const changed = LIMIT_NAMES.filter((name) => limits[name] !== undefined && limits[name] !== now[name]);
  if (changed.length === 0) return;
  await run.record({
    type: "changed",
    limits: Object.fromEntries(changed.map((name) => [name, limits[name]])),
  });
}

export const COMPACTION_REQUESTED = "The history will be compacted before the next step.";

/** The outcome of a request to compact the history, as a sentence for people. */
export function compactionText(result: CompactionResult): string {
  switch (result.kind) {
    case "compacted": {
      const [before, after] = [result.tokensBefore, result.tokensAfter].map(formatCount);
      return `The history was compacted: the prompt went from ${before} to ${after} tokens. Nothing was removed from the run's log.`;
    }
    case "nothing":
      return "There is nothing to compact: the history is still short.";
    case "stopped":
      return "The run stopped before its next step, so its history wasn't compacted.";
    default:
      return assertNever(result);
  }
}

/** Lets a run that has only planned begin to act. Throws a sentence for one that has not. */
export async function agreeToPlan(run: Run): Promise<void> {
  if (run.state.mode !== "plan") throw new Error("This run has no plan that needs your approval.");
  await run.record({ type: "changed", mode: "ask" });
  await run.record({ type: "said", text: "The plan is good. Carry it out.", by: "user" });
}
