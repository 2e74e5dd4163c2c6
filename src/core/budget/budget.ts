import type { Limits, Totals } from "../../schema/run-values.ts";
import type { LimitName } from "../commands/outcome.ts";
import type { Usage } from "../ports/model.ts";

export type { Limits, Totals } from "../../schema/run-values.ts";

export const NOTHING_SPENT: Totals = {
  steps: 0,
  input: 0,
  output: 0,
  cached: 0,
  discounted: 0,
  usd: 0,
  unpriced: 0,
  activeMs: 0,
};

const MS_PER_MINUTE = 60_000;

/** Adds a model call to the totals. */
export function addUsage(
  totals: Totals,
  call: { readonly usage?: Usage; readonly costUsd?: number },
): Totals {
  return {
    ...totals,
    input: totals.input + (call.usage?.input ?? 0),
    output: totals.output + (call.usage?.output ?? 0),
    cached: totals.cached + (call.usage?.cached ?? 0),
    discounted: totals.discounted + discountOf(call.usage),
    usd: totals.usd + (call.costUsd ?? 0),
    unpriced: totals.unpriced + (call.costUsd === undefined ? 1 : 0),
  };
}

/** Price of cached input relative to other input at most providers. */
const USUAL_CACHED_RATIO = 0.1;

function discountOf({ input, cached = 0, cachedRatio = USUAL_CACHED_RATIO }: Usage = NO_USAGE): number {
  return Math.min(cached, input) * (1 - cachedRatio);
}

const NO_USAGE: Usage = { input: 0, output: 0 };

/** Tokens as counted by the limit: cached input counts at its relative price. */
export function countedTokens(spent: Pick<Totals, "input" | "output" | "discounted">): number {
  return spent.input + spent.output - spent.discounted;
}

/** Tokens of one call as counted by the limit. */
export function countedUsage(usage: Usage = NO_USAGE): number {
  return usage.input + usage.output - discountOf(usage);
}

const spentOf: Readonly<Record<LimitName, (totals: Totals) => number>> = {
  steps: (totals) => totals.steps,
  tokens: countedTokens,
  minutes: (totals) => totals.activeMs / MS_PER_MINUTE,
  usd: (totals) => totals.usd,
};

const LIMITS: readonly LimitName[] = ["usd", "tokens", "steps", "minutes"];

/** Returns the first limit that leaves no room for another step, if any. */
export function exhaustedLimit(totals: Totals, limits: Limits): LimitName | undefined {
  return LIMITS.find((name) => limits[name] > 0 && spentOf[name](totals) >= limits[name]);
}

/** Combines two sets of limits by taking the lower of each. */
export function tighterLimits(one: Limits, other: Partial<Limits>): Limits {
  const least = (name: LimitName): number => {
    const candidates = [one[name], other[name] ?? 0].filter((value) => value > 0);
    return candidates.length === 0 ? 0 : Math.min(...candidates);
  };
  return { steps: least("steps"), tokens: least("tokens"), minutes: least("minutes"), usd: least("usd") };
}

/** The lowest possible limit, since 0 means no limit. */
const NEXT_TO_NOTHING = 1e-9;

/** Limits for a share of the remaining budget. Time isn't divided, because it passes for all at once. */
export function shareOf(totals: Totals, limits: Limits, share: number): Limits {
  const part = (name: LimitName, least: number): number =>
    limits[name] === 0 ? 0 : Math.max(least, share * (limits[name] - spentOf[name](totals)));
  return {
    usd: part("usd", NEXT_TO_NOTHING),
    tokens: Math.floor(part("tokens", 1)),
    steps: Math.floor(part("steps", 1)),
    minutes: limits.minutes === 0 ? 0 : Math.max(NEXT_TO_NOTHING, limits.minutes - spentOf.minutes(totals)),
  };
}

/** Below these dollars the model gets ever clearer warnings. The thresholds are those of classic AutoGPT. */
const WRAP_UP_USD = 0.01;
const NEARLY_SPENT_USD = 0.005;
/** A run's last steps are announced, so that it can end with something usable. */
const LAST_STEPS = 3;
/** Tokens and minutes are mentioned once less than this share is left. */
const NEARLY_SPENT_SHARE = 0.1;

/** The remaining budget as text for the model, one line per limit in effect. */
export function budgetText(totals: Totals, limits: Limits): string {
  const lines: string[] = [];
  if (limits.usd > 0) {
    const left = Math.max(0, limits.usd - totals.usd);
    lines.push(`Money left: $${left.toFixed(3)} of $${limits.usd.toFixed(2)}.${urgency(left)}`);
  }
  if (limits.steps > 0) {
    const left = Math.max(0, limits.steps - totals.steps);
    const hurry =
      left <= LAST_STEPS ? " Finish now: leave things in a usable state and complete the task." : "";
    lines.push(`Steps left: ${left} of ${limits.steps}, this one included.${hurry}`);
  }
  for (const name of ["tokens", "minutes"] as const) {
    const left = 1 - spentOf[name](totals) / limits[name];
    if (limits[name] > 0 && left < NEARLY_SPENT_SHARE)
      lines.push(
        `Of the ${name} allowed ${Math.max(0, Math.round(100 * left))} % are left: bring the task to its end.`,
      );
  }
  return lines.join("\n");
}

function urgency(leftUsd: number): string {
  if (leftUsd === 0) return " The budget is spent: stop here.";
  if (leftUsd < NEARLY_SPENT_USD) return " Hardly anything is left: end in good order now.";
  if (leftUsd < WRAP_UP_USD) return " Little is left: bring the task to its end.";
  return "";
}
