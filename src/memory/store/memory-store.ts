import type { Embedder } from "../embedding/embedder.ts";
import type { MemoryHit, RecallOptions } from "../recall/recall.ts";
import type { MemoryItem, NewMemory } from "./memory-item.ts";

/** How a memory is opened. */
export interface MemoryOptions {
  /** Made when it is not there: `.autogpt/memory` of a trusted workspace. */
  readonly folder: string;
  /**
   * Whose vectors the memory holds. Another one than before embeds everything anew, in the background: choose it by
   * the settings, not by what answers just now.
   */
  readonly embedder: Embedder;
  /** A secret of this user on this machine, kept outside any workspace; absent: no memory is trusted. */
  readonly key?: string;
  /** Takes secrets out of what is stored. */
  redact?(text: string): string;
  /** When there are more, the oldest go; notes stay. */
  readonly maxMemories?: number;
  /** Memories in a segment, about. */
  readonly segmentSize?: number;
  now?(): Date;
}

/** A memory as people are shown it. */
export interface MemoryState {
  /** Another window may be the one that writes; what is new here is handed over to it. */
  readonly mode: "writing" | "reading";
  readonly count: number;
  /** How many have a vector; the others are found by their words. */
  readonly embedded: number;
  readonly embedder: string;
  /** Undefined until the first vector. */
  readonly dimensions: number | undefined;
  /** Sentences: what was damaged and set aside, why nothing is stored or embedded just now. */
  readonly notices: readonly string[];
}

/** What is remembered in a workspace. */
export interface MemoryStore {
  readonly state: MemoryState;
  /** Calls back after every change of the state, until the function that is returned is called. */
  onChange(listener: () => void): () => void;
  /**
   * Resolves with the ids once the memories survive a crash of the program. Long texts are kept in pieces, and what
   * is known already is not stored twice. Throws `MemoryError`; then nothing was added.
   */
  add(memories: readonly NewMemory[]): Promise<readonly string[]>;
  /** The memories that fit best, best first. Throws nothing but the signal's reason. */
  recall(query: string, options: RecallOptions): Promise<readonly MemoryHit[]>;
  /** Every memory, oldest first; each is read once its turn comes. */
  all(): Iterable<MemoryItem>;
  /** The newest ones, newest first. */
  newest(count: number): readonly MemoryItem[];
  /** Undefined when there is none by this id. */
  get(id: string): MemoryItem | undefined;
  /** Throws `MemoryError`. */
  remove(ids: readonly string[]): Promise<void>;
  /** Forgets everything; what is returned brings it back as long as the store is open. Throws `MemoryError`. */
  clear(): Promise<() => Promise<void>>;
  /** Looks what other windows have done, and begins to write once none of them does. Happens every few seconds anyway. */
  refresh(): Promise<void>;
  /** Resolves once everything has a vector, or none can be had now. */
  embedded(): Promise<void>;
  /** What it takes on disk. */
  bytes(): Promise<number>;
  /** Resolves once everything is on the disk, in segments that Vectra reads, and another window may write. */
  close(): Promise<void>;
}
