import { affordableReply, NOTHING_UNDERWAY, type Underway, worstOf } from "./affordable.ts";
import type { Limits, Totals } from "./budget.ts";
import type { LimitName } from "./outcome.ts";
import { type Model, ModelError, type ModelRequest } from "./ports.ts";
import { requestTokens } from "./tokens.ts";

/** What a run may spend, and has spent. */
interface Purse {
  readonly totals: Totals;
  readonly limits: Limits;
}

/** A reply of a small task is not longer, and of a shorter one nothing can be made. */
const REPLY = 8_000;
const LEAST_REPLY = 500;

/** A model for a command's small tasks. A call that could exceed what the run may spend is not made: it throws a `ModelError` that says so. */
export function withinBudget(model: Model, purse: () => Purse | undefined): Model {
  let underway: Underway = NOTHING_UNDERWAY;
  return {
    name: model.name,
    contextWindow: model.contextWindow,
    formats: model.formats,
    ...(model.costOf ? { costOf: (usage) => model.costOf?.(usage) } : {}),
    async complete(request, completing) {
      const reply = replyWithin(request, model, purse(), underway);
      const worst = worstOf(requestTokens(request), reply, model);
      underway = { tokens: underway.tokens + worst.tokens, usd: underway.usd + worst.usd };
      try {
        return await model.complete({ ...request, maxReplyTokens: reply }, completing);
      } finally {
        underway = { tokens: underway.tokens - worst.tokens, usd: underway.usd - worst.usd };
      }
    },
  };
}

function replyWithin(
  request: ModelRequest,
  model: Model,
  purse: Purse | undefined,
  underway: Underway,
): number {
  const wanted = request.maxReplyTokens ?? REPLY;
  if (!purse) return wanted;
  const call = { input: requestTokens(request), reply: wanted, leastReply: LEAST_REPLY };
  const affordable = affordableReply(purse, call, model, underway);
  if (typeof affordable === "number") return affordable;
  throw new ModelError("other", `The budget of the run (${WHAT[affordable]}) leaves no room for this call.`);
}

const WHAT: Readonly<Record<LimitName, string>> = {
  usd: "money",
  tokens: "tokens",
  steps: "steps",
  minutes: "time",
};
