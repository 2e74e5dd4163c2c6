import { Emitter } from "../../../core/base/emitter.ts";
import { isObject } from "../../../core/base/json.ts";
import { SHARED_LIMITS } from "../../../schema/formats.ts";
import type { SharedRow } from "../../../schema/shared-rows.ts";
import { skipWhileRunning } from "../../one-at-a-time.ts";
import type { NewSharedItem, PullOptions, SharedHit, SharedLog, SharedLogOptions, SharedPage } from "../shared-log.ts";
import { readSharedRows, sanitizeSharedItem } from "../shared-rows.ts";

/** The most hits that a search returns. */
const MOST_FOUND = 100;
/** The highest cosine after rounding. */
const MOST_COSINE = 1.001;

/** A page as a server returns it. Its rows are untrusted. */
export interface ServerPage extends Omit<SharedPage, "changes" | "skipped"> {
  readonly rows: readonly unknown[];
}

/** A row that a search has found. Both the row and the cosine are only claims of the server. */
export interface FoundRow {
  readonly row: unknown;
  readonly cosine: unknown;
}

/** The common part of all logs: batches, rows, listeners and polling. */
export abstract class ServerLog implements SharedLog {
  protected readonly options: SharedLogOptions;
  protected readonly changes = new Emitter();
  /** How many items are sent at once. */
  private readonly batch: number;
  /** How often a server that doesn't notify is polled; 0: it notifies. */
  private readonly pollMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: SharedLogOptions, { batch, pollMs = 0 }: { readonly batch: number; readonly pollMs?: number }) {
    this.options = options;
    this.batch = batch;
    this.pollMs = pollMs;
  }

  async append(items: readonly NewSharedItem[]): Promise<void> {
    for (const batch of this.split(items)) await this.appendBatch(batch.map(sanitizeSharedItem));
  }

  async pull({ after, limit, embedder = "" }: PullOptions): Promise<SharedPage> {
    const most = Math.min(limit, SHARED_LIMITS.rows);
    const { rows, ...page } = await this.readPage(after === "" ? undefined : after, most, embedder);
    return { ...readSharedRows(rows, this.options), ...page };
  }

  follow(listener: () => void): () => void {
    if (this.pollMs > 0) this.timer ??= setInterval(this.poll, this.pollMs).unref();
    return this.changes.subscribe(listener);
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const batch of this.split(ids)) await this.removeBatch(batch);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.changes.clear();
    await this.closeConnections();
  }

  abstract findTail(count: number): Promise<string>;
  abstract count(): Promise<number>;
  protected abstract appendBatch(items: readonly NewSharedItem[]): Promise<void>;
  protected abstract removeBatch(ids: readonly string[]): Promise<void>;
  protected abstract readPage(after: string | undefined, most: number, embedder: string): Promise<ServerPage>;
  protected abstract closeConnections(): void | Promise<void>;

  /** Whether others may have changed the log since the last call. */
  protected hasChanged(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** An item in the shape of a row, without its vector. */
  protected createRow({ embedded: _, at, ...fields }: NewSharedItem): SharedRow {
    const { project, author } = this.options;
    return { project, author, ...fields, at: Date.parse(at) };
  }

  /** The row that marks an item as removed. */
  protected createMark(id: string): SharedRow {
    const { project, author, getNow } = this.options;
    const at = (getNow?.() ?? new Date()).getTime();
    return { project, id, author, kind: "note", text: "", source: "", at, removed: true };
  }

  /** The most hits to request from the server. */
  protected limitHits(count: number): number {
    return Math.min(count, MOST_FOUND);
  }

  protected readHits(found: readonly FoundRow[]): readonly SharedHit[] {
    return found.slice(0, MOST_FOUND).flatMap(({ row, cosine }) => {
      const [change] = readSharedRows([omitOtherVector(row, "")], this.options).changes;
      const isHit = change?.type === "added" && typeof cosine === "number" && Math.abs(cosine) <= MOST_COSINE;
      return isHit ? [{ item: change.item, cosine }] : [];
    });
  }

  private split<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
    const count = Math.ceil(items.length / this.batch);
    return Array.from({ length: count }, (_, place) => items.slice(place * this.batch, (place + 1) * this.batch));
  }

  private readonly poll = skipWhileRunning(async () => {
    if (this.changes.hasListeners && (await this.hasChanged())) this.changes.fire();
  });
}

/** Removes a row's vector unless the wanted embedder made it. */
export function omitOtherVector(row: unknown, embedder: string): unknown {
  if (!isObject(row) || (embedder !== "" && row.embedder === embedder)) return row;
  const { embedder: _embedder, vector: _vector, ...rest } = row;
  return rest;
}
