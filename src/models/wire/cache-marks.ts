import type { CachedPart, ChatMessage, ModelRequest } from "../../core/ports/model.ts";
import type { Dialect } from "../chat/dialect.ts";

/** A mark at the end of what a service keeps for the next requests. */
interface CacheMark {
  readonly type: "ephemeral";
  readonly ttl?: "1h";
}

/** The longest key that OpenAI takes. */
const LONGEST_KEY = 64;

/** The field with the key for the service's cache, which brings the requests of a run to the same one. */
export function createCacheKey(
  { cached }: Pick<ModelRequest, "cached">,
  { cacheKey: isTaken }: Pick<Dialect, "cacheKey">,
): { readonly prompt_cache_key?: string } {
  return cached && isTaken ? { prompt_cache_key: cached.key.slice(-LONGEST_KEY) } : {};
}

/** The mark for a request's cached part: five minutes, or an hour where that is wanted and taken. */
export function createCacheMark(
  { cached }: Pick<ModelRequest, "cached">,
  { cacheHours }: Pick<Dialect, "cacheHours">,
): CacheMark {
  return cached?.minutes === 60 && cacheHours ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/**
 * The messages to mark at their ends, at most four of the first `count`: the system's, the first of the user, the last one, and that of
 * the step before. A service finds what it keeps only at a mark or within 20 blocks before one, and a step can add more.
 */
export function selectMarkedMessages(messages: readonly ChatMessage[], count: number): ReadonlySet<number> {
  const kept = messages.slice(0, count);
  const system = kept.findIndex(({ role }) => role !== "system") - 1;
  const before = kept.findLastIndex(({ role }) => role === "assistant") - 1;
  const ends = [system, system + 1, before, kept.length - 1];
  return new Set(ends.filter((index) => index >= 0 && kept[index]?.role !== "assistant"));
}

/** Minutes for which a service should keep what it caches: an hour costs more, and pays off where a person is waited for. */
export function chooseCacheMinutes(wanted: "auto" | "5" | "60", cached: CachedPart): 5 | 60 {
  if (wanted === "auto") return cached.isAttended ? 60 : 5;
  return wanted === "60" ? 60 : 5;
}
