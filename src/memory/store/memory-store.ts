import type { MetadataFilter } from "vectra";
import type { Sentence } from "../../texts/display-text.ts";
import type { Scored, WordMatch } from "../search/ranking.ts";
import type { MemoryItem } from "./memory-item.ts";

/** A memory in a store. Its text is decoded only on demand, because most memories are never read. */
export interface StoredItem {
  readonly id: string;
  read(): MemoryItem;
}

/** The vector of a memory, and the embedder that made it. */
export interface StoredVector {
  readonly embedder: string;
  readonly vector: Float32Array;
}

/** Options that every store is opened with. */
export interface MemoryStoreOptions {
  /** The workspace's memory folder, created if it is missing: `.autogpt/memory` of a trusted workspace. */
  readonly folder: string;
  /** The id of the embedder whose vectors the store holds; vectors of other embedders count as missing. */
  readonly embedder: string;
  /**
   * The size of the embedder's vectors, if known. A repository's files may claim another size, which would leave all memories without a
   * vector.
   */
  readonly dimensions?: number;
  /** The approximate number of memories in one segment, for stores that have segments. */
  readonly segmentSize?: number;
  /** Reads large memories in a thread: `segment-worker.ts`, or its bundle. Absent: all is read in this thread. */
  readonly worker?: string | URL;
  /** Whether this user's program made a memory. A proven memory replaces an unproven one with its id, which a repository can contain. */
  isProven?(item: MemoryItem): boolean;
  /** Shows the user sentences about damage and about the writing window. */
  notice(text: Sentence): void;
}

/**
 * Selects the memories to search, as Vectra's metadata filter: `{ kind: "note" }`, `{ run: { $in: [...] } }`. Vectra's `$in` supports only
 * texts. A condition on a missing field is never met.
 */
export type MemoryFilter = MetadataFilter;

/** The searches that recall combines. */
export interface MemorySearch {
  readonly size: number;
  /** How many memories have a vector. */
  readonly embedded: number;
  /** The memories closest to a vector, closest first, each with its cosine. Empty when the vector has another size. */
  findNearest(vector: Float32Array, count: number, filter?: MemoryFilter): Promise<readonly Scored<StoredItem>[]>;
  /** The memories that share the most important words with a query, best first. */
  findWithWords(query: string, count: number, filter?: MemoryFilter): Promise<readonly WordMatch<StoredItem>[]>;
  /** The cosine of two memories that a search has just found; 0 if either has no vector. */
  computeSimilarity(one: StoredItem, other: StoredItem): number;
}

/**
 * Stores and searches the memories of a workspace: in local files, or in a database. Redaction, chunking, embedding, ranking and clean-up
 * happen outside, the same for every store. Methods throw `MemoryError` if the store fails.
 */
export interface MemoryStore extends MemorySearch {
  /** False while another window writes; then added memories are left for it. */
  readonly isWriting: boolean;
  /** The size of the vectors; undefined until the first one. */
  readonly dimensions: number | undefined;
  /**
   * Resolves once the memories survive a crash. Skips memories with a known id, unless only the new one is proven. On error, none was
   * added.
   */
  add(items: readonly MemoryItem[]): Promise<void>;
  get(id: string): Promise<MemoryItem | undefined>;
  /** Iterates over all memories, oldest first, and reads each one on demand. */
  iterateAll(): AsyncIterable<MemoryItem>;
  /** The newest memories, newest first. */
  listNewest(count: number): Promise<readonly MemoryItem[]>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes everything. The returned function restores it as long as the store is open. */
  clear(): Promise<() => Promise<void>>;
  /** Up to `count` of the selected memories that have no vector and that this window should embed. */
  listWithoutVector(count: number, isWanted: (item: StoredItem) => boolean): Promise<readonly StoredItem[]>;
  /** Stores vectors by memory id. Skips removed memories. Returns the ids of vectors that don't fit the others. */
  embed(vectors: ReadonlyMap<string, Float32Array>): Promise<readonly string[]>;
  /** Called after each batch of vectors, so that the store can write complete parts in a more compact form. */
  compact(): Promise<void>;
  /** Called every few seconds: reads other windows' changes, and starts to write once no other window does. */
  refresh(): Promise<void>;
  /** The size of the store on disk. */
  measureBytes(): Promise<number>;
  /** Resolves once everything is durable and another window can write. */
  close(): Promise<void>;
}
