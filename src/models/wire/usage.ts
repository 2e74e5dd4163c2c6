import type { Json } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Usage } from "../../core/ports/model.ts";
import { toAmount, toObjectOrEmpty } from "../http/json.ts";

/**
 * The tokens of a reply over chat completions or Responses, in fields of OpenAI, Anthropic's gateways, Google, DeepSeek, Mistral and
 * Moonshot. Undefined if there are none.
 */
export function readUsage(value: unknown): Usage | undefined {
  const usage = toObjectOrEmpty(value);
  const total = toAmount(usage.total_tokens) ?? 0;
  const said = toAmount(usage.completion_tokens ?? usage.output_tokens) ?? 0;
  const input = toAmount(usage.prompt_tokens ?? usage.input_tokens) || Math.max(0, total - said);
  const output = said || Math.max(0, total - input);
  if (input === 0 && output === 0) return undefined;
  const details = toObjectOrEmpty(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const { reasoning_tokens } = toObjectOrEmpty(usage.completion_tokens_details ?? usage.output_tokens_details);
  const reasoning = toAmount(reasoning_tokens);
  const cached = findLargest([
    details.cached_tokens,
    usage.cached_tokens,
    usage.num_cached_tokens,
    usage.prompt_cache_hit_tokens,
    usage.cache_read_input_tokens,
    usage.cached_content_token_count,
    usage.cachedContentTokenCount,
  ]);
  const written = findLargest([
    details.cache_write_tokens,
    details.cache_creation_tokens,
    usage.cache_creation_input_tokens,
  ]);
  const byTime = toObjectOrEmpty(details.cache_creation_token_details ?? usage.cache_creation);
  const forHour = toAmount(byTime.ephemeral_1h_input_tokens);
  return {
    ...addSeparateTokens({ input, output }, total, { cached: (cached ?? 0) + (written ?? 0), reasoning }),
    ...omitUndefined({ cached }),
    ...(written ? { written } : {}),
    ...(written && forHour ? { writtenForHour: forHour } : {}),
    ...omitUndefined({ reasoning }),
  };
}

/**
 * Adds tokens that a service counts separately: Anthropic's cached ones, xAI's reasoning, and Google's reasoning, which is only in the
 * total.
 */
function addSeparateTokens(
  { input, output }: Usage,
  total: number,
  { cached, reasoning }: { readonly cached: number; readonly reasoning: number | undefined },
): Usage {
  const rest = total - input - output;
  if (cached > input || (cached > 0 && rest === cached)) return { input: input + cached, output };
  const isReasoning = rest > 0 && (reasoning === undefined || reasoning === rest);
  return { input, output: isReasoning ? output + rest : output };
}

function findLargest(amounts: readonly unknown[]): number | undefined {
  const known = amounts.map(toAmount).filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/**
 * The cost in dollars that a gateway reports. With a user's own provider key, OpenRouter reports its fee and the provider's price
 * separately.
 */
export function readCost(value: unknown): number | undefined {
  const usage: Json = toObjectOrEmpty(value);
  const cost = toAmount(usage.cost);
  const upstream = toAmount(toObjectOrEmpty(usage.cost_details).upstream_inference_cost) ?? 0;
  return cost !== undefined && upstream > cost ? cost + upstream : cost;
}
