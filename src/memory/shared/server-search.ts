import { setTimeout as pause } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import { sha256 } from "../../disk/sha256.ts";
import { createFilterTest } from "../search/memory-index.ts";
import type { Scored, WordMatch } from "../search/ranking.ts";
import type { MemoryItem } from "../store/memory-item.ts";
import type { MemoryFilter, MemorySearch, StoredItem } from "../store/memory-store.ts";
import type { SharedItem, SharedLog } from "./shared-log.ts";

/** How long a search waits for the server. */
const ANSWER_MS = 250;
/** The factor for the number of requested hits if there is a filter, which the server doesn't know. */
const FILTERED = 4;
/** How long to pause requests to a server that was too slow. The pause doubles each time, up to the limit. */
const FIRST_REST_MS = 500;
const LAST_REST_MS = 60_000;
/** The highest cosine after rounding. */
const MOST_COSINE = 1.001;

/** Searches the local memories, and also a server's if there is one. Costs nothing without a server. */
export class ServerSearch implements MemorySearch {
  private readonly local: MemorySearch;
  private readonly embedder: string;
  /** Whether a memory is stored locally. */
  private readonly isHere: (id: string) => boolean;
  private readonly answerMs: number;
  private log: Pick<SharedLog, "findNearest"> | undefined;
  private restMs = FIRST_REST_MS;
  private restsUntil = 0;

  constructor(local: MemorySearch, embedder: string, isHere: (id: string) => boolean, answerMs = ANSWER_MS) {
    this.local = local;
    this.embedder = embedder;
    this.isHere = isHere;
    this.answerMs = answerMs;
  }

  get size(): number {
    return this.local.size;
  }

  get embedded(): number {
    return this.local.embedded;
  }

  /** Searches this server from now on; absent: none. */
  use(log: Pick<SharedLog, "findNearest"> | undefined): void {
    this.log = log;
  }

  async findNearest(
    vector: Float32Array,
    count: number,
    filter?: MemoryFilter,
  ): Promise<readonly Scored<StoredItem>[]> {
    const [local, remote, isWanted] = await Promise.all([
      this.local.findNearest(vector, count, filter),
      this.ask(vector, filter ? FILTERED * count : count),
      createFilterTest(filter),
    ]);
    if (remote.length === 0) return local;
    const wanted = isWanted ? remote.filter(({ value }) => isWanted(value.read())) : remote;
    return [...local, ...wanted].sort((one, other) => other.score - one.score).slice(0, count);
  }

  findWithWords(query: string, count: number, filter?: MemoryFilter): Promise<readonly WordMatch<StoredItem>[]> {
    return this.local.findWithWords(query, count, filter);
  }

  computeSimilarity(one: StoredItem, other: StoredItem): number {
    return this.local.computeSimilarity(one, other);
  }

  /** Asks the server. Returns nothing if it doesn't answer in time; then it isn't asked for a while. */
  private async ask(vector: Float32Array, count: number): Promise<readonly Scored<StoredItem>[]> {
    if (!this.log?.findNearest || Date.now() < this.restsUntil) return [];
    const late = new AbortController();
    const found = await Promise.race([
      this.log.findNearest({ embedder: this.embedder, vector }, count).catch(() => undefined),
      pause(this.answerMs, undefined, { ref: false, signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    if (!found) this.restsUntil = Date.now() + this.restMs;
    this.restMs = found ? FIRST_REST_MS : Math.min(LAST_REST_MS, 2 * this.restMs);
    return (found ?? []).flatMap(({ item, cosine }) => {
      // The server's claim, which must not come before everything else.
      if (!(Math.abs(cosine) <= MOST_COSINE)) return [];
      const found = createLocalItem(item);
      const isKnown = this.isHere(found.id) || this.isHere(item.id);
      return isKnown ? [] : [{ value: { id: found.id, read: () => found }, score: cosine }];
    });
  }
}

/**
 * Converts another member's memory for local storage: without proof and run, and with its author as an untrusted source. Its id includes
 * the author's name, so another's memory can't replace or remove the user's own.
 */
export function createLocalItem(item: SharedItem): MemoryItem {
  const { author, kind, text, source, place, at } = item;
  return {
    id: computeLocalId(item),
    kind,
    text,
    source,
    at,
    author,
    ...omitUndefined({ place }),
    sources: [{ kind: "memory", name: `shared by ${author}` }],
  };
}

/** The local id of another member's memory. */
export function computeLocalId({ author, id }: Pick<SharedItem, "author" | "id">): string {
  return sha256(JSON.stringify([author, id])).slice(0, 24);
}

/** Whether a memory came from a server. */
export function isShared({ author, sources }: MemoryItem): boolean {
  return author !== undefined && sources?.some(({ name }) => name === `shared by ${author}`) === true;
}
