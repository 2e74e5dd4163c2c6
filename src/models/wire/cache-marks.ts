import type { CachedPart, ChatMessage, ModelRequest } from "../../core/ports/model.ts";
import type { Dialect } from "../chat/dialect.ts";

/** A mark at the end of a part that a service should cache. */
interface CacheMark {
  readonly type: "ephemeral";
  readonly ttl?: "1h";
}

/** The longest key that OpenAI accepts. */
const LONGEST_KEY = 64;

/** The field with the cache key, which routes a run's requests to the same cache. */
export function createCacheKey(
  { cached }: Pick<ModelRequest, "cached">,
  { cacheKey: isTaken }: Pick<Dialect, "cacheKey">,
): { readonly prompt_cache_key?: string } {
  return cached && isTaken ? { prompt_cache_key: cached.key.slice(-LONGEST_KEY) } : {};
}

/** The mark for a request's cached part: five minutes, or an hour if that's wanted and supported. */
export function createCacheMark(
  { cached }: Pick<ModelRequest, "cached">,
  { cacheHours }: Pick<Dialect, "cacheHours">,
): CacheMark {
  return cached?.minutes === 60 && cacheHours ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/**
 * Selects up to four of the first `count` messages to mark at their ends: the system's, the user's first, the last, and the previous
 * step's. A service finds cached parts only at a mark or within 20 blocks before it, and a step can add more.
 */
export function selectMarkedMessages(messages: readonly ChatMessage[], count: number): ReadonlySet<number> {
  const kept = messages.slice(0, count);
  const system = kept.findIndex(({ role }) => role !== "system") - 1;
  const before = kept.findLastIndex(({ role }) => role === "assistant") - 1;
  const ends = [system, system + 1, before, kept.length - 1];
  return new Set(ends.filter((index) => index >= 0 && kept[index]?.role !== "assistant"));
}

/** How many minutes a service should cache. An hour costs more, and pays off if the run waits for a person. */
export function chooseCacheMinutes(wanted: "auto" | "5" | "60", cached: CachedPart): 5 | 60 {
  if (wanted === "auto") return cached.isAttended ? 60 : 5;
  return wanted === "60" ? 60 : 5;
}
