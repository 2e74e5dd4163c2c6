import { omitUndefined } from "../../core/base/objects.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { NOTES_FOLDER } from "../notes/note-file.ts";
import type { MemoryItem, MemoryKind } from "../store/memory-item.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { computeLocalId, createLocalItem, isShared, type ServerSearch } from "./server-search.ts";
import type { NewSharedItem, SharedLog, SharedPage } from "./shared-log.ts";
import type { SyncJournal } from "./sync-journal.ts";

/** How many of other members' newest memories are kept locally. The server is searched for the rest. */
export interface KeptMemories {
  readonly most: number;
  /** If a log has more memories than this and its server searches them, a lower limit applies. */
  readonly large: number;
  readonly mostOfLarge: number;
}

/** The default limits. */
export const KEPT_MEMORIES: KeptMemories = { most: 50_000, large: 200_000, mostOfLarge: 20_000 };

/** The memory and the log of an exchange. */
interface ExchangeParts {
  readonly log: SharedLog;
  readonly journal: SyncJournal;
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  readonly server: ServerSearch;
  /** The kinds of memories that leave this machine. */
  readonly kinds: readonly MemoryKind[];
  readonly kept: KeptMemories;
  /** Aborted when the memory is closed. */
  readonly signal: AbortSignal;
  /** Whether this user's program made a memory. Memories from the repository aren't shared in the user's name. */
  isOwn(item: MemoryItem): boolean;
  redact(text: string): string;
  /** Called after others' memories were added or removed. */
  notifyChange(): void;
  /** Asks for another exchange soon. */
  wake(): void;
}

/** How far others' memories may exceed the limit, so that not every page removes some. */
const SLACK = 1.02;
/** Small enough that a page's objects don't increase the program's memory. */
const PAGE = 500;
const BATCH = 200;
/** How often the server's memories are counted. */
const COUNT_MS = 600_000;
/** How many of the newest memories are searched first for additions by another window. */
const NEWEST = 64;
/** How long computing vectors for outgoing memories may take. */
const VECTOR_MS = 10_000;

/** Synchronizes a memory with a shared log. The memory itself is the queue of unsent changes. */
export class SharedExchange {
  /** Memories to send to the server, oldest first. */
  readonly pending = new Map<string, MemoryItem>();
  /** The ids of others' memories, oldest first. */
  readonly theirs = new Set<string>();
  /** The number of others' entries that weren't used. */
  skipped = 0;
  private readonly parts: ExchangeParts;
  private readonly looked = new Set<string>();
  private limit: number;
  /** Whether the server has more memories than are kept locally. */
  private isLarger = false;
  private countedAt = 0;

  constructor(parts: ExchangeParts) {
    this.parts = parts;
    this.limit = parts.kept.most;
  }

  /** Whether a memory is stored locally, or was removed locally but is still on the server. */
  has(id: string): boolean {
    return this.looked.has(id) || this.parts.journal.removing.has(id);
  }

  /** Marks the user's own memories for removal from the server if it has or may have them. */
  async forget(ids: readonly string[]): Promise<void> {
    const { journal } = this.parts;
    // A memory that is being sent may be on the server already.
    const unsent = new Set(ids.filter((id) => this.pending.delete(id)));
    for (const id of ids) {
      this.theirs.delete(id);
      // The same text has the same ID when it's remembered again.
      this.looked.delete(id);
    }
    const removing = ids.filter((id) => journal.sent.has(id) || unsent.has(id));
    if (removing.length > 0) await journal.record({ removing });
  }

  /** Marks all own memories for removal. Others' memories come back. The returned function undoes the marking. */
  async forgetAll(): Promise<() => Promise<void>> {
    const { journal } = this.parts;
    const removing = [...journal.sent, ...this.pending.keys()];
    await journal.record({ removing, cursor: null });
    await this.lookAgain();
    return async () => {
      await journal.record({ forgotten: removing });
      await this.lookAgain();
    };
  }

  /** Finds memories added since the last call: reads the newest ones, and more as long as all of them are new. */
  async look(): Promise<void> {
    const { store } = this.parts;
    if (this.looked.size === 0) return this.lookAtAll();
    for (let count = NEWEST; ; count *= 4) {
      const newest = await store.listNewest(count);
      const fresh = newest.filter(({ id }) => !this.looked.has(id));
      if (fresh.length < newest.length || newest.length < count) {
        for (const item of fresh.toReversed()) this.handleFoundItem(item);
        return;
      }
    }
  }

  /** Sends new removals and memories to the server. */
  async send(): Promise<void> {
    const { log, journal } = this.parts;
    const removing = [...journal.removing];
    for (let start = 0; start < removing.length; start += PAGE) {
      const ids = removing.slice(start, start + PAGE);
      await log.remove(ids);
      await journal.record({ forgotten: ids });
    }
    while (this.pending.size > 0) {
      const items = [...this.pending.values()].slice(0, BATCH);
      const own = items.filter((item) => this.parts.isOwn(item));
      if (own.length > 0) {
        await log.append(await this.addVectors(own));
        await journal.record({ sent: own.map(({ id }) => id) });
      }
      for (const { id } of items) this.pending.delete(id);
    }
  }

  /** Applies what others have added and removed. */
  async receive(): Promise<void> {
    const { log, journal, signal } = this.parts;
    await this.measure();
    let after = journal.cursor ?? (this.isLarger ? await log.findTail(this.limit) : undefined);
    for (let isFull = true; isFull && !signal.aborted; ) {
      const known = journal.cursor;
      const page = await log.pull({ limit: PAGE, ...omitUndefined({ after }) });
      if (page.restarted) await this.restartExchange();
      await this.importPage(page);
      // Cleared in the meantime: everything has to come again.
      if (!page.restarted && journal.cursor !== known) return this.parts.wake();
      if (page.cursor !== journal.cursor) await journal.record({ cursor: page.cursor });
      // A server that doesn't get further isn't asked without end.
      isFull = page.isFull && page.cursor !== after;
      after = page.cursor;
    }
  }

  /** Occasionally counts the log's memories, to decide how many are kept locally and whether the server is searched for the rest. */
  private async measure(): Promise<void> {
    const { log, journal, kept, server } = this.parts;
    if (Date.now() - this.countedAt <= COUNT_MS && journal.cursor !== undefined) return;
    const total = await log.count();
    const isSearched = total > kept.large && (await this.isSearched());
    this.limit = isSearched ? kept.mostOfLarge : kept.most;
    this.isLarger = total > this.limit;
    server.use(this.isLarger ? log : undefined);
    this.countedAt = Date.now();
  }

  /** False for a server without vectors or without a finished index, because its searches find nothing. */
  private async isSearched(): Promise<boolean> {
    const { log, embedder, signal } = this.parts;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(VECTOR_MS)]);
    const [vector] = await embedder.embed(["memory"], limited).catch(() => []);
    if (!vector) return false;
    const found = await log.findNearest?.({ embedder: embedder.id, vector }, 1).catch(() => []);
    return found !== undefined && found.length > 0;
  }

  private async lookAgain(): Promise<void> {
    this.looked.clear();
    this.theirs.clear();
    this.pending.clear();
    await this.lookAtAll();
    this.parts.wake();
  }

  private async lookAtAll(): Promise<void> {
    for await (const item of this.parts.store.iterateAll()) this.handleFoundItem(item);
  }

  private handleFoundItem(item: MemoryItem): void {
    const { id, author, kind, source } = item;
    const { kinds, journal } = this.parts;
    this.looked.add(id);
    if (isShared(item)) this.theirs.add(id);
    if (author !== undefined) return;
    const isWanted = kinds.includes(kind) && !source.startsWith(`${NOTES_FOLDER}/`);
    const isThere = journal.sent.has(id) && !journal.removing.has(id);
    if (isWanted && !isThere) this.pending.set(id, item);
  }

  private async addVectors(items: readonly MemoryItem[]): Promise<readonly NewSharedItem[]> {
    const { embedder, redact, signal } = this.parts;
    const texts = items.map(({ text }) => redact(text));
    const vectors = await embedder
      .embed(texts, AbortSignal.any([signal, AbortSignal.timeout(VECTOR_MS)]))
      .catch(() => []);
    return items.map(({ id, kind, source, place, at }, index) => {
      const vector = vectors[index];
      return {
        id,
        kind,
        at,
        text: texts[index] ?? "",
        source: redact(source),
        ...(place === undefined ? {} : { place: redact(place) }),
        ...(vector ? { embedded: { embedder: embedder.id, vector } } : {}),
      };
    });
  }

  private async restartExchange(): Promise<void> {
    await this.parts.journal.restart();
    await this.lookAgain();
  }

  /**
   * Skips own memories, which are here already. A removal by others affects only others' memories, because ids include the author's name.
   */
  private async importPage({ changes, skipped }: SharedPage): Promise<void> {
    const { store, journal } = this.parts;
    this.skipped += skipped;
    const added = new Map<string, MemoryItem>();
    const removed = new Set<string>();
    for (const change of changes) {
      if (change.type === "removed") {
        const id = computeLocalId(change.key);
        if (!added.delete(id) && this.theirs.has(id)) removed.add(id);
      } else if (!journal.sent.has(change.item.id) && !journal.removing.has(change.item.id)) {
        const item = createLocalItem(change.item);
        removed.delete(item.id);
        if (!this.theirs.has(item.id)) added.set(item.id, item);
      }
    }
    if (added.size > 0) await store.add([...added.values()]);
    for (const item of added.values()) this.handleFoundItem(item);
    const gone = [...removed, ...this.listSurplusIds()];
    if (gone.length > 0) await store.remove(gone);
    for (const id of gone) {
      this.theirs.delete(id);
      this.looked.delete(id);
    }
    if (added.size + gone.length > 0) this.parts.notifyChange();
  }

  /** The oldest of others' memories above the limit. */
  private listSurplusIds(): readonly string[] {
    if (this.theirs.size <= this.limit * SLACK) return [];
    return [...this.theirs].slice(0, this.theirs.size - this.limit);
  }
}
