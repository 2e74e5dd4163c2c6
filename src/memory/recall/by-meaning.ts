import { computeQueryVector, type Embedder, EmbeddingError } from "../embedding/embedder.ts";
import type { Scored } from "../search/ranking.ts";
import type { MemoryFilter, MemorySearch, StoredItem } from "../store/memory-store.ts";

/** A search by the meaning of a query. */
export interface MeaningQuery {
  readonly query: string;
  readonly count: number;
  readonly filter?: MemoryFilter | undefined;
  readonly signal: AbortSignal;
}

/** How long a query waits for its vector. After that, only words are searched. */
const EMBED_MS = 4_000;
/** The number of top results that are reordered by their words. */
const FIRST = 40;
/** The weight of the closest words relative to the cosine. */
const NEAREST = 0.8;

/**
 * The memories closest to a query, closest first; none if the embedder doesn't answer in time. If the embedder can compare words, memories
 * with words close to the query's move up.
 */
export async function searchByMeaning(
  asked: MeaningQuery,
  search: MemorySearch,
  embedder: Embedder,
): Promise<readonly Scored<StoredItem>[]> {
  if (search.embedded === 0) return [];
  const { query, count, filter, signal } = asked;
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(EMBED_MS)]);
    const vector = await computeQueryVector(embedder, query, limited);
    const found = vector ? await search.findNearest(vector, count, filter) : [];
    if (!embedder.measureNearness) return found;
    const first = found.slice(0, FIRST);
    const texts = first.map(({ value }) => value.read().text);
    const near = await embedder.measureNearness(query, texts, limited);
    const order = first.map((hit, place) => ({ hit, score: hit.score + NEAREST * (near[place] ?? 0) }));
    order.sort((one, other) => other.score - one.score);
    return [...order.map(({ hit }) => hit), ...found.slice(FIRST)];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EmbeddingError || (error instanceof Error && error.name === "TimeoutError")) return [];
    throw error;
  }
}
