import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "../../core/base/async.ts";
import { EmbeddingLoop } from "../embedding/embedding-loop.ts";
import { type MemoryHit, type RecallOptions, recall } from "../recall/recall.ts";
import { memoryItems } from "./documents.ts";
import { diskError } from "./memory-error.ts";
import { MemoryFolder } from "./memory-folder.ts";
import { isClean, type MemoryItem, type NewMemory, signed } from "./memory-item.ts";
import type { MemoryOptions, MemoryState, MemoryStore } from "./memory-store.ts";

const SEGMENT_SIZE = 256;
const MAX_MEMORIES = 50_000;
const TICK_MS = 5_000;
/** How long closing waits for vectors; what has none then gets one the next time. */
const LAST_VECTORS_MS = 2_000;

/** Opens the memory of a folder, or begins one. Throws `MemoryError`; then the run goes on without memory. */
export async function openMemory(options: MemoryOptions): Promise<MemoryStore> {
  const notices: string[] = [];
  const { folder, embedder, segmentSize = SEGMENT_SIZE } = options;
  const memory = await MemoryFolder.open({
    folder,
    embedder: embedder.id,
    segmentSize,
    notice: (text) => notices.push(text),
  });
  return new OpenMemory(options, memory, notices);
}

/** An open folder with its background work: vectors, the lock's heartbeat, what other windows do. */
class OpenMemory implements MemoryStore {
  private readonly options: MemoryOptions;
  private readonly memory: MemoryFolder;
  private readonly notices: readonly string[];
  private readonly loop: EmbeddingLoop;
  private readonly listeners = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  private problem: string | undefined;
  private closing: Promise<void> | undefined;
  /** What looks at the whole folder happens one after the other. */
  private readonly turns = new Queue();

  constructor(options: MemoryOptions, memory: MemoryFolder, notices: readonly string[]) {
    this.options = options;
    this.memory = memory;
    this.notices = notices;
    this.loop = new EmbeddingLoop(memory, options.embedder, () => this.changed());
    this.timer = setInterval(() => void this.refresh(), TICK_MS).unref();
    this.loop.wake();
    void memory.index.indexWords();
  }

  get state(): MemoryState {
    const { index, writing } = this.memory;
    return {
      mode: writing ? "writing" : "reading",
      count: index.size,
      embedded: index.embedded,
      embedder: this.options.embedder.id,
      dimensions: index.dimensions,
      notices: [...this.notices, this.loop.trouble, this.problem].filter((text) => text !== undefined),
    };
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async add(memories: readonly NewMemory[]): Promise<readonly string[]> {
    const { redact = (text) => text, maxMemories = MAX_MEMORIES, key } = this.options;
    const made = memoryItems(memories, redact, this.now());
    const items = key === undefined ? made : made.map((item) => signed(item, key));
    await this.memory.add(items);
    const tooMany = surplusMemories(this.all(), this.memory.index.size, maxMemories);
    if (tooMany.length > 0 && this.memory.writing) await this.memory.remove(tooMany);
    this.loop.wake();
    this.changed();
    return items.map(({ id }) => id);
  }

  async recall(query: string, options: RecallOptions): Promise<readonly MemoryHit[]> {
    const { embedder, key } = this.options;
    const hits = await recall(this.memory.index, embedder, query, options, this.now());
    return hits.map((hit) => {
      const item = key === undefined ? undefined : this.get(hit.id);
      return item && key !== undefined && isClean(item, key) ? { ...hit, isClean: true } : hit;
    });
  }

  *all(): Iterable<MemoryItem> {
    for (const { item } of this.memory.index.all()) yield item.read();
  }

  newest(count: number): readonly MemoryItem[] {
    const newestFirst = [...this.memory.index.all()].toReversed();
    return newestFirst.slice(0, count).map(({ item }) => item.read());
  }

  get(id: string): MemoryItem | undefined {
    return this.memory.index.get(id)?.item.read();
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.memory.remove(ids);
    this.changed();
  }

  async clear(): Promise<() => Promise<void>> {
    const restore = await this.turns.add(() => this.memory.clear());
    this.changed();
    return async () => {
      await this.turns.add(restore);
      this.loop.wake();
      this.changed();
    };
  }

  async refresh(): Promise<void> {
    await this.attempt(() => this.memory.tick());
    this.loop.wake();
    this.changed();
  }

  embedded(): Promise<void> {
    return this.loop.settled();
  }

  bytes(): Promise<number> {
    return this.memory.bytes();
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.race([this.loop.settled(), pause(LAST_VECTORS_MS, undefined, { ref: false })]);
    await this.loop.stop();
    await this.attempt(() => this.memory.close());
    await this.options.embedder.close?.();
  }

  /** What the disk refuses is told, and tried again the next time. */
  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await this.turns.add(act);
      this.problem = undefined;
    } catch (error) {
      this.problem = diskError(error).message;
    }
  }

  private now(): Date {
    return this.options.now?.() ?? new Date();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

/** A few more than allowed are borne, so that not every new memory costs an old one its removal. */
const SLACK = 1.02;

/** The ids of the memories that have to go so that at most `max` stay: the oldest that nobody wrote down as a note. */
export function surplusMemories(items: Iterable<MemoryItem>, count: number, max: number): readonly string[] {
  const ids: string[] = [];
  if (count <= max * SLACK) return ids;
  for (const item of items) {
    if (ids.length >= count - max) break;
    if (item.kind !== "note") ids.push(item.id);
  }
  return ids;
}
