import { openLocalStore } from "./store/local-store.ts";
import type { MemoryStore, MemoryStoreOptions } from "./store/memory-store.ts";

/** The names of the memory stores. A new name doesn't compile until it has a row below. */
export type MemoryStoreName = "local";

/** A kind of memory store. */
interface MemoryStoreRow {
  /** The store's name for people. */
  readonly title: string;
  /** Whether one window writes at a time, while the others leave new memories for it, or all do. */
  readonly writers: "one" | "all";
  /** Opens or creates the store. Throws `MemoryError`; then nothing was changed. */
  open(options: MemoryStoreOptions): Promise<MemoryStore>;
}

/** A row for each of some stores. */
export type MemoryStoreTable<Name extends string> = { readonly [Each in Name]: MemoryStoreRow };

/** Every memory store, by name. The contract suite runs over each row. */
export const MEMORY_STORES: MemoryStoreTable<MemoryStoreName> = {
  local: { title: "Files in the workspace, indexed with Vectra", writers: "one", open: openLocalStore },
};
