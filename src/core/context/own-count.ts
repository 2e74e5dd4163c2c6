import { omitUndefined } from "../base/objects.ts";
import { type Completion, type Model, type ModelRequest, wrapModel } from "../ports/model.ts";
import { countMessageTokens, estimateTokens, requestTokens } from "./tokens.ts";

/** Ensures that a model's completions always have a token count, so that limits hold with servers that count nothing. */
export function addOwnTokenCount(model: Model): Model {
  return wrapModel(() => model, {
    complete: async (request, completing) => correctUsage(request, await model.complete(request, completing), model),
  });
}

/** If a server's count is off by more than this factor and `MOST_HIDDEN`, it counts something else or nothing. */
const MOST_OFF = 16;
/** Tokens that a server may count although we can't see them: reasoning, pictures and words that it adds. */
const MOST_HIDDEN = 200_000;

/** Replaces a completion's missing or impossible counts with our own. */
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
  return { ...completion, usage: own, ...omitUndefined({ costUsd }) };
}

/** A server's count if it's possible, or else our own. */
function correctCount(said = 0, own: number): number {
  const isPossible = said * MOST_OFF >= own && said <= own * MOST_OFF + MOST_HIDDEN;
  return said > 0 && isPossible ? said : own;
}
