import type { Embedder } from "../embedding/embedder.ts";
import { NOTES_FOLDER } from "../notes/note-file.ts";
import type { MemoryItem, MemoryKind } from "../store/memory-item.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { computeLocalId, createLocalItem, isShared, type ServerSearch } from "./server-search.ts";
import type { NewSharedItem, SharedLog, SharedPage } from "./shared-log.ts";
import type { SyncJournal } from "./sync-journal.ts";

/** How many of others' memories are kept here: the newest. The server is asked for the rest. */
export interface KeptMemories {
  readonly most: number;
  /** Of a log with more memories than this, on a server that searches them, only so many are kept. */
  readonly large: number;
  readonly mostOfLarge: number;
}

/** The limits unless others are given. */
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
  /** Whether this user's program made a memory: those that came with the repository aren't shared in the user's name. */
  isOwn(item: MemoryItem): boolean;
  redact(text: string): string;
  /** Called after others' memories were added or removed. */
  notifyChange(): void;
  /** Asks for another exchange soon. */
  wake(): void;
}

/** The share of others' memories above the limit that is tolerated, so that not every page removes some. */
const SLACK = 1.02;
/** Few enough that the objects of a page don't make the program's memory grow. */
const PAGE = 500;
const BATCH = 200;
/** How often the server's memories are counted. */
const COUNT_MS = 600_000;
/** How many of the newest memories are looked at first for those that another window has added. */
const NEWEST = 64;
/** How long the server is given for vectors of what is sent. */
const VECTOR_MS = 10_000;

/** Brings a memory and a shared log to the same. The memory itself is the queue of what has to be sent. */
export class SharedExchange {
  /** Memories that the server has to get, oldest first. */
  readonly pending = new Map<string, MemoryItem>();
  /** The ids of others' memories, oldest first. */
  readonly theirs = new Set<string>();
  /** How many entries of others weren't used. */
  skipped = 0;
  private readonly parts: ExchangeParts;
  private readonly looked = new Set<string>();
  private limit: number;
  /** Whether the server has more than is kept here. */
  private isLarger = false;
  private countedAt = 0;

  constructor(parts: ExchangeParts) {
    this.parts = parts;
    this.limit = parts.kept.most;
  }

  /** Whether a memory is here, or was removed here and is still on the server. */
  has(id: string): boolean {
    return this.looked.has(id) || this.parts.journal.removing.has(id);
  }

  /** Marks those of the user's own memories that the server has, or may have, for removal there. */
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

  /** The same for all own memories; others' come back. The returned function undoes it. */
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

  /** Finds what has been added since the last look: the newest memories, and more of them as long as they are new. */
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

  /** Removes and sends what the server doesn't know yet. */
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

  /** Takes in what others have added and removed. */
  async receive(): Promise<void> {
    const { log, journal, signal } = this.parts;
    await this.measure();
    let after = journal.cursor ?? (this.isLarger ? await log.findTail(this.limit) : undefined);
    for (let isFull = true; isFull && !signal.aborted; ) {
      const known = journal.cursor;
      const page = await log.pull({ limit: PAGE, ...(after === undefined ? {} : { after }) });
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

  /** Looks from time to time how large the log is: how much of it is kept here, and whether the server is asked for the rest. */
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

  /** A server without vectors, or one whose index isn't made yet, finds nothing. */
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
        ...{ id, kind, at, text: texts[index] ?? "", source: redact(source) },
        ...(place === undefined ? {} : { place: redact(place) }),
        ...(vector ? { embedded: { embedder: embedder.id, vector } } : {}),
      };
    });
  }

  private async restartExchange(): Promise<void> {
    await this.parts.journal.restart();
    await this.lookAgain();
  }

  /** Own memories are here already. Others' can only ever be removed as others': their ids are made of the author's name as well. */
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
