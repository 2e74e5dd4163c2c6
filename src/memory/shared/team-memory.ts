import { setTimeout as pause } from "node:timers/promises";
import { SHARED_LIMITS } from "../../schema/formats.ts";
import { displayText, type Sentence, thrownText } from "../../texts/display-text.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { NOTES_FOLDER } from "../notes/note-file.ts";
import type { MemoryItem, MemoryKind } from "../store/memory-item.ts";
import type { MemorySearch, MemoryStore } from "../store/memory-store.ts";
import { isShared, localId, localItem, ServerSearch } from "./server-search.ts";
import type { NewSharedItem, SharedLog, SharedLogOptions, SharedPage } from "./shared-log.ts";
import { SHARED_LOGS, type SharedLogName } from "./shared-logs.ts";
import { oneLine } from "./shared-rows.ts";
import { SyncJournal } from "./sync-journal.ts";

/** A log that the user has agreed to share a memory through. */
export interface SharedMemoryOptions extends Pick<SharedLogOptions, "url" | "secret" | "project" | "stores"> {
  readonly backend: SharedLogName;
  /** The kinds of memories that leave this machine. */
  readonly kinds: readonly MemoryKind[];
  /** The name that others see. */
  author(): Promise<string>;
  /** How many of others' memories are kept here; the server is asked for the rest. */
  readonly maxTheirs?: number;
}

/** The state of sharing, for people. */
export interface SharedState {
  readonly project: string;
  /** The server's name for people. */
  readonly server: string;
  /** Own memories that the server doesn't have yet. */
  readonly waiting: number;
  /** Others' memories that are kept here. */
  readonly theirs: number;
}

/** A log, and what is known about it. */
interface Opened {
  readonly journal: SyncJournal;
  readonly log: SharedLog;
}

interface TeamMemoryParts {
  /** The memory's own folder, with the journal. */
  readonly folder: string;
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  /** Whether this user's program made a memory: those that came with the repository aren't shared in the user's name. */
  isOwn(item: MemoryItem): boolean;
  redact(text: string): string;
  now(): Date;
  /** Called after others' memories were added or removed. */
  changed(): void;
}

const MAX_THEIRS = 50_000;
/** The share of others' memories above the limit that is tolerated, so that not every page removes some. */
const SLACK = 1.02;
const PAGE = 1_000;
const BATCH = 200;
/** The least time between two exchanges, however often others call: a member could call all the time. */
const LEAST_MS = 100;
/** How often the server is looked at even if it says nothing, and how long a server that fails is left alone at most. */
const POLL_MS = 20_000;
/** How often the server's memories are counted. */
const COUNT_MS = 600_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 120_000;
/** How long closing waits for the last memories to be sent. They are sent the next time otherwise. */
const LAST_SEND_MS = 2_000;
/** How many of the newest memories are looked at first for those that another window has added. */
const NEWEST = 64;
/** How long the server is given for vectors of what is sent. */
const VECTOR_MS = 10_000;

/**
 * Keeps a memory and a shared log the same, in the background: sends own memories, takes in others' and their removals. Only the window
 * that writes the memory does so. The memory itself is the queue of what has to be sent, so nothing is lost with the program.
 */
export class TeamMemory {
  /** The local search, joined with the server's if it has more than is kept here. */
  readonly search: MemorySearch;
  private readonly options: SharedMemoryOptions;
  private readonly parts: TeamMemoryParts;
  private readonly server: ServerSearch;
  private readonly running: Promise<void>;
  private readonly stop = new AbortController();
  /** Memories that the server has to get, oldest first. */
  private readonly pending = new Map<string, MemoryItem>();
  private readonly looked = new Set<string>();
  /** The ids of others' memories, oldest first. */
  private readonly theirs = new Set<string>();
  private opening: Promise<Opened> | undefined;
  private wakes = Promise.withResolvers<void>();
  private problem: Sentence | undefined;
  private skipped = 0;
  /** How many memories the server has, and when it was asked. */
  private total = 0;
  private countedAt = 0;

  constructor(options: SharedMemoryOptions, parts: TeamMemoryParts) {
    this.options = options;
    this.parts = parts;
    this.server = new ServerSearch(parts.store, parts.embedder.id, (id) => this.looked.has(id));
    this.search = this.server;
    this.running = this.run();
  }

  get state(): SharedState {
    const { backend, project } = this.options;
    const { title } = SHARED_LOGS[backend];
    return { project, server: title, waiting: this.pending.size, theirs: this.theirs.size };
  }

  /** Sentences on what can't be shared at the moment, and on what others have sent that isn't used. */
  get trouble(): readonly Sentence[] {
    const { skipped } = this;
    const left = skipped > 0 ? [displayText("trouble.sharedSkipped", { count: skipped })] : [];
    return [...(this.problem === undefined ? [] : [this.problem]), ...left];
  }

  /** Call it when the memory has changed. */
  wake(): void {
    this.wakes.resolve();
  }

  /** Resolves once it's certain that the server will remove these of the user's own memories. */
  async forget(ids: readonly string[]): Promise<void> {
    // A memory that is being sent may be on the server already.
    const unsent = new Set(ids.filter((id) => this.pending.delete(id)));
    for (const id of ids) this.theirs.delete(id);
    const journal = await this.knownJournal();
    const removing = ids.filter((id) => journal?.sent.has(id) || unsent.has(id));
    if (removing.length > 0) await journal?.record({ removing });
    this.wake();
  }

  /** Removes all of the user's own memories from the server; others' come back. The returned function undoes it. */
  async cleared(): Promise<() => Promise<void>> {
    const journal = await this.knownJournal();
    const removing = [...(journal?.sent ?? []), ...this.pending.keys()];
    await journal?.record({ removing, cursor: null });
    await this.lookAgain(journal);
    return async () => {
      await journal?.record({ forgotten: removing });
      await this.lookAgain(journal);
    };
  }

  /** Sends what is left if the server answers soon. */
  async close(): Promise<void> {
    await Promise.race([this.finished(), pause(LAST_SEND_MS, undefined, { ref: false })]);
    this.stop.abort();
    this.wake();
    const opened = await this.opening?.catch(() => undefined);
    await opened?.log.close();
    await this.running;
  }

  private async finished(): Promise<void> {
    if (this.problem === undefined && this.parts.store.isWriting) await this.exchange();
  }

  /** Undefined if the address is wrong, so that nothing was ever sent. */
  private async knownJournal(): Promise<SyncJournal | undefined> {
    return (await this.opened().catch(() => undefined))?.journal;
  }

  private async run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.stop.signal.aborted) {
      this.wakes = Promise.withResolvers<void>();
      const works = await this.exchange();
      retryMs = works ? FIRST_RETRY_MS : Math.min(LAST_RETRY_MS, 2 * retryMs);
      await pause(LEAST_MS, undefined, { ref: false, signal: this.stop.signal }).catch(
        () => "It was closed.",
      );
      const waited = pause(works ? POLL_MS : retryMs, undefined, { ref: false, signal: this.stop.signal });
      await Promise.race([waited.catch(() => "It was closed."), works ? this.wakes.promise : waited]).catch(
        () => "It was closed.",
      );
    }
  }

  /** False if the server couldn't be used. Reading and writing fail apart: a server may allow only one of them. */
  private async exchange(): Promise<boolean> {
    if (!this.parts.store.isWriting) {
      await this.leave();
      return true;
    }
    try {
      const { journal, log } = await this.opened();
      await this.look(journal);
      const sent = await this.attempt(() => this.send(journal, log));
      const received = await this.attempt(() => this.receive(journal, log));
      this.report(sent ?? received);
      return sent === undefined && received === undefined;
    } catch (error) {
      this.report(thrownText(error));
      return false;
    }
  }

  private async attempt(act: () => Promise<void>): Promise<Sentence | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      return thrownText(error);
    }
  }

  private report(problem: Sentence | undefined): void {
    if (this.stop.signal.aborted || this.problem === problem) return;
    this.problem = problem;
    this.parts.changed();
  }

  private opened(): Promise<Opened> {
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<Opened> {
    const { backend, url, secret, project, stores } = this.options;
    const author = oneLine(await this.options.author(), SHARED_LIMITS.author) || "unknown";
    const given = { url, project, author, now: () => this.parts.now(), ...(stores ? { stores } : {}) };
    const log = SHARED_LOGS[backend].open({ ...given, ...(secret === undefined ? {} : { secret }) });
    log.follow(() => this.wake());
    const name = JSON.stringify([backend, url, project, author]);
    return { log, journal: await SyncJournal.open(this.parts.folder, name) };
  }

  /** Another window writes now, and keeps the journal. */
  private async leave(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    this.opening = undefined;
    this.looked.clear();
    this.pending.clear();
    this.server.use(undefined);
    await opened?.log.close();
  }

  /** Finds what has been added since the last look: the newest memories, and more of them as long as they are new. */
  private async look(journal: SyncJournal): Promise<void> {
    const { store } = this.parts;
    if (this.looked.size === 0) return this.lookAgain(journal);
    for (let count = NEWEST; ; count *= 4) {
      const newest = await store.newest(count);
      const fresh = newest.filter(({ id }) => !this.looked.has(id));
      if (fresh.length < newest.length || newest.length < count) {
        for (const item of fresh.toReversed()) this.found(item, journal);
        return;
      }
    }
  }

  private async lookAgain(journal: SyncJournal | undefined): Promise<void> {
    this.looked.clear();
    this.theirs.clear();
    this.pending.clear();
    for await (const item of this.parts.store.all()) this.found(item, journal);
    this.wake();
  }

  private found(item: MemoryItem, journal: SyncJournal | undefined): void {
    const { id, author, kind, source } = item;
    this.looked.add(id);
    if (isShared(item)) this.theirs.add(id);
    if (author !== undefined) return;
    const isWanted = this.options.kinds.includes(kind) && !source.startsWith(`${NOTES_FOLDER}/`);
    if (isWanted && !journal?.sent.has(id)) this.pending.set(id, item);
  }

  private async send(journal: SyncJournal, log: SharedLog): Promise<void> {
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
        await log.append(await this.withVectors(own));
        await journal.record({ sent: own.map(({ id }) => id) });
      }
      for (const { id } of items) this.pending.delete(id);
    }
  }

  private async withVectors(items: readonly MemoryItem[]): Promise<readonly NewSharedItem[]> {
    const { embedder, redact } = this.parts;
    const texts = items.map(({ text }) => redact(text));
    const vectors = await embedder
      .embed(texts, AbortSignal.any([this.stop.signal, AbortSignal.timeout(VECTOR_MS)]))
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

  private async receive(journal: SyncJournal, log: SharedLog): Promise<void> {
    const { maxTheirs = MAX_THEIRS } = this.options;
    if (Date.now() - this.countedAt > COUNT_MS || journal.cursor === undefined) {
      this.total = await log.count();
      this.countedAt = Date.now();
    }
    const isLarge = this.total > maxTheirs;
    this.server.use(isLarge ? log : undefined);
    let after = journal.cursor ?? (isLarge ? await log.tail(maxTheirs) : undefined);
    for (let isFull = true; isFull && !this.stop.signal.aborted; ) {
      const known = journal.cursor;
      const page = await log.pull({ limit: PAGE, ...(after === undefined ? {} : { after }) });
      if (page.restarted) await this.restarted(journal);
      await this.takeIn(page, journal);
      // Cleared in the meantime: everything has to come again.
      if (!page.restarted && journal.cursor !== known) return this.wake();
      if (page.cursor !== journal.cursor) await journal.record({ cursor: page.cursor });
      // A server that doesn't get further isn't asked without end.
      isFull = page.isFull && page.cursor !== after;
      after = page.cursor;
    }
  }

  private async restarted(journal: SyncJournal): Promise<void> {
    await journal.restart();
    await this.lookAgain(journal);
  }

  /** Own memories are here already. Others' can only ever be removed as others': their ids are made of the author's name as well. */
  private async takeIn({ changes, skipped }: SharedPage, journal: SyncJournal): Promise<void> {
    const { store } = this.parts;
    this.skipped += skipped;
    const added = new Map<string, MemoryItem>();
    const removed = new Set<string>();
    for (const change of changes) {
      if (change.type === "removed") {
        const id = localId(change.key);
        if (!added.delete(id) && this.theirs.has(id)) removed.add(id);
      } else if (!journal.sent.has(change.item.id) && !journal.removing.has(change.item.id)) {
        const item = localItem(change.item);
        removed.delete(item.id);
        if (!this.theirs.has(item.id)) added.set(item.id, item);
      }
    }
    if (added.size > 0) await store.add([...added.values()]);
    for (const item of added.values()) this.found(item, journal);
    const surplus = this.surplus();
    const gone = [...removed, ...surplus];
    if (gone.length > 0) await store.remove(gone);
    for (const id of gone) {
      this.theirs.delete(id);
      this.looked.delete(id);
    }
    if (added.size + gone.length > 0) this.parts.changed();
  }

  /** The oldest of others' memories above the limit. */
  private surplus(): readonly string[] {
    const { maxTheirs = MAX_THEIRS } = this.options;
    if (this.theirs.size <= maxTheirs * SLACK) return [];
    return [...this.theirs].slice(0, this.theirs.size - maxTheirs);
  }
}
