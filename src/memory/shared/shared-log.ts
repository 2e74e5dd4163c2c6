import type { SharedRow } from "../../schema/shared-rows.ts";
import type { MemoryKind } from "../store/memory-item.ts";
import type { StoredVector } from "../store/memory-store.ts";

/** The key of a memory in a shared log: two people may remember the same. */
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

/** A memory to share. Its author is the log's own. */
export type NewSharedItem = Omit<SharedItem, "author">;

/** The part of a log that follows a cursor. */
export interface SharedPage {
  /** Changes in the order of the log: an item that was added, or the key of one that was removed. */
  readonly changes: readonly SharedChange[];
  /** The cursor for the next page; the given one if nothing followed it. */
  readonly cursor: string;
  /** The page was full, so there may be more. */
  readonly isFull: boolean;
  /** The number of rows left out because they're damaged, too large, of another project, or from the future. */
  readonly skipped: number;
  /** The server has a different log than the cursor's, for example after a backup was restored, so the log is read from its start. */
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
  /** The embedder whose vectors are sent along; other vectors aren't. */
  readonly embedder?: string;
}

/** A store for a team's memories that another extension provides. It's used only if the user's settings name it. */
export interface PluginMemoryStore {
  /** Letters, digits, `.`, `_` and `-`. The user's `memory.url` begins with this ID and a colon. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Opens the log of a project. `address` is the part of `memory.url` after the colon; `secret` is the user's entry for it. */
  open(options: {
    readonly address: string;
    readonly secret?: string;
    readonly project: string;
    readonly author: string;
  }): PluginMemoryLog | Promise<PluginMemoryLog>;
}

/** An append-only log of rows. Each method may be called again after it threw. Its results are checked like the rows of any server. */
export interface PluginMemoryLog {
  /** Resolves once the rows are durable. Skips a row if one with its author and ID exists and wasn't removed. */
  append(rows: readonly SharedRow[]): Promise<void>;
  /** Reads at most `limit` rows after a cursor, or from the start, in the order in which they were appended or removed. */
  pull(options: { readonly after?: string; readonly limit: number }): Promise<{
    readonly rows: readonly unknown[];
    readonly cursor: string;
  }>;
  /** Deletes the rows with the marks' authors and IDs, and appends the marks in their place, so that others pull them. */
  remove(marks: readonly SharedRow[]): Promise<void>;
  /** The rows closest to a vector, closest first. Absent: there is no search on the server. */
  nearest?(
    query: { readonly embedder: string; readonly vector: readonly number[] },
    count: number,
  ): Promise<readonly { readonly row: unknown; readonly cosine: number }[]>;
  /** The cursor that `count` rows follow. Absent: a new member gets every row. */
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
  /** The user's name as other members see it. */
  readonly author: string;
  /** The stores of other extensions, by their IDs. */
  findStore?(id: string): PluginMemoryStore | undefined;
  getNow?(): Date;
}

/**
 * An append-only log of memories on a server, shared by the members of a project. Methods throw `MemoryError` if the server fails. The next
 * call reconnects, so a log survives lost connections. Nothing that a log returns can be trusted.
 */
export interface SharedLog {
  /** Resolves once the items are durable on the server. Skips this author's items that the server already has. */
  append(items: readonly NewSharedItem[]): Promise<void>;
  /** Reads the rows after a cursor. No appended row is ever skipped, however many members write at the same time. */
  pull(options: PullOptions): Promise<SharedPage>;
  /** The cursor that about `count` rows follow. */
  findTail(count: number): Promise<string>;
  /**
   * Calls the listener soon after others have changed the log and after a lost connection, until the returned function is called. Calls
   * without a change are possible. Doesn't connect by itself.
   */
  follow(listener: () => void): () => void;
  /** Replaces own items with removal marks, which others pull. Unknown ids and others' items are ignored. */
  remove(ids: readonly string[]): Promise<void>;
  /** The memories closest to a vector, closest first, each with its cosine; absent: the server has no vectors. */
  findNearest?(query: StoredVector, count: number): Promise<readonly SharedHit[]>;
  /** The approximate number of the project's memories on the server. A log may stop counting at 250,000. */
  count(): Promise<number>;
  /** Closes the connections. Resolves even if the server is gone. */
  close(): Promise<void>;
}

/** A memory that a server has found. */
export interface SharedHit {
  readonly item: SharedItem;
  readonly cosine: number;
}
