import { countedTokens, type Limits, type Totals } from "./budget.ts";
import type { LimitName } from "./outcome.ts";
import type { Model } from "./ports.ts";

/** A call before it is made. */
export interface PlannedCall {
  /** The prompt's tokens. */
  readonly input: number;
  /** The reply's tokens at most, as they are wanted. */
  readonly reply: number;
  /** Fewer make no reply. */
  readonly leastReply: number;
}

/** A server may count the prompt otherwise than we do: by a tenth more at most, it is taken for. */
const AS_COUNTED_THERE = 1.1;

/** The most that calls on their way may still come to. */
export interface Underway {
  readonly tokens: number;
  readonly usd: number;
}

export const NOTHING_UNDERWAY: Underway = { tokens: 0, usd: 0 };

export function added(one: Underway, other: Underway): Underway {
  return { tokens: one.tokens + other.tokens, usd: one.usd + other.usd };
}

/**
 * How many tokens of reply the budget leaves to a call, at most as many as wanted; the name of the limit that even the shortest one
 * could exceed. Where no price is known the tokens alone bind.
 */
export function affordableReply(
  { totals, limits }: { readonly totals: Totals; readonly limits: Limits },
  call: PlannedCall,
  model: Pick<Model, "costOf">,
  underway: Underway = NOTHING_UNDERWAY,
): number | LimitName {
  const least = Math.min(call.leastReply, call.reply);
  const input = Math.ceil(call.input * AS_COUNTED_THERE);
  const byUsd = withinUsd(limits.usd - totals.usd - underway.usd, { ...call, input }, model);
  if (limits.usd > 0 && byUsd < least) return "usd";
  const byTokens = limits.tokens - countedTokens(totals) - underway.tokens - input;
  if (limits.tokens > 0 && byTokens < least) return "tokens";
  return Math.min(call.reply, limits.usd > 0 ? byUsd : call.reply, limits.tokens > 0 ? byTokens : call.reply);
}

/** What a call may come to at most. */
export function worstOf(input: number, reply: number, model: Pick<Model, "costOf">): Underway {
  const counted = Math.ceil(input * AS_COUNTED_THERE);
  return { tokens: counted + reply, usd: model.costOf?.({ input: counted, output: reply }) ?? 0 };
}

function withinUsd(left: number, { input, reply }: PlannedCall, model: Pick<Model, "costOf">): number {
  const whole = model.costOf?.({ input, output: reply });
  if (whole === undefined || whole <= left) return reply;
  const prompt = model.costOf?.({ input, output: 0 }) ?? 0;
  if (whole <= prompt) return 0;
  return Math.floor(((left - prompt) / (whole - prompt)) * reply);
}
