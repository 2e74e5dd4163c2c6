import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { Queue } from "../../core/base/async.ts";
import { TEMPORARY_SUFFIX, writeDurably } from "./durable-file.ts";
import { memoryOf, type SegmentContents } from "./segment-files.ts";
import { SegmentLog } from "./segment-log.ts";
import { OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";
import { LOG_MAGIC, type SegmentRecord } from "./segment-records.ts";
import type { FoundItem, VectraItem } from "./vectra-index.ts";

/** The memories of a segment that its index gets. */
export interface FoldedMemories {
  readonly items: readonly VectraItem[];
  /** False if memories without a vector stay in the log. */
  readonly isComplete: boolean;
}

/** A part of the memory on disk: a Vectra index, and a log of later changes. */
export class Segment {
  readonly folder: string;
  readonly name: string;
  /** The memories stored here. */
  readonly ids = new Set<string>();
  /** Changes whenever the files do; see `readSegment`. */
  stamp = "";
  /** The index lacks changes, or holds memories that were removed or moved. */
  dirty = false;
  /** The number of items of other programs in the index, which stay there. */
  foreign = 0;
  /** The index is of a newer Vectra, so it's left alone. */
  isUnknown = false;
  private isOld = false;
  /** The memories whose text the log holds. */
  private logged = new Set<string>();
  private log: SegmentLog | undefined;
  private logEnd = 0;
  private readonly queue = new Queue();
  private readonly folds = new Queue();

  constructor(folder: string) {
    this.folder = folder;
    this.name = path.basename(folder);
  }

  /** Called before any change, with what the files hold. */
  found({
    logEnd,
    stamp,
    logged,
    foreign,
    format,
  }: Omit<SegmentContents, "stored" | "texts" | "terms">): void {
    this.logEnd = logEnd;
    this.stamp = stamp;
    this.logged = new Set(logged);
    this.foreign = foreign;
    this.isUnknown = format === "unknown";
    this.isOld = format === "old";
    this.dirty = this.isOld || logEnd > LOG_MAGIC.length;
  }

  /** Whether the log holds a memory's text, so that the index may be without it. */
  isLogged(id: string): boolean {
    return this.logged.has(id);
  }

  /** Logs changes and then applies them. Throws `MemoryError`; then nothing has changed. */
  change(records: readonly SegmentRecord[], apply: () => void): Promise<void> {
    return this.queue.add(async () => {
      this.log ??= await SegmentLog.open(path.join(this.folder, SEGMENT_LOG_FILE), this.logEnd);
      await this.log.append(records);
      for (const record of records) if (record.op === "put") this.logged.add(record.item.id);
      this.dirty = true;
      apply();
    });
  }

  /**
   * Writes memories into the Vectra index, and empties the log if it holds nothing else. Changes go on meanwhile. The
   * index is complete before the log is touched, and replaying the log over it changes nothing, so a crash is safe at
   * any moment. The end of the log is read between changes, when everything in it was also applied.
   */
  fold(contents: () => Promise<FoldedMemories | undefined>): Promise<void> {
    return this.folds.add(async () => {
      if (!this.dirty || this.isUnknown) return;
      const end = await this.queue.add(async () => {
        this.dirty = false;
        return this.log?.end ?? this.logEnd;
      });
      try {
        const folded = await contents();
        this.dirty ||= folded === undefined;
        if (folded) await this.write(folded, end);
      } catch (error) {
        this.dirty = true;
        throw error;
      }
    });
  }

  /** Removes all memories; items of other programs stay. */
  empty(): Promise<void> {
    this.ids.clear();
    this.dirty = true;
    return this.fold(async () => ({ items: [], isComplete: true }));
  }

  sync(): Promise<void> {
    return this.queue.add(async () => this.log?.sync());
  }

  async close(): Promise<void> {
    await this.folds.idle;
    return this.queue.add(async () => {
      await this.log?.sync();
      await this.closeLog();
    });
  }

  /** Deletes the folder in one rename: deleting the log before the index would bring removed memories back. */
  async delete(): Promise<void> {
    await this.folds.idle;
    return this.queue.add(async () => {
      await this.closeLog();
      const gone = `${this.folder}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
      await fs.rename(this.folder, gone);
      await fs.rm(gone, { recursive: true, force: true });
    });
  }

  private async write({ items, isComplete }: FoldedMemories, end: number): Promise<void> {
    const { updateIndex } = await import("./vectra-index.ts");
    const kept = new Set(items.map(({ id }) => id));
    const isGone = (item: FoundItem) => memoryOf(item) !== undefined && !kept.has(String(item.id));
    this.isUnknown = !(await updateIndex(this.folder, items, isGone));
    if (this.isUnknown) return;
    await this.queue.add(async () => {
      if (isComplete && end === (this.log?.end ?? this.logEnd)) {
        await this.closeLog();
        await writeDurably(path.join(this.folder, SEGMENT_LOG_FILE), LOG_MAGIC);
        this.logEnd = LOG_MAGIC.length;
        this.logged.clear();
      }
    });
    if (this.isOld) await fs.rm(path.join(this.folder, OLD_INDEX_FILE), { force: true });
    this.isOld = false;
  }

  private async closeLog(): Promise<void> {
    const { log } = this;
    if (!log) return;
    this.log = undefined;
    this.logEnd = log.end;
    await log.close();
  }
}
