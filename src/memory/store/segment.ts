import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { Queue } from "../../core/base/async.ts";
import { TEMPORARY_SUFFIX, writeDurably } from "./durable-file.ts";
import { SEGMENT_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-files.ts";
import { LOG_MAGIC, SegmentLog, type SegmentRecord } from "./segment-log.ts";
import type { VectraItem } from "./vectra-index.ts";

/** A part of the memory on disk: a Vectra index, and a log of later changes. */
export class Segment {
  readonly folder: string;
  readonly name: string;
  /** The memories stored here. */
  readonly ids = new Set<string>();
  /** Changes whenever the files do; see `readSegment`. */
  stamp = "";
  /** The log holds changes, or the index holds memories that were removed or moved. */
  dirty = false;
  private log: SegmentLog | undefined;
  private logEnd = 0;
  private readonly queue = new Queue();

  constructor(folder: string) {
    this.folder = folder;
    this.name = path.basename(folder);
  }

  /** Called before any change, with the length of the undamaged log. */
  found(logEnd: number, stamp: string): void {
    this.logEnd = logEnd;
    this.stamp = stamp;
    this.dirty = logEnd > LOG_MAGIC.length;
  }

  /** Logs changes and then applies them. Throws `MemoryError`; then nothing has changed. */
  change(records: readonly SegmentRecord[], apply: () => void): Promise<void> {
    return this.queue.add(async () => {
      this.log ??= await SegmentLog.open(path.join(this.folder, SEGMENT_LOG_FILE), this.logEnd);
      await this.log.append(records);
      this.dirty = true;
      apply();
    });
  }

  /**
   * Writes everything into the Vectra index and empties the log. The index is complete before the log is touched, and
   * replaying the log over it changes nothing, so a crash is safe at any moment.
   */
  fold(embedder: string, contents: () => Promise<readonly VectraItem[] | undefined>): Promise<void> {
    return this.queue.add(async () => {
      const items = this.dirty ? await contents() : undefined;
      if (!items) return;
      const { vectraIndex } = await import("./vectra-index.ts");
      await writeDurably(path.join(this.folder, SEGMENT_INDEX_FILE), await vectraIndex(items, embedder));
      await this.closeLog();
      await writeDurably(path.join(this.folder, SEGMENT_LOG_FILE), LOG_MAGIC);
      this.logEnd = LOG_MAGIC.length;
      this.dirty = false;
    });
  }

  sync(): Promise<void> {
    return this.queue.add(async () => this.log?.sync());
  }

  close(): Promise<void> {
    return this.queue.add(async () => {
      await this.log?.sync();
      await this.closeLog();
    });
  }

  /** Deletes the folder in one rename: deleting the log before the index would bring removed memories back. */
  delete(): Promise<void> {
    return this.queue.add(async () => {
      await this.closeLog();
      const gone = `${this.folder}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
      await fs.rename(this.folder, gone);
      await fs.rm(gone, { recursive: true, force: true });
    });
  }

  private async closeLog(): Promise<void> {
    const { log } = this;
    if (!log) return;
    this.log = undefined;
    this.logEnd = log.end;
    await log.close();
  }
}
