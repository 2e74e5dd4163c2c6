import { countedTokens, type Limits, type Totals } from "../core/budget.ts";
import { minutes, tokens, usd } from "./format.ts";

/** One kind of spending against its limit. */
export interface Meter {
  readonly name: string;
  /** What is spent, and of how much. */
  readonly text: string;
  /** For where there is little room: what is spent, and of how much only when hardly anything is left. */
  readonly brief: string;
  /** The same in words. */
  readonly label: string;
  /** 0 to 1; absent when there is no limit. */
  readonly share?: number;
  /** Hardly anything is left. */
  readonly low: boolean;
}

const LOW = 0.9;
const MS_PER_MINUTE = 60_000;

/** What a run has spent, one meter a limit. */
export function meters(totals: Totals, limits: Limits): readonly Meter[] {
  return [
    meter("Money", spentMoney(totals), totals.usd, limits.usd, roundUsd),
    tokenMeter(totals, limits.tokens),
    meter(
      "Steps",
      String(totals.steps),
      totals.steps,
      limits.steps,
      String,
      totals.steps === 1 ? " step" : " steps",
    ),
    meter(
      "Time",
      minutes(totals.activeMs),
      totals.activeMs / MS_PER_MINUTE,
      limits.minutes,
      (limit) => `${limit} min`,
    ),
  ];
}

/** Shows all tokens, and measures those that count against the limit. */
function tokenMeter(totals: Totals, limit: number): Meter {
  const spent = tokens(totals.input + totals.output);
  const counted = countedTokens(totals);
  const plain = meter("Tokens", spent, counted, limit, tokens, " tokens");
  if (limit <= 0 || totals.discounted === 0) return plain;
  return {
    ...plain,
    text: spent,
    brief: `${spent} tokens`,
    label: `Tokens: ${spent}, of which ${tokens(counted)} count toward the limit of ${tokens(limit)} because cached input costs less`,
  };
}

function meter(
  name: string,
  spent: string,
  value: number,
  limit: number,
  write: (limit: number) => string,
  unit = "",
): Meter {
  if (limit <= 0)
    return { name, text: spent, brief: `${spent}${unit}`, label: `${name}: ${spent}`, low: false };
  const share = Math.min(1, value / limit);
  const low = share >= LOW;
  const most = write(limit);
  return {
    ...{ name, share, low },
    text: `${spent} / ${most}`,
    brief: `${low ? `${spent} of ${most}` : spent}${unit}`,
    label: `${name}: ${spent} of ${most}`,
  };
}

/** A limit is mostly a round sum. */
function roundUsd(dollars: number): string {
  return Number.isInteger(dollars) ? `$${dollars}` : usd(dollars);
}

/** Dollars are only as good as the prices known. */
function spentMoney(totals: Totals): string {
  if (totals.unpriced === 0) return usd(totals.usd);
  return totals.usd === 0 ? "price unknown" : `${usd(totals.usd)} or more`;
}
