import type { SharedRow } from "../../schema/shared-rows.ts";
import type { MemoryKind } from "../store/memory-item.ts";
import type { StoredVector } from "../store/memory-store.ts";

/** The name of a memory in a shared log: two people may remember the same. */
interface SharedKey {
  readonly author: string;
  /** A hash of the content. */
  readonly id: string;
}

/** A memory in a shared log. */
export interface SharedItem extends SharedKey {
  readonly kind: MemoryKind;
  readonly text: string;
  readonly source: string;
  readonly place?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly embedded?: StoredVector;
}

/** A memory that is about to be shared. The log's own author wrote it. */
export type NewSharedItem = Omit<SharedItem, "author">;

/** A part of a log after a cursor. */
export interface SharedPage {
  /** Changes in the order of the log: an item that was added, or the key of one that was removed. */
  readonly changes: readonly SharedChange[];
  /** Where to continue. It is the given one if nothing came after it. */
  readonly cursor: string;
  /** The page was full, so there may be more. */
  readonly isFull: boolean;
  /** How many rows were left out: damaged, too large, of another project, or from the future. */
  readonly skipped: number;
  /** The server's log isn't the one that the cursor was for, as after a restored backup, so this is read from its start. */
  readonly restarted?: true;
}

/** A change in a shared log. */
export type SharedChange =
  | { readonly type: "added"; readonly item: SharedItem }
  | { readonly type: "removed"; readonly key: SharedKey };

/** Options of a pull. */
export interface PullOptions {
  /** The cursor of an earlier page; absent: from the start. */
  readonly after?: string;
  /** At most this many rows, and never more than `SHARED_LIMITS.rows`. */
  readonly limit: number;
  /** Vectors of this embedder are sent along; others aren't. */
  readonly embedder?: string;
}

/** A kind of store for a team's memories that another extension brings. Nothing uses it unless the user's settings name it. */
export interface PluginMemoryStore {
  /** Letters, digits, `.`, `_` and `-`. The user's `memory.url` begins with it and a colon. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The log of a project. `address` is the part of `memory.url` after the colon; `secret` is what the user has entered for it. */
  open(options: {
    readonly address: string;
    readonly secret?: string;
    readonly project: string;
    readonly author: string;
  }): PluginMemoryLog | Promise<PluginMemoryLog>;
}

/**
 * A log of rows that only grows. Each method may be called again after it threw. What it returns is checked like the rows of any server.
 */
export interface PluginMemoryLog {
  /** Resolves once the rows are durable. A row whose author and ID are there already, and not removed, is skipped. */
  append(rows: readonly SharedRow[]): Promise<void>;
  /** At most `limit` rows after a cursor, or from the start, in the order in which they were appended or removed. */
  pull(options: { readonly after?: string; readonly limit: number }): Promise<{
    readonly rows: readonly unknown[];
    readonly cursor: string;
  }>;
  /** Deletes the rows with these authors and IDs, and appends these marks in their place, so that others pull them. */
  remove(marks: readonly SharedRow[]): Promise<void>;
  /** The rows closest to a vector, closest first. Absent: there is no search on the server. */
  nearest?(
    query: { readonly embedder: string; readonly vector: readonly number[] },
    count: number,
  ): Promise<readonly { readonly row: unknown; readonly cosine: number }[]>;
  /** The cursor that `count` rows come after. Absent: a new member gets every row. */
  tail?(count: number): Promise<string>;
  /** The number of memories; absent: unknown. */
  count?(): Promise<number>;
  close?(): void | Promise<void>;
}

/** Options that every log is opened with. */
export interface SharedLogOptions {
  /** The server's address, without a password. */
  readonly url: string;
  /** The password or token; absent: the server asks for none. */
  readonly secret?: string;
  /** The stable name of the project, which all its members use. */
  readonly project: string;
  /** The name that others see with what this user shares. */
  readonly author: string;
  /** The stores of other extensions, by their IDs. */
  findStore?(id: string): PluginMemoryStore | undefined;
  getNow?(): Date;
}

/**
 * An append-only log of memories on a server, shared by the members of a project. Every method throws `MemoryError` if the server
 * can't do it; the next call connects again, so a log outlives its server. Nothing that a log returns can be trusted.
 */
export interface SharedLog {
  /** Resolves once the items are durable on the server. Items of this author that are known already are skipped. */
  append(items: readonly NewSharedItem[]): Promise<void>;
  /** Reads on after a cursor. Nothing that anyone appends is ever skipped, however many write at the same time. */
  pull(options: PullOptions): Promise<SharedPage>;
  /** The cursor that about `count` rows come after. */
  findTail(count: number): Promise<string>;
  /**
   * Calls back soon after others have changed the log, and after a lost connection, until the returned function is called. It may
   * call back for nothing. Doesn't connect by itself.
   */
  follow(listener: () => void): () => void;
  /** Replaces own items by marks of their removal, which others pull. Unknown ids and others' items are left alone. */
  remove(ids: readonly string[]): Promise<void>;
  /** The memories closest to a vector, closest first, each with its cosine; absent: the server has no vectors. */
  findNearest?(query: StoredVector, count: number): Promise<readonly SharedHit[]>;
  /** How many memories the project has on the server, roughly; a log may stop to count at 250,000. */
  count(): Promise<number>;
  /** Closes the connections. Resolves even if the server is gone. */
  close(): Promise<void>;
}

/** A memory that a server has found. */
export interface SharedHit {
  readonly item: SharedItem;
  readonly cosine: number;
}
