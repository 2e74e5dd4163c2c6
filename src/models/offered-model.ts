import { isObject, type Json } from "../core/base/json.ts";
import { amountOf, objectOf, textOf } from "./json.ts";
import { modelFacts } from "./model-facts.ts";
import { type Price, type Prices, priceOf } from "./prices.ts";

/** A model that can be chosen. What nobody told is absent. */
export interface OfferedModel {
  readonly name: string;
  /** Tokens that prompt and reply may hold together. */
  readonly contextWindow?: number;
  readonly price?: Price;
}

/** Reads a model from the many shapes of a `/v1/models` list; undefined for one that does not chat. */
export function offeredModel(value: unknown, own: Prices, baseUrl: string): OfferedModel | undefined {
  const model = objectOf(value);
  const name = textOf(model.id);
  if (name === "" || NO_CHAT.test(name)) return undefined;
  const contextWindow = windowIn(model) ?? modelFacts(name)?.contextWindow;
  const price = Object.hasOwn(own, name)
    ? own[name]
    : (priceIn(model.pricing) ?? priceOf([name], own, baseUrl));
  return {
    name,
    ...(contextWindow ? { contextWindow } : {}),
    ...(price
      ? {
          price: {
            input: price.input,
            output: price.output,
            ...(price.cached === undefined ? {} : { cached: price.cached }),
          },
        }
      : {}),
  };
}

const NO_CHAT =
  /embed|whisper|transcribe|tts|dall-e|image|moderation|realtime|audio|davinci|babbage|sora|rerank|-instruct-\d{4}$|deep-research/i;

/** vLLM, OpenRouter, Groq, Mistral, LM Studio and llama.cpp each name it their own way. */
function windowIn(model: Json): number | undefined {
  const meta = objectOf(model.meta);
  const names = [
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
  ];
  return (
    names.map((name) => amountOf(model[name])).find((size) => size) ??
    amountOf(meta.n_ctx) ??
    amountOf(meta.n_ctx_train)
  );
}

/** OpenRouter tells dollars per token. */
function priceIn(value: unknown): Price | undefined {
  if (!isObject(value)) return undefined;
  const [input, output, cached] = ["prompt", "completion", "input_cache_read"].map((kind) =>
    amountOf(value[kind]),
  );
  if (input === undefined || output === undefined) return undefined;
  return {
    input: perMillion(input),
    output: perMillion(output),
    ...(cached === undefined ? {} : { cached: perMillion(cached) }),
  };
}

function perMillion(perToken: number): number {
  return Number((perToken * 1_000_000).toPrecision(6));
}
