import { type Completion, type Model, type ModelRequest, wrapModel } from "../ports/model.ts";
import { countMessageTokens, estimateTokens, requestTokens } from "./tokens.ts";

/** A model whose completions always have a count of tokens, so that limits hold with servers that count nothing. */
export function addOwnTokenCount(model: Model): Model {
  return wrapModel(() => model, {
    complete: async (request, completing) =>
      correctUsage(request, await model.complete(request, completing), model),
  });
}

/** A count of a server that is off by a larger factor, and by more than `MOST_HIDDEN`, counts something else or nothing. */
const MOST_OFF = 16;
/** Tokens that a server may count and we can't see: reasoning, pictures, words of its own. */
const MOST_HIDDEN = 200_000;

/** A completion whose missing or impossible counts are our own. */
function correctUsage(request: ModelRequest, completion: Completion, { costOf }: Model): Completion {
  const { text: content, calls, reasoning = "", usage } = completion;
  const input = correctCount(usage?.input, requestTokens(request));
  const output = correctCount(
    usage?.output,
    countMessageTokens({ role: "assistant", content, calls }) + estimateTokens(reasoning),
  );
  if (usage && input === usage.input && output === usage.output) return completion;
  const own = { ...usage, input, output, ...(input === usage?.input ? {} : { isEstimate: true }) };
  const isMissing = !usage?.input || !usage.output;
  const costUsd = isMissing ? (completion.costUsd ?? costOf?.(own)) : (costOf?.(own) ?? completion.costUsd);
  return { ...completion, usage: own, ...(costUsd === undefined ? {} : { costUsd }) };
}

/** A server's count if it's possible, or else our own. */
function correctCount(said = 0, own: number): number {
  const isPossible = said * MOST_OFF >= own && said <= own * MOST_OFF + MOST_HIDDEN;
  return said > 0 && isPossible ? said : own;
}
