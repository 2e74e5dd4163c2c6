import { assertNever } from "../core/base/errors.ts";
import { LIMIT_NAMES, type Limits } from "../core/budget/budget.ts";
import type { LimitName } from "../core/commands/outcome.ts";
import type { CompactionResult } from "../core/context/compaction-requests.ts";
import type { Run } from "../core/events/run.ts";
import { displayText, fail, type Sentence } from "../texts/display-text.ts";

const UNITS: Readonly<Record<LimitName, readonly [one: string, many: string]>> = {
  steps: ["step", "steps"],
  replies: ["reply", "replies"],
  tokens: ["token", "tokens"],
  minutes: ["minute", "minutes"],
  usd: ["US dollar", "US dollars"],
};

/** A limit with its unit: "100 steps". */
export function formatLimit(limit: LimitName, amount: number): string {
  const [one, many] = UNITS[limit];
  return `${amount} ${amount === 1 ? one : many}`;
}

/** Parses a limit that the user typed, which must exceed the exhausted one; returns a sentence if it doesn't. */
export function parseHigherLimit(text: string, now: number): number | string {
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

export const COMPACTION_REQUESTED = displayText("trouble.compactionRequested");

/** The outcome of a request to compact the history, as a sentence for people. */
export function describeCompaction(result: CompactionResult): Sentence {
  switch (result.kind) {
    case "compacted": {
      const { tokensBefore: before, tokensAfter: after } = result;
      return displayText("trouble.compacted", { before, after });
    }
    case "nothing":
      return displayText("trouble.nothingToCompact");
    case "stopped":
      return displayText("trouble.stoppedBeforeCompaction");
    default:
      return assertNever(result);
  }
}

/** Lets a run that has only planned begin to act. Throws a sentence for any other run. */
export async function agreeToPlan(run: Run): Promise<void> {
  if (run.state.mode !== "plan") fail("trouble.noPlanToApprove");
  await run.record({ type: "changed", mode: "ask" });
  await run.record({ type: "said", text: "The plan is good. Carry it out.", by: "user" });
}
