import { sep } from "node:path";
import { Queue, waitUntilAborted } from "../../core/base/async.ts";
import type { FolderWatch, WatchedFolder, WatchReport } from "../../core/ports/folder-watch.ts";
import type { TextEncoding } from "../../core/ports/workspace.ts";
import { ignoreRules } from "../files/ignore-rules.ts";
import { createYielder } from "../processes/event-loop.ts";
import { type ExcludeSettings, type Excludes, NO_EXCLUDES, parseExcludes } from "./excludes.ts";
import type { RipgrepFinder } from "./find-ripgrep.ts";
import { type FolderReading, type IndexedFolder, readIndexedFolder } from "./indexed-folder.ts";
import { RipgrepFailure } from "./ripgrep.ts";
import { listFilesByRipgrep } from "./ripgrep-files.ts";
import type { SearchExclusion } from "./search-query.ts";

/** The folders below a workspace folder by relative path, each with a final `/`; `""` for the workspace folder itself. */
export type IndexedFolders = ReadonlyMap<string, IndexedFolder>;

/** Dependencies of the indexes. */
export interface FileIndexOptions {
  readonly ripgrep: RipgrepFinder;
  readonly leftOut: SearchExclusion;
  /** Absent: files are listed at each request. */
  readonly watch?: FolderWatch;
  /** The settings of a workspace folder now, by its real path. */
  getExcludeSettings?(root: string): ExcludeSettings;
  /** The encoding that the user has set for a file, or for the files in a folder. */
  findEncoding?(path: string): TextEncoding | undefined;
}

/** The most files in an index; larger workspaces are walked. */
const MOST_FILES = 1_000_000;
/** After more changes, everything is listed again. */
const MOST_CHANGES = 2000;
/** How long to wait before retrying a workspace that has too many files, or that ripgrep couldn't list. */
const RETRY_MS = 600_000;
/** Folders to read at a time. */
const AT_ONCE = 8;
/** Limit on the workspace folders whose files are kept. */
const MOST_INDEXES = 8;

/** Lists of the files in workspace folders, which are kept up to date with the disk. */
export class FileIndexes {
  readonly ripgrep: RipgrepFinder;
  private readonly options: FileIndexOptions;
  private readonly indexes = new Map<string, FileIndex>();
  private readonly excludes = new Map<string, { readonly key: string; readonly excludes: Excludes }>();

  constructor(options: FileIndexOptions) {
    this.options = options;
    this.ripgrep = options.ripgrep;
  }

  /** See `FileIndexOptions.findEncoding`. */
  findEncoding(path: string): TextEncoding | undefined {
    return this.options.findEncoding?.(path);
  }

  /** See `FileIndexOptions.getExcludeSettings`. */
  getExcludeSettings(root: string): ExcludeSettings | undefined {
    return this.options.getExcludeSettings?.(root);
  }

  /** Files and folders that settings exclude from listings. */
  getListingExcludes(root: string): Excludes {
    const settings = this.options.getExcludeSettings?.(root);
    return settings ? parseExcludes(settings.files) : NO_EXCLUDES;
  }

  /** Files and folders that settings exclude from searches. */
  getSearchExcludes(root: string): Excludes {
    const settings = this.options.getExcludeSettings?.(root);
    if (!settings) return NO_EXCLUDES;
    const key = JSON.stringify(settings);
    const known = this.excludes.get(root);
    if (known?.key === key) return known.excludes;
    const excludes = parseExcludes(settings.files, settings.search);
    this.excludes.set(root, { key, excludes });
    return excludes;
  }

  /** Whether the files of a workspace folder are listed, so that `loadFolders` is fast. */
  isListed(root: string): boolean {
    return this.indexes.get(root)?.isListed === true;
  }

  /** The current files of a workspace folder; `root` is its real path. Undefined without ripgrep, or if there are too many files. */
  async loadFolders(root: string, signal: AbortSignal): Promise<IndexedFolders | undefined> {
    const program = await this.ripgrep();
    if (program === undefined) return undefined;
    const index = this.indexes.get(root) ?? new FileIndex(root, this.options);
    this.indexes.delete(root);
    this.indexes.set(root, index);
    for (const [oldest] of [...this.indexes].slice(0, -MOST_INDEXES)) this.forget(oldest);
    return waitUntilAborted(index.loadFolders(program), signal);
  }

  close(): void {
    for (const root of [...this.indexes.keys()]) this.forget(root);
  }

  private forget(root: string): void {
    this.indexes.get(root)?.close();
    this.indexes.delete(root);
  }
}

/** The files below one workspace folder. */
class FileIndex {
  private readonly root: string;
  private readonly options: FileIndexOptions;
  private readonly queue = new Queue();
  private readonly closing = new AbortController();
  private watched: WatchedFolder | undefined;
  private folders: Map<string, IndexedFolder> | undefined;
  private reading: FolderReading | undefined;
  private changes = new Set<string>();
  /** The settings used for the list. */
  private settings = "";
  private retryAt = Number.NEGATIVE_INFINITY;

  constructor(root: string, options: FileIndexOptions) {
    this.root = root;
    this.options = options;
  }

  /** True if a list exists that the watch keeps up to date. */
  get isListed(): boolean {
    return this.watched !== undefined && this.folders !== undefined;
  }

  /** Undefined if the files can't be listed. */
  loadFolders(program: string): Promise<IndexedFolders | undefined> {
    return this.queue.add(async () => {
      this.closing.signal.throwIfAborted();
      if (performance.now() < this.retryAt) return undefined;
      const settings = JSON.stringify(this.options.getExcludeSettings?.(this.root).files ?? {});
      if (settings !== this.settings) this.folders = undefined;
      this.settings = settings;
      if (!(await this.watched?.waitUntilReported())) this.reset();
      if (!this.folders || !this.reading || this.changes.size > MOST_CHANGES) await this.list(program);
      else if (this.changes.size > 0) await this.follow(this.folders, this.reading);
      return this.folders;
    });
  }

  close(): void {
    this.reset();
    this.closing.abort(new Error("The list of files was closed."));
  }

  private reset(): void {
    this.watched?.close();
    this.watched = undefined;
    this.folders = undefined;
  }

  private readonly report = (report: WatchReport): void => {
    if (report.kind === "lost") this.folders = undefined;
    else for (const path of report.paths) this.changes.add(path);
  };

  /** Lists everything. Changes reported meanwhile are applied the next time. */
  private async list(program: string): Promise<void> {
    const { root, options } = this;
    const { signal } = this.closing;
    this.watched ??= await options.watch?.watch(root, this.report);
    this.changes.clear();
    const folders = new Map<string, IndexedFolder>();
    const excludes = parseExcludes(JSON.parse(this.settings));
    this.reading = { root, rules: ignoreRules(root), excludes, leftOut: options.leftOut, signal };
    this.folders = folders;
    try {
      const listed = await listFilesByRipgrep(program, root, MOST_FILES, signal);
      if (listed) await readBelow(folders, "", { ...this.reading, listed });
      else this.fail();
    } catch (error) {
      this.fail();
      if (!(error instanceof RipgrepFailure)) throw error;
    }
  }

  private fail(): void {
    this.reset();
    this.retryAt = performance.now() + RETRY_MS;
  }

  /** Rereads the folders with changes. */
  private async follow(folders: Map<string, IndexedFolder>, reading: FolderReading): Promise<void> {
    const changes = this.changes;
    this.changes = new Set();
    const changed = new Map<string, Set<string>>();
    for (const path of changes) {
      const relative = path
        .slice(this.root.length + 1)
        .split(sep)
        .join("/");
      if (relative === "") continue;
      const end = relative.lastIndexOf("/") + 1;
      const names = changed.get(relative.slice(0, end)) ?? new Set();
      changed.set(relative.slice(0, end), names.add(relative.slice(end)));
      removeBelow(folders, `${relative}/`);
    }
    for (const [relative, names] of changed) {
      const before = folders.get(relative);
      if (!before) continue;
      const now = await readIndexedFolder(reading, relative, { before, changed: names });
      if (!now) {
        removeBelow(folders, relative);
        continue;
      }
      const left = new Set(now.names);
      for (const name of before.names) if (name.endsWith("/") && !left.has(name)) removeBelow(folders, relative + name);
      folders.set(relative, now);
      for (const name of now.names)
        if (name.endsWith("/") && !folders.has(relative + name)) await readBelow(folders, relative + name, reading);
    }
  }
}

/** Reads a folder and its subfolders, several at a time. */
async function readBelow(folders: Map<string, IndexedFolder>, start: string, reading: FolderReading): Promise<void> {
  const breathe = createYielder(reading.signal);
  let level = [start];
  while (level.length > 0) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      await breathe();
      await Promise.all(
        level.slice(at, at + AT_ONCE).map(async (relative) => {
          const read = await readIndexedFolder(reading, relative);
          if (!read) return;
          folders.set(relative, read);
          for (const name of read.names) if (name.endsWith("/")) next.push(relative + name);
        }),
      );
    }
    level = next;
  }
}

function removeBelow(folders: Map<string, IndexedFolder>, relative: string): void {
  const names = folders.get(relative)?.names ?? [];
  folders.delete(relative);
  for (const name of names) if (name.endsWith("/")) removeBelow(folders, relative + name);
}
