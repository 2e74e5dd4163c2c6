import type { MetadataFilter } from "vectra";
import type { Sentence } from "../../texts/display-text.ts";
import type { Scored, WordMatch } from "../search/ranking.ts";
import type { MemoryItem } from "./memory-item.ts";

/** A memory in a store. Most memories are never read, so its text is decoded only on demand. */
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
  /** The size of its vectors, if it's known: files of a repository may claim another one, and then no memory would get a vector. */
  readonly dimensions?: number;
  /** The approximate number of memories in one segment, for stores that have segments. */
  readonly segmentSize?: number;
  /** Reads large memories in a thread: `segment-worker.ts`, or its bundle. Absent: all is read in this thread. */
  readonly worker?: string | URL;
  /**
   * Whether this user's program made a memory. One that is proven replaces one with its id that isn't, which a repository can bring along.
   */
  isProven?(item: MemoryItem): boolean;
  /** Receives sentences for the user: what was damaged, who writes. */
  notice(text: Sentence): void;
}

/**
 * Which memories a search is about, as Vectra's filter of their metadata: `{ kind: "note" }`, `{ run: { $in: [...] } }`.
 * Vectra's `$in` knows only texts, and what lacks a field fits no condition on it.
 */
export type MemoryFilter = MetadataFilter;

/** The searches that recall combines. */
export interface MemorySearch {
  readonly size: number;
  /** How many memories have a vector. */
  readonly embedded: number;
  /** The memories closest to a vector, closest first, each with its cosine. Empty when the vector has another size. */
  findNearest(
    vector: Float32Array,
    count: number,
    filter?: MemoryFilter,
  ): Promise<readonly Scored<StoredItem>[]>;
  /** The memories that share the most important words with a query, best first. */
  findWithWords(
    query: string,
    count: number,
    filter?: MemoryFilter,
  ): Promise<readonly WordMatch<StoredItem>[]>;
  /** The cosine of two memories that a search has just found; 0 if one of them has no vector. */
  computeSimilarity(one: StoredItem, other: StoredItem): number;
}

/**
 * Where the memories of a workspace are kept and searched: the local files, or a database. Redaction, chunking, embedding,
 * ranking and clean-up happen around it, the same for every store. Every method throws `MemoryError` if the store can't do it.
 */
export interface MemoryStore extends MemorySearch {
  /** False while another window writes; added memories are then handed over to it. */
  readonly isWriting: boolean;
  /** The size of the vectors; undefined until the first one. */
  readonly dimensions: number | undefined;
  /** Resolves once the memories survive a crash. Memories with a known id are skipped, unless they alone are proven. On error, none was added. */
  add(items: readonly MemoryItem[]): Promise<void>;
  get(id: string): Promise<MemoryItem | undefined>;
  /** Every memory, oldest first, each read when its turn comes. */
  iterateAll(): AsyncIterable<MemoryItem>;
  /** The newest memories, newest first. */
  listNewest(count: number): Promise<readonly MemoryItem[]>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes everything. The returned function restores it as long as the store is open. */
  clear(): Promise<() => Promise<void>>;
  /** Up to `count` of the wanted memories that have no vector and that this window should embed. */
  listWithoutVector(count: number, isWanted: (item: StoredItem) => boolean): Promise<readonly StoredItem[]>;
  /** Stores vectors by memory id. Removed memories are skipped; returns the ids whose vector doesn't fit the others. */
  embed(vectors: ReadonlyMap<string, Float32Array>): Promise<readonly string[]>;
  /** Called after each batch of vectors: the store may write what is complete in a more compact form. */
  compact(): Promise<void>;
  /** Called every few seconds: takes in changes of other windows, and starts to write once none of them does. */
  refresh(): Promise<void>;
  /** The size of the store on disk. */
  measureBytes(): Promise<number>;
  /** Resolves once everything is durable and another window may write. */
  close(): Promise<void>;
}
