import { UsageError } from "../usage-error.ts";

/** How much is asked of a provider in a minute at most. */
export interface Rate {
  /** As after the `@` of a model's name; absent: each provider. */
  readonly provider?: string;
  readonly unit: "requests" | "tokens";
  readonly perMinute: number;
}

const RATE = /^(?:([\w.-]+)=)?(\d+(?:\.\d+)?)(requests|tokens)?(?:\/min)?$/;
const SETTINGS = { requests: "model.requestsPerMinute", tokens: "model.tokensPerMinute" } as const;

/** Reads `60/min`, `openai=60/min` or `openai=90000tokens/min`. Throws a `UsageError`. */
export function parseRate(text: string): Rate {
  const [, provider, amount = "0", unit = "requests"] = RATE.exec(text.trim()) ?? [];
  const perMinute = Number(amount);
  if (!(perMinute > 0))
    throw new UsageError(
      `--rate takes requests or tokens a minute, as in --rate 60/min, --rate openai=60/min or --rate openai=90000tokens/min, not "${text}".`,
    );
  return { unit: unit === "tokens" ? unit : "requests", perMinute, ...(provider === undefined ? {} : { provider }) };
}

/**
 * The settings that keep one of several runs to its part. A model that names no provider gets the strictest rate, since only the machine
 * that works knows which one it uses. A rate that the run has of its own counts if it's smaller.
 */
export function createRateSettings(
  rates: readonly Rate[],
  atOnce: number,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, number>> {
  const model = given["model.smart"];
  const named = typeof model === "string" ? /@([\w.-]+)$/.exec(model)?.[1] : undefined;
  const settings: Record<string, number> = {};
  for (const { provider, unit, perMinute } of rates) {
    if (provider !== undefined && named !== undefined && provider !== named) continue;
    const part = unit === "tokens" ? Math.max(1, Math.floor(perMinute / atOnce)) : perMinute / atOnce;
    const name = SETTINGS[unit];
    const own = Number(given[name]) || part;
    settings[name] = Math.min(part, own, settings[name] ?? part);
  }
  return settings;
}
