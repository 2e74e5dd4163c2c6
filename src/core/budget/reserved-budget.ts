import type { LimitName } from "../commands/outcome.ts";
import { requestTokens } from "../context/tokens.ts";
import { type Model, ModelError, type ModelRequest, wrapModel } from "../ports/model.ts";
import { countedTokens, type Limits, type Totals } from "./budget.ts";

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
export interface ReservedBudget {
  readonly tokens: number;
  readonly usd: number;
}

export const NOTHING_RESERVED: ReservedBudget = { tokens: 0, usd: 0 };

export function addReserved(one: ReservedBudget, other: ReservedBudget): ReservedBudget {
  return { tokens: one.tokens + other.tokens, usd: one.usd + other.usd };
}

/**
 * How many tokens of reply the budget leaves to a call, at most as many as wanted; the name of the limit that even the shortest one
 * could exceed. Where no price is known the tokens alone bind.
 */
export function replyTokensWithin(
  { totals, limits }: { readonly totals: Totals; readonly limits: Limits },
  call: PlannedCall,
  model: Pick<Model, "costOf">,
  underway: ReservedBudget = NOTHING_RESERVED,
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
export function worstCase(input: number, reply: number, model: Pick<Model, "costOf">): ReservedBudget {
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

/** What a run may spend, and has spent. */
interface RunBudget {
  readonly totals: Totals;
  readonly limits: Limits;
}

/** A reply of a small task is not longer, and of a shorter one nothing can be made. */
const REPLY = 8_000;
const LEAST_REPLY = 500;

/** A model for a command's small tasks. A call that could exceed what the run may spend is not made: it throws a `ModelError` that says so. */
export function withinBudget(model: Model, purse: () => RunBudget | undefined): Model {
  let underway: ReservedBudget = NOTHING_RESERVED;
  return wrapModel(() => model, {
    async complete(request, completing) {
      const reply = replyWithin(request, model, purse(), underway);
      const worst = worstCase(requestTokens(request), reply, model);
      underway = { tokens: underway.tokens + worst.tokens, usd: underway.usd + worst.usd };
      try {
        return await model.complete({ ...request, maxReplyTokens: reply }, completing);
      } finally {
        underway = { tokens: underway.tokens - worst.tokens, usd: underway.usd - worst.usd };
      }
    },
  });
}

function replyWithin(
  request: ModelRequest,
  model: Model,
  purse: RunBudget | undefined,
  underway: ReservedBudget,
): number {
  const wanted = request.maxReplyTokens ?? REPLY;
  if (!purse) return wanted;
  const call = { input: requestTokens(request), reply: wanted, leastReply: LEAST_REPLY };
  const affordable = replyTokensWithin(purse, call, model, underway);
  if (typeof affordable === "number") return affordable;
  throw new ModelError(
    "other",
    `The budget of the run (${LIMIT_NAMES[affordable]}) leaves no room for this call.`,
  );
}

const LIMIT_NAMES: Readonly<Record<LimitName, string>> = {
  usd: "money",
  tokens: "tokens",
  steps: "steps",
  minutes: "time",
};
