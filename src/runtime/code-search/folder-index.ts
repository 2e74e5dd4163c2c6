import type { TextEncoding } from "../../core/ports/workspace.ts";
import { type IgnoreRules, ignoreRules } from "../../node/files/ignore-rules.ts";
import { addExcludes, type ExcludeSettings, parseExcludes } from "../../node/search/excludes.ts";
import { HIDDEN, walk } from "../../node/search/walk.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import { findFolderEntry, isCode, isSmall, readCode, readCodeStamp } from "./code-files.ts";
import { type CodeFile, type CodeHit, CodeIndex, type TextVectors } from "./code-index.ts";
import { splitIntoSections } from "./code-parts.ts";
import { type IndexFile, iterateStoredFiles, PackedFiles, storeFiles, tidyIndexes } from "./index-file.ts";

/** Paths that changed since the last search, relative to their folder. */
export type FolderChanges = readonly string[] | "everything";

/** The settings of a workspace folder that decide which files are indexed, and how they are read. */
export interface FolderSettings {
  readonly excludes: ExcludeSettings;
  readonly encoding?: TextEncoding | undefined;
}

/** A text with unsaved edits in an editor, by its path relative to the folder. */
export interface UnsavedFile {
  readonly path: string;
  readonly text: string;
}

/** Limits on the indexed part of a workspace. Files closest to its root come first. */
export interface IndexLimits {
  readonly files: number;
  /** Characters of all files. */
  readonly chars: number;
}

/** In memory, 60 million characters take about 200 MB. */
export const INDEX_LIMITS: IndexLimits = { files: 30_000, chars: 60_000_000 };
/** Delay between a change and writing the index, which combines changes that follow each other quickly. */
const STORE_MS = 3000;
/** Files to read concurrently. */
const AT_ONCE = 8;

/** Reports the progress of reading files. */
export type ReportProgress = (done: number, all: number) => void;

/** The index of one workspace folder, which is updated with its files. It runs in its own thread. */
export class FolderIndex {
  private readonly root: string;
  private readonly embedder: TextVectors | undefined;
  private readonly limits: IndexLimits;
  private readonly file: IndexFile | undefined;
  private readonly seed: IndexFile | undefined;
  private index: CodeIndex;
  /** The index's files as last seen; undefined until the whole folder has been checked. */
  private seen: Map<string, string> | undefined;
  private settings = "";
  private isLoaded = false;
  /** Texts in editors, which replace files on disk. */
  private readonly unsaved = new Map<string, string>();
  /** Files that aren't on the disk yet. */
  private pending = new PackedFiles();
  private storing: NodeJS.Timeout | undefined;
  /** True if the limits exclude files. */
  isPartial = false;

  /** `file` is where the index is stored; `seed` is the index of the folder of which this one is a copy. */
  constructor(
    root: string,
    {
      embedder,
      file,
      seed,
      limits = INDEX_LIMITS,
    }: {
      readonly embedder?: TextVectors | undefined;
      readonly file?: string | undefined;
      readonly seed?: { readonly root: string; readonly file: string } | undefined;
      readonly limits?: IndexLimits | undefined;
    },
  ) {
    this.root = root;
    this.embedder = embedder;
    this.limits = limits;
    const id = embedder?.id ?? "";
    this.file = file === undefined ? undefined : { path: file, root, embedder: id };
    this.seed = seed && { path: seed.file, root: seed.root, embedder: id };
    this.index = new CodeIndex(embedder);
  }

  /** Numbers for a benchmark. */
  get figures(): { readonly files: number; readonly parts: number; readonly chars: number } {
    return { files: this.index.files, parts: this.index.size, chars: this.index.chars };
  }

  search(query: string, count: number, accepts?: (path: string) => boolean): Promise<readonly CodeHit[]> {
    return this.index.search(query, count, accepts);
  }

  /** The text of a file as indexed. */
  async findFileText(path: string, { encoding }: FolderSettings): Promise<string | undefined> {
    return this.unsaved.get(path) ?? (await readCode(this.root, path, encoding))?.text;
  }

  /** Updates the index and returns the number of files read. If it's aborted, the next call checks everything again. */
  async update(
    changes: FolderChanges,
    settings: FolderSettings,
    unsaved: readonly UnsavedFile[],
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<number> {
    const key = JSON.stringify(settings);
    const known = key === this.settings ? this.seen : undefined;
    this.settings = key;
    this.seen = undefined;
    signal.throwIfAborted();
    if (this.index.removed > 20_000 && this.index.removed > this.index.size) this.restart();
    for (const path of this.unsaved.keys()) if (!unsaved.some((one) => one.path === path)) this.forget(path);
    const { excludes } = settings;
    const rules = addExcludes(ignoreRules(this.root), parseExcludes(excludes.files, excludes.search));
    const seen = known ?? new Map<string, string>();
    if (known && changes !== "everything") await this.look(known, changes, rules, signal);
    else await this.lookAtAll(seen, rules, signal);
    const read = await this.follow(seen, settings, progress, signal);
    for (const { path, text } of unsaved)
      if (!isHidden(path) && (await rules.matchWithParents(path)) === undefined) await this.putUnsaved(path, text);
    this.seen = seen;
    this.scheduleStore();
    return read;
  }

  /** Starts over, because removed parts take too much memory. */
  private restart(): void {
    this.index = new CodeIndex(this.embedder);
    this.isLoaded = false;
    this.unsaved.clear();
  }

  /** Checks the whole folder. */
  private async lookAtAll(seen: Map<string, string>, rules: IgnoreRules, signal: AbortSignal): Promise<void> {
    seen.clear();
    this.isPartial = false;
    await this.lookBelow("", seen, rules, signal);
  }

  private async lookBelow(
    relative: string,
    seen: Map<string, string>,
    rules: IgnoreRules,
    signal: AbortSignal,
  ): Promise<void> {
    await walk({ root: this.root, relative, rules }, signal, async (met) => {
      if (met.kind === "file") this.see(met.relative, seen);
      return this.isPartial ? "stop" : "go on";
    });
  }

  private see(relative: string, seen: Map<string, string>): void {
    const stamp = isCode(relative) && !mayHoldSecrets(relative) ? readCodeStamp(this.root, relative) : undefined;
    if (stamp === undefined) seen.delete(relative);
    else if (seen.size < this.limits.files || seen.has(relative)) seen.set(relative, stamp);
    else this.isPartial = true;
  }

  /** Checks what has changed. */
  private async look(
    seen: Map<string, string>,
    changes: readonly string[],
    rules: IgnoreRules,
    signal: AbortSignal,
  ): Promise<void> {
    for (const relative of changes) {
      signal.throwIfAborted();
      for (const path of seen.keys()) if (path.startsWith(`${relative}/`)) seen.delete(path);
      const found = findFolderEntry(this.root, relative);
      const isFolder = found?.isDirectory() === true;
      if (
        !found ||
        isHidden(relative) ||
        (await rules.matchWithParents(isFolder ? `${relative}/` : relative)) !== undefined
      )
        seen.delete(relative);
      else if (isFolder) await this.lookBelow(`${relative}/`, seen, rules, signal);
      else this.see(relative, seen);
    }
  }

  /** Makes the index match the seen files, from entries stored on the disk, or by reading the files. */
  private async follow(
    seen: Map<string, string>,
    settings: FolderSettings,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<number> {
    for (const path of this.index.listPaths()) if (!seen.has(path) && !this.unsaved.has(path)) this.forget(path);
    if (!this.isLoaded) await this.load(seen, settings, signal);
    const missing = [...seen].filter(([path, stamp]) => !this.has(path, stamp));
    let done = 0;
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      signal.throwIfAborted();
      if (this.index.chars > this.limits.chars) {
        this.isPartial = true;
        break;
      }
      const some = missing.slice(at, at + AT_ONCE);
      await Promise.all(some.map(([path, stamp]) => this.addFile(path, stamp, settings.encoding)));
      done += some.length;
      progress(done, missing.length);
    }
    return done;
  }

  private has(path: string, stamp: string): boolean {
    return this.index.findStamp(path) === stamp || this.unsaved.has(path);
  }

  private async load(seen: ReadonlyMap<string, string>, settings: FolderSettings, signal: AbortSignal): Promise<void> {
    for (const from of [this.file, this.seed]) {
      if (!from) continue;
      for await (const file of iterateStoredFiles(from)) {
        signal.throwIfAborted();
        const stamp = seen.get(file.path);
        if (stamp === undefined || this.has(file.path, stamp)) continue;
        const isSame =
          file.stamp === stamp || (await readCode(this.root, file.path, settings.encoding))?.hash === file.hash;
        if (!isSame || this.index.chars > this.limits.chars) continue;
        await this.index.put({ ...file, stamp });
        if (file.stamp !== stamp) await this.pending.add({ ...file, stamp });
      }
    }
    this.isLoaded = true;
  }

  /** Reads a file and adds it. A file that can't be read or has no text is stored without parts. */
  private async addFile(path: string, stamp: string, encoding: TextEncoding | undefined): Promise<void> {
    const { text = "", hash = "" } = (await readCode(this.root, path, encoding)) ?? {};
    await this.pending.add(await this.index.put({ path, stamp, hash, parts: splitIntoSections(path, text) }));
  }

  private async putUnsaved(path: string, text: string): Promise<void> {
    if (!isCode(path) || mayHoldSecrets(path) || !isSmall(path, text.length) || this.unsaved.get(path) === text) return;
    this.unsaved.set(path, text);
    this.pending.delete(path);
    await this.index.put({ path, stamp: "", hash: "", parts: splitIntoSections(path, text) });
  }

  private forget(path: string): void {
    this.unsaved.delete(path);
    this.pending.delete(path);
    this.index.remove(path);
  }

  private scheduleStore(): void {
    if (!this.file || this.pending.size === 0) return;
    clearTimeout(this.storing);
    this.storing = setTimeout(() => void this.store().catch(() => undefined), STORE_MS).unref();
  }

  /** Writes the index to the disk: stored entries that are still valid, and new ones. Without space, the file stays unchanged. */
  async store(): Promise<void> {
    clearTimeout(this.storing);
    const { file, pending, index } = this;
    if (!file || pending.size === 0) return;
    this.pending = new PackedFiles();
    await storeFiles(
      file,
      iterateValidFiles(file, pending, (path) => index.findStamp(path)),
    );
    await tidyIndexes(file.path);
  }
}

/** Whether a path is, or is in, version control or installed packages. */
function isHidden(relative: string): boolean {
  return relative.split("/").some((name) => HIDDEN.has(name));
}

/** The files of an index for writing to the disk. */
async function* iterateValidFiles(
  from: IndexFile,
  pending: PackedFiles,
  stampOfIndexed: (path: string) => string | undefined,
): AsyncGenerator<CodeFile> {
  yield* pending.iterateFiles();
  for await (const file of iterateStoredFiles(from))
    if (!pending.has(file.path) && stampOfIndexed(file.path) === file.stamp) yield file;
}
