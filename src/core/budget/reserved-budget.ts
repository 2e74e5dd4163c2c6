import { displayText, type TextCode } from "../../texts/display-text.ts";
import type { LimitName } from "../commands/outcome.ts";
import { addOwnTokenCount, requestTokens } from "../context/tokens.ts";
import { type Model, ModelError, type ModelRequest, wrapModel } from "../ports/model.ts";
import { computeTimeLeftMs, countTokensForLimit, type Limits, type Totals } from "./budget.ts";

/** A call that is planned. */
export interface PlannedCall {
  /** Tokens of the prompt. */
  readonly input: number;
  /** Maximum tokens of the reply, as wanted. */
  readonly reply: number;
  /** Minimum tokens of a useful reply. */
  readonly leastReply: number;
}

/** Assumed maximum of a server's token count relative to ours. */
const AS_COUNTED_THERE = 1.1;

/** The maximum cost of calls in progress. */
export interface ReservedBudget {
  readonly tokens: number;
  readonly usd: number;
}

export const NOTHING_RESERVED: ReservedBudget = { tokens: 0, usd: 0 };

export function addReserved(one: ReservedBudget, other: ReservedBudget): ReservedBudget {
  return { tokens: one.tokens + other.tokens, usd: one.usd + other.usd };
}

/**
 * Returns how many of the wanted reply tokens the budget allows, or the limit that even the shortest reply could exceed. Without a known price only tokens count.
 */
export function limitReplyTokens(
  { totals, limits }: { readonly totals: Totals; readonly limits: Limits },
  call: PlannedCall,
  model: Pick<Model, "costOf">,
  reserved: ReservedBudget = NOTHING_RESERVED,
): number | LimitName {
  const least = Math.min(call.leastReply, call.reply);
  const input = Math.ceil(call.input * AS_COUNTED_THERE);
  const byUsd = limitReplyToUsd(limits.usd - totals.usd - reserved.usd, { ...call, input }, model);
  if (limits.usd > 0 && byUsd < least) return "usd";
  const byTokens = limits.tokens - countTokensForLimit(totals) - reserved.tokens - input;
  if (limits.tokens > 0 && byTokens < least) return "tokens";
  return Math.min(call.reply, limits.usd > 0 ? byUsd : call.reply, limits.tokens > 0 ? byTokens : call.reply);
}

/** The maximum cost of a call. */
export function computeWorstCase(input: number, reply: number, model: Pick<Model, "costOf">): ReservedBudget {
  const counted = Math.ceil(input * AS_COUNTED_THERE);
  return { tokens: counted + reply, usd: model.costOf?.({ input: counted, output: reply }) ?? 0 };
}

function limitReplyToUsd(left: number, { input, reply }: PlannedCall, model: Pick<Model, "costOf">): number {
  const whole = model.costOf?.({ input, output: reply });
  if (whole === undefined || whole <= left) return reply;
  const prompt = model.costOf?.({ input, output: 0 }) ?? 0;
  if (whole <= prompt) return 0;
  return Math.floor(((left - prompt) / (whole - prompt)) * reply);
}

/** Limits and spending of a run. */
interface RunBudget {
  readonly totals: Totals;
  readonly limits: Limits;
}

/** Maximum and minimum tokens of a small task's reply. */
const REPLY = 8_000;
const LEAST_REPLY = 500;

/** Wraps a model for a command's small tasks. A call that could exceed the run's budget throws a `ModelError` instead. */
export function limitModelToBudget(model: Model, budget: () => RunBudget | undefined): Model {
  let reserved: ReservedBudget = NOTHING_RESERVED;
  return wrapModel(() => model, {
    async complete(request, completing) {
      const now = budget();
      const reply = limitReplyToBudget(request, model, now, reserved);
      const worst = computeWorstCase(requestTokens(request), reply, model);
      reserved = { tokens: reserved.tokens + worst.tokens, usd: reserved.usd + worst.usd };
      try {
        const patienceMs = now && computeTimeLeftMs(now);
        return await addOwnTokenCount(model).complete(
          { ...request, maxReplyTokens: reply },
          { ...completing, patienceMs },
        );
      } finally {
        reserved = { tokens: reserved.tokens - worst.tokens, usd: reserved.usd - worst.usd };
      }
    },
  });
}

function limitReplyToBudget(
  request: ModelRequest,
  model: Model,
  budget: RunBudget | undefined,
  reserved: ReservedBudget,
): number {
  const wanted = request.maxReplyTokens ?? REPLY;
  if (!budget) return wanted;
  const call = { input: requestTokens(request), reply: wanted, leastReply: LEAST_REPLY };
  const affordable = limitReplyTokens(budget, call, model, reserved);
  if (typeof affordable === "number") return affordable;
  throw new ModelError("other", displayText("trouble.noRoom", { resource: displayText(RESOURCES[affordable]) }));
}

const RESOURCES = {
  usd: "trouble.resource.money",
  tokens: "trouble.resource.tokens",
  steps: "trouble.resource.steps",
  replies: "trouble.resource.replies",
  minutes: "trouble.resource.time",
} as const satisfies Readonly<Record<LimitName, TextCode>>;
