import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { Queue } from "../../core/base/async.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { TEMPORARY_SUFFIX } from "../../disk/replace-file.ts";
import { displayText } from "../../texts/display-text.ts";
import type { ConfirmWriting } from "./durable-file.ts";
import { MemoryError } from "./memory-error.ts";
import type { PackedSegment } from "./packed-segment.ts";
import { parseMemoryItem, readSegment, type SegmentContents } from "./segment-files.ts";
import { replaceLog, SegmentLog } from "./segment-log.ts";
import { OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";
import { LOG_MAGIC, type SegmentRecord } from "./segment-records.ts";
import type { FoundItem, VectraItem } from "./vectra-index.ts";

/** The memories of a segment to write into its index. */
export interface FoldedMemories {
  readonly items: readonly VectraItem[];
  /** False if memories without a vector stay in the log. */
  readonly isComplete: boolean;
}

/** A part of the memory on disk: a Vectra index, and a log of later changes. */
export class Segment {
  readonly folder: string;
  readonly name: string;
  /** Later segments have higher numbers. If two segments contain a memory, it belongs to the later one. */
  readonly number: number;
  /** The memories stored here. */
  readonly ids = new Set<string>();
  /** Changes whenever the files do; see `readSegment`. */
  stamp = "";
  /** The index lacks changes, or contains memories that were removed or moved. */
  dirty = false;
  /** The number of other programs' items in the index, which stay there. */
  foreign = 0;
  private format: SegmentContents["format"] = "current";
  /** Why it can't be read. */
  private reason = "";
  /** The memories whose text the log holds. */
  private logged = new Set<string>();
  /** The memories that were removed or moved to a later segment, but that the files may still contain. */
  private gone = new Set<string>();
  private log: SegmentLog | undefined;
  /** This program has written the log since it was read. */
  private isLogOurs = false;
  private logEnd = 0;
  private readonly queue = new Queue();
  private readonly folds = new Queue();

  private readonly confirm: ConfirmWriting | undefined;

  constructor(folder: string, confirm?: ConfirmWriting) {
    this.folder = folder;
    this.name = path.basename(folder);
    this.number = Number(/\d+$/.exec(this.name)?.[0] ?? 0);
    this.confirm = confirm;
  }

  /** Whether the index is from a newer Vectra. */
  get isUnknown(): boolean {
    return this.format === "unknown";
  }

  /** The index isn't written, because it's of a newer Vectra or couldn't be read. */
  get isLeftAlone(): boolean {
    return this.isUnknown || this.format === "unreadable";
  }

  /** Called before any change, with the contents of the files. */
  setContents(contents: Omit<SegmentContents, keyof PackedSegment> & Pick<PackedSegment, "foreign">): void {
    const { logEnd, stamp, logged, removed, foreign, format, damaged, reason = "" } = contents;
    this.logEnd = logEnd;
    // Damage that a reading window finds is repaired by the writing one, or by this one later.
    this.stamp = damaged.length > 0 ? "" : stamp;
    this.logged = new Set(logged);
    this.gone = new Set(removed);
    this.isLogOurs = false;
    this.foreign = foreign;
    this.format = format;
    this.reason = reason;
    this.dirty = format === "old" || logEnd > LOG_MAGIC.length;
  }

  /** Marks the segment for rewriting, because a memory has moved to another one. */
  forgetMemory(id: string): void {
    this.ids.delete(id);
    this.gone.add(id);
    this.dirty = true;
  }

  /** Whether the files may still contain a memory that was removed or moved to a later segment. */
  mayHold(id: string): boolean {
    return this.gone.has(id);
  }

  /** Whether the files may still contain memories that were removed or moved to later segments. */
  get hasGone(): boolean {
    return this.gone.size > 0;
  }

  /** Whether the log contains a memory's text, so that the index may lack it. */
  isLogged(id: string): boolean {
    return this.logged.has(id);
  }

  /**
   * Logs changes and then applies them. Throws `MemoryError`; then nothing has changed. A function is called once earlier changes are done.
   */
  change(changes: readonly SegmentRecord[] | (() => readonly SegmentRecord[]), apply: () => void): Promise<void> {
    return this.queue.add(async () => {
      const records = typeof changes === "function" ? changes() : changes;
      if (this.format === "unreadable")
        throw new MemoryError(displayText("trouble.memoryPartNotRead", { segment: this.name, reason: this.reason }));
      const log = await this.openLog();
      await log.append(records);
      for (const record of records) this.note(record);
      this.dirty = true;
      apply();
    });
  }

  /**
   * Writes memories into the Vectra index, and empties the log if it contains nothing else. Changes continue meanwhile. A crash is safe at
   * any moment: the index is complete before the log is changed, and replaying the log over it has no effect. The end of the log is read
   * between changes, when all its records were also applied. Only memories that are known to be gone, or that are in the log, are removed
   * from the index.
   */
  fold(contents: () => Promise<FoldedMemories | undefined>, removesAll = false): Promise<void> {
    return this.folds.add(async () => {
      if (!this.dirty || this.isLeftAlone) return;
      const { end, gone } = await this.queue.add(async () => this.beginFold());
      let isDone = false;
      try {
        const folded = await contents();
        this.dirty ||= folded === undefined;
        if (folded) isDone = await this.write(folded, end, (id) => removesAll || gone.has(id));
      } catch (error) {
        this.dirty = true;
        throw error;
      } finally {
        if (!isDone) for (const id of gone) this.gone.add(id);
      }
    });
  }

  /** Removes all memories; other programs' items stay. */
  removeAll(): Promise<void> {
    this.ids.clear();
    this.dirty = true;
    return this.fold(async () => ({ items: [], isComplete: true }), true);
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

  /**
   * Deletes the folder. Returns false if its files contain anything that isn't known to be gone. Uses one rename, because deleting the log
   * before the index would bring removed memories back. On Windows, the folder stays while a stopped window has the log open.
   */
  async delete(): Promise<boolean> {
    await this.folds.idle;
    return this.queue.add(async () => {
      if (this.ids.size > 0) return false;
      await this.closeLog();
      this.dirty = false;
      const { ids, foreign, damaged, format } = await readSegment(this.folder);
      const isEmpty = ids.every((id) => this.gone.has(id)) && foreign + damaged.length === 0;
      if (!isEmpty || format === "unknown" || format === "unreadable") return false;
      await this.confirm?.();
      const gone = `${this.folder}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
      try {
        await renameFile(this.folder, gone);
      } catch (error) {
        if (!hasCode(error, "EBUSY")) throw error;
        this.dirty = true;
        return false;
      }
      await fs.rm(gone, { recursive: true, force: true });
      return true;
    });
  }

  private async openLog(): Promise<SegmentLog> {
    const file = path.join(this.folder, SEGMENT_LOG_FILE);
    this.log ??= await SegmentLog.open(file, this.logEnd, this.isLogOurs, this.confirm);
    this.isLogOurs = true;
    return this.log;
  }

  /** Records how a change affects the index. */
  private note(record: SegmentRecord): void {
    if (record.op === "put") {
      this.logged.add(record.item.id);
      this.gone.delete(record.item.id);
    } else if (record.op === "remove") {
      this.logged.delete(record.id);
      this.gone.add(record.id);
    }
  }

  private beginFold(): { readonly end: number; readonly gone: ReadonlySet<string> } {
    const { gone } = this;
    this.dirty = false;
    this.gone = new Set();
    return { end: this.log?.end ?? this.logEnd, gone };
  }

  /** Returns whether the log was emptied. */
  private async write(
    { items, isComplete }: FoldedMemories,
    end: number,
    wasRemoved: (id: string) => boolean,
  ): Promise<boolean> {
    const { updateIndex } = await import("./vectra-index.ts");
    const kept = new Set(items.map(({ id }) => id));
    const isGone = (item: FoundItem) => {
      const id = parseMemoryItem(item)?.id;
      return id !== undefined && !kept.has(id) && (wasRemoved(id) || this.logged.has(id));
    };
    if (!(await updateIndex(this.folder, items, isGone, this.confirm))) {
      this.format = "unknown";
      return false;
    }
    const isEmptied = await this.queue.add(async () => {
      if (!isComplete || end !== (this.log?.end ?? this.logEnd)) return false;
      await this.closeLog();
      await replaceLog(path.join(this.folder, SEGMENT_LOG_FILE), LOG_MAGIC, this.confirm);
      this.logEnd = LOG_MAGIC.length;
      this.isLogOurs = true;
      this.logged.clear();
      return true;
    });
    if (this.format === "old") await fs.rm(path.join(this.folder, OLD_INDEX_FILE), { force: true });
    this.format = "current";
    return isEmptied;
  }

  private async closeLog(): Promise<void> {
    const { log } = this;
    if (!log) return;
    this.log = undefined;
    this.logEnd = log.end;
    await log.close();
  }
}
