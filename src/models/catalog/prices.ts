import { type Completion, type Model, type Usage, wrapModel } from "../../core/ports/model.ts";
import { isLoopback } from "../http/endpoint.ts";
import { type ModelFacts, modelFacts } from "./model-facts.ts";

/** A price in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of input that the provider has cached; absent: the same as other input. */
  readonly cached?: number;
}

/** Prices by model name. */
export type Prices = Readonly<Record<string, Price>>;

const FREE: Price = { input: 0, output: 0 };

/**
 * The price of a model with any of these names: the user's own, the known one, or nothing for a server on this
 * machine. Undefined if it's unknown.
 */
export function priceOf(names: readonly string[], own: Prices, baseUrl: string): Price | undefined {
  const set = names.find((name) => Object.hasOwn(own, name));
  if (set !== undefined) return own[set];
  return names.map(modelFacts).find((facts) => facts) ?? (isLoopback(baseUrl) ? FREE : undefined);
}

/** Cost of tokens in US dollars. Reasoning is part of the output; cached input has its own price. */
export function costUsd(usage: Usage, price: Price & Pick<ModelFacts, "dearerAbove">): number {
  const cached = Math.min(usage.cached ?? 0, usage.input);
  const long = price.dearerAbove !== undefined && usage.input > price.dearerAbove;
  const input = (usage.input - cached) * price.input + cached * (price.cached ?? price.input);
  return (input * (long ? 2 : 1) + usage.output * price.output * (long ? 1.5 : 1)) / 1_000_000;
}

/** Cached input always counts for something, so that every run ends at some point. */
const LEAST_RATIO = 0.01;

function withRatio(usage: Usage, { input, cached }: Price): Usage {
  if (!usage.cached || cached === undefined || input <= 0) return usage;
  return { ...usage, cachedRatio: Math.min(1, Math.max(LEAST_RATIO, cached / input)) };
}

/** A model whose completions report their cost where it's known. A cost that a gateway reports is left unchanged. */
export function withPrices(model: Model, price: (names: readonly string[]) => Price | undefined): Model {
  const priced = (completion: Completion): Completion => {
    const { usage } = completion;
    const known = usage && price([model.name, completion.model]);
    if (!known) return completion;
    return {
      ...completion,
      usage: withRatio(usage, known),
      costUsd: completion.costUsd ?? costUsd(usage, known),
    };
  };
  return wrapModel(() => model, {
    costOf(usage) {
      const known = price([model.name]);
      return known && costUsd(usage, known);
    },
    complete: async (request, completing) => priced(await model.complete(request, completing)),
  });
}
