import type { Json } from "../../core/base/json.ts";
import type { Usage } from "../../core/ports/model.ts";
import { amountOf, objectOf } from "../http/json.ts";

/**
 * The tokens of a reply over chat completions or Responses, under the names of OpenAI, Anthropic's gateways, Google, DeepSeek, Mistral and
 * Moonshot; undefined if nothing is counted.
 */
export function usageIn(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const total = amountOf(usage.total_tokens) ?? 0;
  const said = amountOf(usage.completion_tokens ?? usage.output_tokens) ?? 0;
  const input = amountOf(usage.prompt_tokens ?? usage.input_tokens) || Math.max(0, total - said);
  const output = said || Math.max(0, total - input);
  if (input === 0 && output === 0) return undefined;
  const details = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const { reasoning_tokens } = objectOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  const reasoning = amountOf(reasoning_tokens);
  const cached = largest([
    ...[details.cached_tokens, usage.cached_tokens, usage.num_cached_tokens, usage.prompt_cache_hit_tokens],
    ...[usage.cache_read_input_tokens, usage.cached_content_token_count, usage.cachedContentTokenCount],
  ]);
  const written = largest([
    ...[details.cache_write_tokens, details.cache_creation_tokens, usage.cache_creation_input_tokens],
  ]);
  const byTime = objectOf(details.cache_creation_token_details ?? usage.cache_creation);
  const forHour = amountOf(byTime.ephemeral_1h_input_tokens);
  return {
    ...withApart({ input, output }, total, { cached: (cached ?? 0) + (written ?? 0), reasoning }),
    ...(cached === undefined ? {} : { cached }),
    ...(written ? { written } : {}),
    ...(written && forHour ? { writtenForHour: forHour } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** With what a service counts apart: Anthropic what is cached, xAI reasoning, and Google the same in the total alone. */
function withApart(
  { input, output }: Usage,
  total: number,
  { cached, reasoning }: { readonly cached: number; readonly reasoning: number | undefined },
): Usage {
  const rest = total - input - output;
  if (cached > input || (cached > 0 && rest === cached)) return { input: input + cached, output };
  const isReasoning = rest > 0 && (reasoning === undefined || reasoning === rest);
  return { input, output: isReasoning ? output + rest : output };
}

function largest(amounts: readonly unknown[]): number | undefined {
  const known = amounts.map(amountOf).filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The dollars that a gateway reports. With a key of one's own, OpenRouter counts only its fee, and the provider's price apart. */
export function costIn(value: unknown): number | undefined {
  const usage: Json = objectOf(value);
  const cost = amountOf(usage.cost);
  const upstream = amountOf(objectOf(usage.cost_details).upstream_inference_cost) ?? 0;
  return cost !== undefined && upstream > cost ? cost + upstream : cost;
}
