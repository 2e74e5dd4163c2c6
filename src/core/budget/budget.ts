import type { Limits, Totals } from "../../schema/run-values.ts";
import type { LimitName } from "../commands/outcome.ts";
import type { Usage } from "../ports/model.ts";

export type { Limits, Totals } from "../../schema/run-values.ts";

export const NOTHING_SPENT: Totals = {
  steps: 0,
  missed: 0,
  replies: 0,
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
export function addUsage(totals: Totals, call: { readonly usage?: Usage; readonly costUsd?: number }): Totals {
  const { savedUsd } = call.usage ?? NO_USAGE;
  return {
    ...totals,
    ...(savedUsd === undefined ? {} : { savedUsd: (totals.savedUsd ?? 0) + savedUsd }),
    input: totals.input + (call.usage?.input ?? 0),
    output: totals.output + (call.usage?.output ?? 0),
    cached: totals.cached + (call.usage?.cached ?? 0),
    discounted: totals.discounted + computeDiscount(call.usage),
    usd: totals.usd + (call.costUsd ?? 0),
    unpriced: totals.unpriced + (call.costUsd === undefined ? 1 : 0),
  };
}

/** Price of cached input relative to other input at most providers. */
const USUAL_CACHED_RATIO = 0.1;

function computeDiscount({ input, cached = 0, cachedRatio = USUAL_CACHED_RATIO }: Usage = NO_USAGE): number {
  return Math.min(cached, input) * (1 - cachedRatio);
}

const NO_USAGE: Usage = { input: 0, output: 0 };

/** Dollars that a run would have cost without the providers' caches; undefined if they saved nothing yet. */
export function computeUncachedUsd({ usd, savedUsd = 0 }: Pick<Totals, "usd" | "savedUsd">): number | undefined {
  return savedUsd > 0 ? usd + savedUsd : undefined;
}

/** Tokens as counted by the limit: cached input counts at its relative price. */
export function countTokensForLimit(spent: Pick<Totals, "input" | "output" | "discounted">): number {
  return spent.input + spent.output - spent.discounted;
}

/** Tokens of one call as counted by the limit. */
export function countUsageForLimit(usage: Usage = NO_USAGE): number {
  return usage.input + usage.output - computeDiscount(usage);
}

/** Steps as counted by the limit: those whose call ran. */
export function countStepsForLimit(spent: Pick<Totals, "steps" | "missed">): number {
  return spent.steps - spent.missed;
}

const spentOf: Readonly<Record<LimitName, (totals: Totals) => number>> = {
  steps: countStepsForLimit,
  replies: (totals) => totals.replies,
  tokens: countTokensForLimit,
  minutes: (totals) => totals.activeMs / MS_PER_MINUTE,
  usd: (totals) => totals.usd,
};

/** Milliseconds that are left of the limit of minutes; undefined without one. */
export function computeTimeLeftMs({
  totals,
  limits,
}: {
  readonly totals: Totals;
  readonly limits: Limits;
}): number | undefined {
  return limits.minutes === 0 ? undefined : Math.max(0, limits.minutes * MS_PER_MINUTE - totals.activeMs);
}

/** All limits, in the order in which they are checked. */
export const LIMIT_NAMES: readonly LimitName[] = ["usd", "tokens", "steps", "replies", "minutes"];

/** Returns the first limit that leaves no room for another step, if any. */
export function findExhaustedLimit(totals: Totals, limits: Limits): LimitName | undefined {
  return LIMIT_NAMES.find((name) => limits[name] > 0 && spentOf[name](totals) >= limits[name]);
}

/** Combines two sets of limits by taking the lower of each. */
export function getTighterLimits(one: Limits, other: Partial<Limits>): Limits {
  const getLowerLimit = (name: LimitName): number => {
    const candidates = [one[name], other[name] ?? 0].filter((value) => value > 0);
    return candidates.length === 0 ? 0 : Math.min(...candidates);
  };
  return {
    steps: getLowerLimit("steps"),
    replies: getLowerLimit("replies"),
    tokens: getLowerLimit("tokens"),
    minutes: getLowerLimit("minutes"),
    usd: getLowerLimit("usd"),
  };
}

/** The lowest possible limit, since 0 means no limit. */
const NEXT_TO_NOTHING = 1e-9;

/** Limits for a share of the remaining budget. Time isn't divided, because it passes for all at once. */
export function computeSharedLimits(totals: Totals, limits: Limits, share: number): Limits {
  const computePart = (name: LimitName, least: number): number =>
    limits[name] === 0 ? 0 : Math.max(least, share * (limits[name] - spentOf[name](totals)));
  return {
    usd: computePart("usd", NEXT_TO_NOTHING),
    tokens: Math.floor(computePart("tokens", 1)),
    steps: Math.floor(computePart("steps", 1)),
    replies: Math.floor(computePart("replies", 1)),
    minutes: limits.minutes === 0 ? 0 : Math.max(NEXT_TO_NOTHING, limits.minutes - spentOf.minutes(totals)),
  };
}

/** Money and steps are mentioned once more than this share is spent. */
const SCARCE_FROM = 0.75;
/** Below these dollars, the model gets increasingly clear warnings. The thresholds are those of classic AutoGPT. */
const WRAP_UP_USD = 0.01;
const NEARLY_SPENT_USD = 0.005;
/** A run's last steps are announced, so that it can end with something usable. */
const LAST_STEPS = 3;
/** Tokens, replies and minutes are mentioned once more than this share is spent. */
const NEARLY_SPENT_FROM = 0.9;

/** The scarce parts of the remaining budget as text for the model, one line each; "" while there is enough of everything. */
export function renderBudget(totals: Totals, limits: Limits): string {
  const share = (name: LimitName): number => (limits[name] > 0 ? spentOf[name](totals) / limits[name] : 0);
  const getPercentLeft = (name: LimitName): number => Math.max(0, Math.round(100 * (1 - share(name))));
  return [
    ...(share("usd") > SCARCE_FROM ? [describeMoneyLeft(totals, limits)] : []),
    ...(share("steps") > SCARCE_FROM ? [describeStepsLeft(totals, limits)] : []),
    ...(["tokens", "replies", "minutes"] as const)
      .filter((name) => share(name) > NEARLY_SPENT_FROM)
      .map((name) => `${getPercentLeft(name)}% of the ${name} are left. Finish the task now.`),
  ].join("\n");
}

/** Dollars include only calls with a known price, so less may be left if there were others. */
function describeMoneyLeft(totals: Totals, limits: Limits): string {
  const left = Math.max(0, limits.usd - totals.usd);
  const label = totals.unpriced > 0 ? "Money left, at most" : "Money left";
  return `${label}: $${left.toFixed(3)} of $${limits.usd.toFixed(2)}.${describeUrgency(left)}`;
}

function describeStepsLeft(totals: Totals, limits: Limits): string {
  const left = Math.max(0, limits.steps - countStepsForLimit(totals));
  const hurry = left <= LAST_STEPS ? " Finish now: leave things in a usable state and complete the task." : "";
  return `Steps left: ${left} of ${limits.steps}, this one included.${hurry}`;
}

function describeUrgency(leftUsd: number): string {
  if (leftUsd === 0) return " The budget is spent: stop here.";
  if (leftUsd < NEARLY_SPENT_USD) return " Almost nothing is left: complete the task now.";
  if (leftUsd < WRAP_UP_USD) return " Little is left: finish the task soon.";
  return "";
}
