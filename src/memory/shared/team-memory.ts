import { setTimeout as pause } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import { SHARED_LIMITS } from "../../schema/formats.ts";
import { displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { convertToDiskError } from "../store/memory-error.ts";
import type { MemoryItem, MemoryKind } from "../store/memory-item.ts";
import type { MemorySearch, MemoryStore } from "../store/memory-store.ts";
import { ServerSearch } from "./server-search.ts";
import { KEPT_MEMORIES, type KeptMemories, SharedExchange } from "./shared-exchange.ts";
import type { SharedLog, SharedLogOptions } from "./shared-log.ts";
import { SHARED_LOGS, type SharedLogName } from "./shared-logs.ts";
import { cleanSharedLine } from "./shared-rows.ts";
import { getServerLabel } from "./sharing.ts";
import { SyncJournal } from "./sync-journal.ts";

/** A log through which the user has agreed to share a memory. */
export interface SharedMemoryOptions extends Pick<SharedLogOptions, "url" | "secret" | "project" | "findStore"> {
  readonly backend: SharedLogName;
  /** The kinds of memories that leave this machine. */
  readonly kinds: readonly MemoryKind[];
  /** The name that other members see. */
  getAuthor(): Promise<string>;
  readonly kept?: KeptMemories;
  /** How long a search waits for the server, in milliseconds. */
  readonly answerMs?: number;
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
  /** Whether memories were sent to and received from the server. */
  readonly isConnected: boolean;
  /** The reason why the server can't be used at the moment. */
  readonly problem?: Sentence;
}

/** An open log with the state of its exchange. */
interface Opened {
  readonly log: SharedLog;
  readonly exchange: SharedExchange;
}

interface TeamMemoryParts {
  /** The memory's own folder, with the journal. */
  readonly folder: string;
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  /** The secret that proves what this user's program has written. */
  readonly key: string;
  /** Whether this user's program made a memory. Memories from the repository aren't shared in the user's name. */
  isOwn(item: MemoryItem): boolean;
  redact(text: string): string;
  getNow(): Date;
  /** Called after others' memories were added or removed. */
  notifyChange(): void;
}

/** The minimum time between two exchanges: another member could trigger them all the time. */
const LEAST_MS = 100;
/** How often a silent server is polled, and the longest pause after failures. */
const POLL_MS = 20_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 120_000;
/** How long closing waits for the last memories to be sent. Unsent ones are sent the next time. */
const LAST_SEND_MS = 2_000;

/**
 * Synchronizes a memory and a shared log in the background: sends own memories, and applies others' additions and removals. Runs only in
 * the window that writes the memory.
 */
export class TeamMemory {
  /** Searches locally, and also on the server if it has more memories than are kept here. */
  readonly search: MemorySearch;
  private readonly options: SharedMemoryOptions;
  private readonly parts: TeamMemoryParts;
  private readonly server: ServerSearch;
  private readonly running: Promise<void>;
  private readonly stop = new AbortController();
  private opening: Promise<Opened> | undefined;
  /** Opened separately from the log, so that a removal is recorded even if the log can't be opened. */
  private journal: Promise<SyncJournal> | undefined;
  /** Undefined until the log was opened, and while another window writes the memory. */
  private exchange: SharedExchange | undefined;
  private wakes = Promise.withResolvers<void>();
  private problem: Sentence | undefined;
  private isConnected = false;

  constructor(options: SharedMemoryOptions, parts: TeamMemoryParts) {
    this.options = options;
    this.parts = parts;
    const isHere = (id: string): boolean => this.exchange?.has(id) === true;
    this.server = new ServerSearch(parts.store, parts.embedder.id, isHere, options.answerMs);
    this.search = this.server;
    this.running = this.run();
  }

  get state(): SharedState {
    const { project, findStore: stores } = this.options;
    const server = getServerLabel(this.options, stores);
    const { exchange, isConnected, problem } = this;
    const counts = { waiting: exchange?.pending.size ?? 0, theirs: exchange?.theirs.size ?? 0 };
    return { project, server, ...counts, isConnected, ...omitUndefined({ problem }) };
  }

  /** Sentences about memories that can't be shared at the moment, and about others' entries that aren't used. */
  get trouble(): readonly Sentence[] {
    const { skipped = 0 } = this.exchange ?? {};
    const left = skipped > 0 ? [displayText("trouble.sharedSkipped", { count: skipped })] : [];
    return [...(this.problem === undefined ? [] : [this.problem]), ...left];
  }

  /** Call this after the memory has changed. */
  wake(): void {
    this.wakes.resolve();
  }

  /** Resolves once the server is certain to remove these memories of the user. Throws `MemoryError`. */
  async forget(ids: readonly string[]): Promise<void> {
    try {
      const exchange = await this.findExchange();
      if (exchange) await exchange.forget(ids);
      else await this.forgetLater(ids);
    } catch (error) {
      throw convertToDiskError(error);
    }
    this.wake();
  }

  /** Removes all of the user's own memories from the server. Others' come back. The returned function undoes that. Throws `MemoryError`. */
  async clearOwnMemories(): Promise<() => Promise<void>> {
    try {
      const exchange = await this.findExchange();
      return await (exchange?.forgetAll() ?? this.forgetAllLater());
    } catch (error) {
      throw convertToDiskError(error);
    }
  }

  /** Records a removal for a log that can't be opened now. */
  private async forgetLater(ids: readonly string[]): Promise<void> {
    const journal = await this.openJournal();
    const removing = ids.filter((id) => journal.sent.has(id));
    if (removing.length > 0) await journal.record({ removing });
  }

  private async forgetAllLater(): Promise<() => Promise<void>> {
    const journal = await this.openJournal();
    const removing = [...journal.sent];
    await journal.record({ removing, cursor: null });
    return () => journal.record({ forgotten: removing });
  }

  /** Sends the remaining changes if the server answers soon. */
  async close(): Promise<void> {
    await Promise.race([this.finishExchange(), pause(LAST_SEND_MS, undefined, { ref: false })]);
    this.stop.abort();
    this.wake();
    const opened = await this.opening?.catch(() => undefined);
    await opened?.log.close();
    await this.running;
  }

  private async finishExchange(): Promise<void> {
    if (this.problem === undefined && this.parts.store.isWriting) await this.exchangeOnce();
  }

  /** Undefined while the log can't be opened. */
  private async findExchange(): Promise<SharedExchange | undefined> {
    return (await this.openOnce().catch(() => undefined))?.exchange;
  }

  private async run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.stop.signal.aborted) {
      this.wakes = Promise.withResolvers<void>();
      const works = await this.exchangeOnce();
      retryMs = works ? FIRST_RETRY_MS : Math.min(LAST_RETRY_MS, 2 * retryMs);
      await pause(LEAST_MS, undefined, { ref: false, signal: this.stop.signal }).catch(() => "It was closed.");
      const waited = pause(works ? POLL_MS : retryMs, undefined, { ref: false, signal: this.stop.signal });
      await Promise.race([waited.catch(() => "It was closed."), works ? this.wakes.promise : waited]).catch(
        () => "It was closed.",
      );
    }
  }

  /** Returns false if the server couldn't be used. Reading and writing fail independently: a server may allow only one of them. */
  private async exchangeOnce(): Promise<boolean> {
    if (!this.parts.store.isWriting) {
      await this.leave();
      return true;
    }
    try {
      const { exchange } = await this.openOnce();
      await exchange.look();
      const sent = await this.runAndExplain(() => exchange.send());
      const received = await this.runAndExplain(() => exchange.receive());
      this.report(sent ?? received);
      return sent === undefined && received === undefined;
    } catch (error) {
      this.report(getErrorText(error));
      return false;
    }
  }

  private async runAndExplain(act: () => Promise<void>): Promise<Sentence | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      return getErrorText(error);
    }
  }

  private report(problem: Sentence | undefined): void {
    const isConnected = problem === undefined;
    if (this.stop.signal.aborted || (this.problem === problem && this.isConnected === isConnected)) return;
    this.problem = problem;
    this.isConnected = isConnected;
    this.parts.notifyChange();
  }

  private openOnce(): Promise<Opened> {
    // A failure is tried again: the disk may have room by then, and the extension that brings the store may be there.
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async open(): Promise<Opened> {
    const { backend, url, secret, project, findStore, kinds, kept = KEPT_MEMORIES } = this.options;
    const author = await this.getAuthor();
    const given = {
      url,
      project,
      author,
      getNow: () => this.parts.getNow(),
      ...omitUndefined({ findStore }),
    };
    const journal = await this.openJournal();
    const log = SHARED_LOGS[backend].open({ ...given, ...omitUndefined({ secret }) });
    log.follow(() => this.wake());
    const exchange = new SharedExchange({
      ...this.parts,
      log,
      journal,
      kinds,
      kept,
      server: this.server,
      signal: this.stop.signal,
      wake: () => this.wake(),
    });
    this.exchange = exchange;
    return { log, exchange };
  }

  private openJournal(): Promise<SyncJournal> {
    this.journal ??= this.openSyncJournal().catch((error: unknown) => {
      this.journal = undefined;
      throw error;
    });
    return this.journal;
  }

  private async openSyncJournal(): Promise<SyncJournal> {
    const { backend, url, project } = this.options;
    const name = JSON.stringify([backend, url, project, await this.getAuthor()]);
    return SyncJournal.open(this.parts.folder, name, this.parts.key);
  }

  private async getAuthor(): Promise<string> {
    return cleanSharedLine(await this.options.getAuthor(), SHARED_LIMITS.author) || "unknown";
  }

  /** Stops, because another window writes now and keeps the journal. */
  private async leave(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    this.opening = undefined;
    this.journal = undefined;
    this.exchange = undefined;
    this.server.use(undefined);
    await opened?.log.close();
  }
}
