import { type Completion, type Model, type ModelRequest, wrapModel } from "../ports/model.ts";
import { estimateTokens, messageTokens, requestTokens } from "./tokens.ts";

/** A model whose completions always have a count of tokens, so that limits hold with servers that count nothing. */
export function withOwnCount(model: Model): Model {
  return wrapModel(() => model, {
    complete: async (request, completing) =>
      counted(request, await model.complete(request, completing), model),
  });
}

/** A completion whose missing or zero counts are our own. */
function counted(request: ModelRequest, completion: Completion, { costOf }: Model): Completion {
  const { text: content, calls, reasoning = "", usage } = completion;
  if (usage && usage.input > 0 && usage.output > 0) return completion;
  const ownOutput = (): number =>
    messageTokens({ role: "assistant", content, calls }) + estimateTokens(reasoning);
  const own = {
    ...usage,
    input: usage?.input || requestTokens(request),
    output: usage?.output || ownOutput(),
    ...(usage?.input ? {} : { isEstimate: true }),
  };
  const costUsd = completion.costUsd ?? costOf?.(own);
  return { ...completion, usage: own, ...(costUsd === undefined ? {} : { costUsd }) };
}
