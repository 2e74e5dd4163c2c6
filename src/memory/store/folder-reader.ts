import { setImmediate as untilIdle } from "node:timers/promises";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import type { Inbox } from "./inbox.ts";
import { convertToDiskError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import type { MemoryStoreOptions } from "./memory-store.ts";
import { PlacedMemories } from "./placed-memories.ts";
import type { SegmentChange, SegmentStore } from "./segment-store.ts";
import { createStoredItem } from "./stored-item.ts";

/** A window's view of the memories in a folder, updated from its files. */
export class FolderReader {
  private readonly options: MemoryStoreOptions;
  private readonly segments: SegmentStore;
  private readonly inbox: Inbox;
  private known: PlacedMemories;
  /** The segments that were already reported. */
  private readonly reported = new Set<string>();
  private loading = Promise.resolve();
  private isClosed = false;

  /** `dimensions`: the size of the vectors, if it is known from before. */
  constructor(options: MemoryStoreOptions, segments: SegmentStore, inbox: Inbox, dimensions: number | undefined) {
    this.options = options;
    this.segments = segments;
    this.inbox = inbox;
    this.known = new PlacedMemories(options.embedder, dimensions);
  }

  get memories(): PlacedMemories {
    return this.known;
  }

  /** Resolves once all vectors are read, which come after everything else. */
  get vectors(): Promise<void> {
    return this.loading;
  }

  /** Discards everything that was read, because the files were moved. */
  forget(): void {
    const { index } = this.known;
    index.close();
    this.known = new PlacedMemories(this.options.embedder, index.dimensions);
  }

  /** Stops the work in the background. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.known.index.close();
    await this.loading;
  }

  /** Reads what is new on disk. The inbox comes first, because its memories move to the segments later. */
  async readChanges(repairing = false): Promise<void> {
    const before = this.known.listHandedOver();
    const handedOver = await this.inbox.peek();
    const removeAll = ({ ids }: { ids: Set<string> }) => {
      for (const id of [...ids]) this.known.remove(id);
    };
    await this.loading;
    const unvectored: SegmentChange[] = [];
    for await (const change of this.segments.readChanges(removeAll, repairing ? "write" : "read")) {
      const { format, vectors, damaged } = change.contents;
      // Where nothing can be read, a window that only reads shows what it knew.
      if (format === "unreadable" && !repairing) change.segment.setContents(change.contents);
      else await this.load(change);
      if (!vectors) unvectored.push(change);
      if (damaged.length > 0) await this.reportDamage(change, repairing);
      this.reportOthers(change);
    }
    this.updateHandedOver(handedOver, before);
    this.loading = this.loadVectors(unvectored);
    void this.loading.then(() => this.known.index.indexWords());
  }

  async load({ segment, contents }: SegmentChange): Promise<void> {
    await untilIdle();
    segment.setContents(contents);
    this.known.load(segment, contents);
    await untilIdle();
  }

  /** Reads the vectors last, so that memories can be found by their words at once. */
  private async loadVectors(changes: readonly SegmentChange[]): Promise<void> {
    const { known } = this;
    try {
      for await (const { segment, contents } of this.segments.readVectors(changes)) {
        if (this.isClosed) return;
        known.loadVectors(segment, contents);
        await untilIdle();
        await known.index.waitUntilAnswered();
      }
    } catch (error) {
      this.options.notice(convertToDiskError(error).message);
    } finally {
      const rest = this.isClosed ? [] : changes;
      for (const { segment } of rest) for (const id of segment.ids) known.index.awaitNoLonger(id);
    }
  }

  /** Handles a memory that left the inbox without reaching a segment: the writing window has removed it. */
  private updateHandedOver(
    handedOver: readonly MemoryItem[],
    before: ReturnType<PlacedMemories["listHandedOver"]>,
  ): void {
    const { index } = this.known;
    const waiting = new Set(handedOver.map(({ id }) => id));
    for (const entry of before) {
      const { id } = entry.item;
      if (!waiting.has(id) && index.get(id) === entry) this.known.remove(id);
    }
    for (const item of handedOver) if (!index.get(item.id)) this.known.put(createStoredItem(item), undefined);
  }

  /** Reports other programs' items in a segment, and unreadable ones. */
  private reportOthers({ segment: { name: segment }, contents }: SegmentChange): void {
    const { foreign: count, format, reason = "" } = contents;
    if (format === "unknown") this.report(segment, displayText("trouble.memoryIndexUnknown", { segment }));
    else if (format === "unreadable")
      this.report(segment, displayText("trouble.memoryPartNotRead", { segment, reason }));
    else if (count > 0) this.report(segment, displayText("trouble.memoryForeignItems", { segment, count }));
  }

  private report(segment: string, text: Sentence): void {
    if (this.reported.has(segment)) return;
    this.reported.add(segment);
    this.options.notice(text);
  }

  private async reportDamage(change: SegmentChange, repairing: boolean): Promise<void> {
    const { name: segment } = change.segment;
    const damage = displayText("trouble.memoryDamaged", { segment });
    if (!repairing) return this.report(segment, damage);
    change.segment.dirty = true;
    this.options.notice(
      joinSentences(damage, displayText("trouble.damagedFilesAt", { folder: await this.segments.setAside(change) })),
    );
  }
}
