import { formatCount } from "../../core/base/text.ts";
import {
  computeUncachedUsd,
  countStepsForLimit,
  countTokensForLimit,
  type Limits,
  type Totals,
} from "../../core/budget/budget.ts";
import type { RunState } from "../../core/events/run-state.ts";
import { formatTokenCount, formatUsd, t } from "../../texts/language.ts";
import { formatMinutes } from "../ui/format.ts";

/** One kind of spending against its limit. */
export interface Meter {
  readonly name: string;
  /** The amount spent, and the limit. */
  readonly text: string;
  /** The amount with its unit, and the limit only when it is nearly reached. */
  readonly brief: string;
  /** The same in words. */
  readonly label: string;
  /** 0 to 1; absent when there is no limit. */
  readonly share?: number;
  /** The limit is nearly reached. */
  readonly low: boolean;
}

/** The spending of a run, one meter per limit. Without a known price, tokens take the place of money. */
export interface Meters {
  readonly money: Meter;
  readonly tokens: Meter;
  readonly steps: Meter;
  readonly replies: Meter;
  readonly time: Meter;
}

const LOW_SHARE = 0.9;
const MS_PER_MINUTE = 60_000;

export function createMeters(totals: Totals, limits: Limits): Meters {
  const { replies, activeMs } = totals;
  return {
    money: createMoneyMeter(totals, limits),
    tokens: createTokenMeter(totals, limits.tokens),
    steps: createStepMeter(totals, limits.steps),
    replies: createMeter({
      name: t("header.meter.replies"),
      value: replies,
      limit: limits.replies,
      ...formatCounts(replies, limits.replies),
    }),
    time: createMeter({
      name: t("header.meter.time"),
      value: activeMs / MS_PER_MINUTE,
      limit: limits.minutes,
      spent: formatMinutes(activeMs),
      most: t("header.minutes", { count: limits.minutes }),
    }),
  };
}

/** The relevant meters. Includes replies only when few of them are left. */
export function listShownMeters(
  state: Pick<RunState, "totals" | "limits" | "promptTokens" | "model">,
): readonly Meter[] {
  const { money, tokens, steps, replies, time } = createMeters(state.totals, state.limits);
  const context = createContextMeter(state);
  return [money, tokens, steps, ...(replies.low ? [replies] : []), time, ...(context ? [context] : [])];
}

/** The meter that is nearest to its limit, and the cost in words: money, or tokens without a known price. */
export function summarizeBudget({ totals, limits }: Pick<RunState, "totals" | "limits">): BudgetSummary {
  const all = createMeters(totals, limits);
  const { money, tokens, steps, replies, time } = all;
  const nearest = [money, tokens, steps, replies, time].reduce((one, other) =>
    (other.share ?? -1) > (one.share ?? -1) ? other : one,
  );
  return { nearest, cost: isPriceUnknown(totals) ? tokens.brief : money.brief, steps: steps.brief };
}

interface BudgetSummary {
  readonly nearest: Meter;
  readonly cost: string;
  readonly steps: string;
}

/** How full the model's context window is; undefined before the first prompt or if its size isn't known. */
export function createContextMeter({
  promptTokens,
  model: { contextWindow },
}: Pick<RunState, "promptTokens" | "model">): Meter | undefined {
  if (promptTokens === undefined || contextWindow <= 0) return undefined;
  const share = Math.min(1, promptTokens / contextWindow);
  const percent = `${Math.round(100 * share)}%`;
  return {
    name: t("header.meter.context"),
    text: percent,
    brief: percent,
    label: t("header.contextLabel", {
      percent,
      used: formatTokenCount(promptTokens),
      window: formatTokenCount(contextWindow),
    }),
    share,
    low: false,
  };
}

/** Counts only steps whose call ran. */
function createStepMeter(totals: Totals, limit: number): Meter {
  const count = countStepsForLimit(totals);
  const plain = createMeter({
    name: t("header.meter.steps"),
    value: count,
    limit,
    ...formatCounts(count, limit),
  });
  const brief = plain.low ? t("header.stepsOf", { count, limit }) : t("common.steps", { count });
  if (totals.missed === 0) return { ...plain, brief };
  return { ...plain, brief, label: t("header.stepsLabel", { spent: plain.text, count: totals.missed }) };
}

function createMoneyMeter(totals: Totals, limits: Limits): Meter {
  const spent = formatSpentMoney(totals);
  const name = t("header.meter.money");
  const plain = createMeter({
    name,
    value: totals.usd,
    limit: limits.usd,
    spent,
    most: formatUsd(limits.usd),
  });
  const uncached = computeUncachedUsd(totals);
  if (!isPriceUnknown(totals))
    return uncached === undefined
      ? plain
      : { ...plain, label: t("header.uncached", { label: plain.label, amount: formatUsd(uncached) }) };
  const label =
    limits.tokens > 0
      ? t("header.priceUnknownTokens", { limit: formatTokenCount(limits.tokens) })
      : t("header.priceUnknownNoLimit");
  return { name, text: spent, brief: spent, label, low: false };
}

/** Shows all tokens and cached ones, but measures only tokens that count against the limit. */
function createTokenMeter(totals: Totals, limit: number): Meter {
  const plain = createPlainTokenMeter(totals, limit);
  if (totals.cached === 0) return plain;
  return {
    ...plain,
    label: t("header.cached", { label: plain.label, tokens: formatTokenCount(totals.cached) }),
  };
}

function createPlainTokenMeter(totals: Totals, limit: number): Meter {
  const spent = formatTokenCount(totals.input + totals.output);
  const most = formatTokenCount(limit);
  const value = countTokensForLimit(totals);
  const plain = createMeter({ name: t("header.meter.tokens"), value, limit, spent, most });
  const isDiscounted = totals.discounted > 0;
  const hasLimit = limit > 0 && (isPriceUnknown(totals) || (plain.low && !isDiscounted));
  const brief = hasLimit ? t("header.tokensOf", { spent, limit: most }) : t("header.tokens", { tokens: spent });
  if (limit <= 0 || !isDiscounted) return { ...plain, brief };
  const label = t("header.tokensLabel", { spent, counted: formatTokenCount(value), limit: most });
  return { ...plain, text: spent, brief, label };
}

interface Measured {
  readonly name: string;
  readonly value: number;
  /** 0: none. */
  readonly limit: number;
  /** The value as a text. */
  readonly spent: string;
  /** The limit as a text. */
  readonly most: string;
}

function createMeter({ name, value, limit, spent, most }: Measured): Meter {
  if (limit <= 0)
    return { name, text: spent, brief: spent, label: t("header.meterLabel", { name, spent }), low: false };
  const share = Math.min(1, value / limit);
  const low = share >= LOW_SHARE;
  const text = t("header.meterOf", { spent, limit: most });
  const label = t("header.meterLabelOf", { name, spent, limit: most });
  return { name, share, low, text, brief: low ? text : spent, label };
}

function formatCounts(value: number, limit: number): Pick<Measured, "spent" | "most"> {
  return { spent: formatCount(value), most: formatCount(limit) };
}

function isPriceUnknown({ usd: spent, unpriced }: Totals): boolean {
  return unpriced > 0 && spent === 0;
}

/** Dollars include only calls with a known price. */
function formatSpentMoney(totals: Totals): string {
  if (totals.unpriced === 0) return formatUsd(totals.usd);
  return isPriceUnknown(totals) ? t("header.priceUnknown") : t("header.orMore", { amount: formatUsd(totals.usd) });
}
