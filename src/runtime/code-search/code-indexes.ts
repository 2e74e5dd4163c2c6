import { once } from "node:events";
import { join, sep } from "node:path";
import { Worker } from "node:worker_threads";
import { waitUntilAborted } from "../../core/base/async.ts";
import type { FolderWatch, WatchedFolder } from "../../core/ports/folder-watch.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { CodeSection } from "./code-parts.ts";
import type { FolderChanges, FolderSettings, IndexLimits, UnsavedFile } from "./folder-index.ts";

/** A search in one workspace folder. */
export interface CodeQuery {
  readonly query: string;
  readonly count: number;
  /** A folder with a final `/`, or a file; `""` for all. */
  readonly below: string;
  readonly glob?: string | undefined;
  readonly settings: FolderSettings;
  readonly unsaved: readonly UnsavedFile[];
  /** The folder of which this one is a copy: its index is reused, and no index of the copy is stored. */
  readonly origin?: string | undefined;
}

/** A place in a file that matches a query. */
export interface FoundPlace extends Pick<CodeSection, "from" | "to" | "symbols"> {
  /** Relative to the folder. */
  readonly path: string;
  readonly score: number;
  /** Further parts of the file. */
  readonly others: readonly Pick<CodeSection, "from" | "to" | "symbols">[];
  /** The first line of the excerpt. */
  readonly line: number;
  readonly excerpt: string;
}

/** The places that match a query, best first, one per file. */
export interface FoundCode {
  readonly found: readonly FoundPlace[];
  /** The workspace is too large, so that some of its files aren't indexed. */
  readonly isPartial: boolean;
  readonly figures: { readonly files: number; readonly parts: number; readonly chars: number };
  /** Number of files read for this search. */
  readonly read: number;
}

/** Message to the thread: a search in the folder with this real path. */
export interface SearchRequest extends Omit<CodeQuery, "origin"> {
  readonly kind: "search";
  readonly id: number;
  readonly root: string;
  readonly file: string | undefined;
  readonly seed: { readonly root: string; readonly file: string } | undefined;
  readonly changes: FolderChanges;
}

export type IndexRequest =
  | SearchRequest
  | { readonly kind: "cancel"; readonly id: number }
  /** Writes new entries to the disk, and ends the thread. */
  | { readonly kind: "close" };

/** A thread's message. */
export type IndexMessage =
  | ({ readonly kind: "answer"; readonly id: number } & FoundCode)
  | { readonly kind: "progress"; readonly id: number; readonly done: number; readonly all: number }
  | { readonly kind: "failed"; readonly id: number; readonly why: string };

/** Sent to the thread once, at its start. */
export interface WorkerSetup {
  readonly limits?: IndexLimits | undefined;
  /** Path of the table that creates text vectors. If absent, the search uses only words. */
  readonly table?: string | undefined;
}

/** Needs of the indexes. */
export interface CodeIndexesOptions extends WorkerSetup {
  /** `index-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  /** The folder where indexes are stored, outside every workspace, so that a repository can't supply one. */
  readonly folder: string;
  readonly watch?: Pick<FolderWatch, "watch">;
  /** Time without a search until the thread ends. */
  readonly idleMs?: number;
}

/**
 * Limits that an index stays below; one that exceeds them ends with its thread. The young generation is small, because a build fills all of
 * it, and keeps it.
 */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 12 };
const IDLE_MS = 900_000;
/** Milliseconds to write entries. */
const CLOSING_MS = 3000;
/** With more changes than this, the whole folder is checked. */
const MOST_CHANGES = 2000;

interface Waiting {
  resolve(found: FoundCode): void;
  reject(error: Error): void;
  reportProgress(done: number, all: number): void;
}

/** A watched folder; `changes` are those reported since the last search. */
interface WatchedRoot {
  readonly watched: WatchedFolder | undefined;
  changes: Set<string> | "everything";
}

/** Indexes of the code in workspace folders, in one thread that begins with the first search. */
export class CodeIndexes {
  private readonly options: CodeIndexesOptions;
  private readonly roots = new Map<string, Promise<WatchedRoot>>();
  private readonly waiting = new Map<number, Waiting>();
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private next = 1;

  constructor(options: CodeIndexesOptions) {
    this.options = options;
  }

  /** Finds code in a folder as it is now. `root` is its real path. Throws when the thread fails, and the signal's reason on an abort. */
  async search(
    root: string,
    { origin, ...query }: CodeQuery,
    progress: (done: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<FoundCode> {
    signal.throwIfAborted();
    const state = await waitUntilAborted(this.waitForChanges(root), signal);
    const id = this.next++;
    const { promise, resolve, reject } = Promise.withResolvers<FoundCode>();
    const worker = this.startWorker();
    this.waiting.set(id, { resolve, reject, reportProgress: progress });
    const stop = (): void => {
      worker.postMessage({ kind: "cancel", id } satisfies IndexRequest);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    const changes = takeChanges(state);
    const seed = origin === undefined ? undefined : { root: origin, file: this.getIndexFile(origin) };
    const file = seed ? undefined : this.getIndexFile(root);
    const request: SearchRequest = { kind: "search", id, root, file, seed, changes, ...query };
    worker.postMessage(request);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.waiting.delete(id);
      this.scheduleClose();
    }
  }

  /** Ends the thread after it has written new entries to the disk. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    if (!worker) return;
    this.end(new Error("The index of the code was closed."));
    worker.ref();
    worker.postMessage({ kind: "close" } satisfies IndexRequest);
    const late = setTimeout(() => void worker.terminate(), CLOSING_MS);
    await once(worker, "exit").catch(() => undefined);
    clearTimeout(late);
  }

  private getIndexFile(root: string): string {
    return join(this.options.folder, `${sha256(root).slice(0, 32)}.index`);
  }

  /** Waits until all changes so far are reported. Without a watch, anything may have changed. */
  private async waitForChanges(root: string): Promise<WatchedRoot> {
    const known = this.roots.get(root) ?? this.watch(root);
    this.roots.set(root, known);
    const state = await known.catch(() => undefined);
    if (state && (await state.watched?.waitUntilReported())) return state;
    state?.watched?.close();
    if (this.roots.get(root) === known) this.roots.delete(root);
    return { watched: undefined, changes: "everything" };
  }

  private async watch(root: string): Promise<WatchedRoot> {
    const state: { -readonly [Key in keyof WatchedRoot]: WatchedRoot[Key] } = {
      watched: undefined,
      changes: "everything",
    };
    state.watched = await this.options.watch?.watch(root, (report) => {
      const { changes } = state;
      if (changes === "everything") return;
      if (report.kind === "lost" || changes.size > MOST_CHANGES) state.changes = "everything";
      else
        for (const path of report.paths)
          changes.add(
            path
              .slice(root.length + 1)
              .split(sep)
              .join("/"),
          );
    });
    return state;
  }

  private startWorker(): Worker {
    clearTimeout(this.idle);
    this.worker?.ref();
    if (this.worker) return this.worker;
    const { worker: script, limits, table } = this.options;
    const setup: WorkerSetup = { limits, table };
    const worker = new Worker(script, { workerData: setup, resourceLimits: MEMORY, execArgv: [], env: {} });
    worker.on("message", (message: IndexMessage) => this.take(message));
    worker.on("error", (error) => (this.worker === worker ? this.end(error) : undefined));
    worker.on("exit", () =>
      this.worker === worker ? this.end(new Error("The thread with the index ended.")) : undefined,
    );
    this.worker = worker;
    return worker;
  }

  private take(message: IndexMessage): void {
    const asked = this.waiting.get(message.id);
    if (message.kind === "progress") asked?.reportProgress(message.done, message.all);
    else if (message.kind === "failed") asked?.reject(new Error(message.why));
    else asked?.resolve(message);
  }

  /** Lets the program exit while no search runs, and ends the thread after a while. */
  private scheduleClose(): void {
    if (this.waiting.size > 0) return;
    this.worker?.unref();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.close(), this.options.idleMs ?? IDLE_MS).unref();
  }

  private end(why: Error): void {
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(why);
    this.waiting.clear();
    for (const root of this.roots.values())
      void root.then(({ watched }) => watched?.close()).catch(() => "It was never watched.");
    this.roots.clear();
  }
}

/** The changes since the last search. */
function takeChanges(state: WatchedRoot): FolderChanges {
  const { changes } = state;
  state.changes = new Set();
  return changes === "everything" ? changes : [...changes];
}
