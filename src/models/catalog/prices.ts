import { type Completion, type Model, type Usage, wrapModel } from "../../core/ports/model.ts";
import { isLoopback } from "../http/endpoint.ts";
import type { Price } from "./facts.ts";
import { findModelFacts } from "./model-facts.ts";

/** Prices by model name. */
export type Prices = Readonly<Record<string, Price>>;

const FREE: Price = { input: 0, output: 0 };

/**
 * The price of a model with any of these names: the user's own, the known one, or zero for a server on this machine. Undefined if it's
 * unknown.
 */
export function findPrice(names: readonly string[], own: Prices, baseUrl: string): Price | undefined {
  const set = names.find((name) => Object.hasOwn(own, name));
  if (set !== undefined) return own[set];
  const facts = names.map((name) => findModelFacts(name, baseUrl)).find((one) => one);
  return facts ?? (isLoopback(baseUrl) ? FREE : undefined);
}

/** Cost of tokens in US dollars. Reasoning is part of the output. Input from the cache and input written to it have their own prices. */
export function computeCostUsd(usage: Usage, price: Price): number {
  const { input, output } = usage;
  const cached = Math.min(usage.cached ?? 0, input);
  const written = Math.min(usage.written ?? 0, input - cached);
  const forHour = Math.min(usage.writtenForHour ?? 0, written);
  const { cached: read = price.input, written: write = price.input, dearer } = price;
  const inputCost =
    (input - cached - written) * price.input +
    cached * read +
    (written - forHour) * write +
    forHour * (price.writtenForHour ?? write);
  const times = dearer !== undefined && input > dearer.above ? dearer : { input: 1, output: 1 };
  return (inputCost * times.input + output * price.output * times.output) / 1_000_000;
}

/** The minimum weight of cached input, so that every run ends at some point. */
const LEAST_RATIO = 0.01;

function addCachedRatio(usage: Usage, { input, cached }: Price): Usage {
  if (!usage.cached || cached === undefined || input <= 0) return usage;
  return { ...usage, cachedRatio: Math.min(1, Math.max(LEAST_RATIO, cached / input)) };
}

/** Adds the dollars that the cache saved, which are negative if the same tokens would cost less without it. */
function addSavings(usage: Usage, price: Price, cost: number): Usage {
  const { input, output, cached = 0, written = 0 } = usage;
  const own = computeCostUsd(usage, price);
  if (cached + written === 0 || own === 0) return usage;
  return { ...usage, savedUsd: cost * (computeCostUsd({ input, output }, price) / own - 1) };
}

/** Adds the cost to a model's completions if prices are known. A cost that a gateway reports is left unchanged. */
export function addPrices(model: Model, price: (names: readonly string[]) => Price | undefined): Model {
  const addCost = (completion: Completion): Completion => {
    const { usage } = completion;
    const known = usage && price([model.name, completion.model]);
    if (!known) return completion;
    const cost = completion.costUsd ?? computeCostUsd(usage, known);
    return { ...completion, usage: addSavings(addCachedRatio(usage, known), known, cost), costUsd: cost };
  };
  return wrapModel(() => model, {
    costOf(usage) {
      const known = price([model.name]);
      return known && computeCostUsd(usage, known);
    },
    complete: async (request, completing) => addCost(await model.complete(request, completing)),
  });
}
