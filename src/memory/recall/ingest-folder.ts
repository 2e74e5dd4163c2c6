import { isAbsolute } from "node:path";
import { setImmediate as untilIdle } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Source } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import type { NewMemory } from "../store/memory-item.ts";
import type { WorkspaceMemory } from "../workspace-memory.ts";
import { type ChunkSize, createRedactedMemories, iterateOwnMemories } from "./documents.ts";
import { IngestManifest, type SkipReason } from "./ingest-manifest.ts";

/** A file below the folder. */
export interface FoundFile {
  /** Its path in the workspace, or its full path outside the workspace. */
  readonly source: string;
  readonly bytes: number;
  /** In milliseconds since 1970. */
  readonly modified: number;
}

/** A file that isn't added; `why` is a clause. */
export interface SkippedFile {
  readonly source: string;
  readonly reason: SkipReason;
  readonly why?: string;
}

/** The content of a file. */
export interface HashedFile {
  readonly hash: string;
  /** Its text, or the reason why it has none. */
  readText(): Promise<string | Omit<SkippedFile, "source">>;
}

/** The files below a folder. */
export interface FolderFiles {
  /** The prefix that the sources of all files in the folder share; "" for the workspace. */
  readonly prefix: string;
  /** The untrusted sources that the files may contain; absent: unknown. */
  readonly sources?: readonly Source[];
  list(signal: AbortSignal): Promise<{
    readonly files: readonly FoundFile[];
    readonly skipped: readonly SkippedFile[];
  }>;
  read(file: FoundFile, signal: AbortSignal): Promise<HashedFile | Omit<SkippedFile, "source">>;
}

export interface IngestOptions {
  readonly chunks: ChunkSize;
  readonly signal: AbortSignal;
  /** Called for each file. */
  reportProgress?(done: number, all: number): void;
}

/** The outcome for the files of a folder. */
export interface IngestSummary {
  readonly added: number;
  /** Files that were added again, because they have changed. */
  readonly changed: number;
  readonly unchanged: number;
  /** Deleted files whose memories were removed. */
  readonly removed: number;
  /** The number of new memories. */
  readonly pieces: number;
  readonly skipped: readonly SkippedFile[];
  readonly isStopped: boolean;
}

/** The number of memories that are added together. */
const BATCH = 64;
const SAVE_MS = 3_000;
/** The share of the memory that is reserved for runs, so that a folder never displaces their memories. */
const SHARE_OF_RUNS = 0.1;

/**
 * Adds the files in a folder that are new or have changed since the last time, and removes the memories of deleted files. A stop keeps the
 * finished part, and the next call continues. Throws `MemoryError`.
 */
export async function ingestFolder(
  memory: WorkspaceMemory,
  files: FolderFiles,
  options: IngestOptions,
): Promise<IngestSummary> {
  await memory.refresh();
  if (memory.state.mode !== "writing") throw new MemoryError(displayText("trouble.memoryInUse"));
  const ingest = new FolderIngest(memory, files, options, await IngestManifest.read(memory.folder));
  try {
    await ingest.run();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    await ingest.end();
  }
  return ingest.summary;
}

/** The memories of one file: pieces of its whole text, and parts that runs have used. */
interface KnownFile {
  readonly whole: string[];
  readonly parts: string[];
}

/** A file whose memories haven't been added yet. */
interface WaitingFile {
  readonly file: FoundFile;
  readonly hash: string;
  readonly memories: readonly NewMemory[];
}

class FolderIngest {
  private readonly memory: WorkspaceMemory;
  private readonly files: FolderFiles;
  private readonly options: IngestOptions;
  private readonly manifest: IngestManifest;
  private readonly cut: string;
  private readonly known = new Map<string, KnownFile>();
  private readonly skipped: SkippedFile[] = [];
  private waiting: WaitingFile[] = [];
  private waitingCount = 0;
  private savedAt = performance.now();
  private isFull = false;
  private readonly counts = { added: 0, changed: 0, unchanged: 0, removed: 0, pieces: 0 };

  constructor(memory: WorkspaceMemory, files: FolderFiles, options: IngestOptions, manifest: IngestManifest) {
    this.memory = memory;
    this.files = files;
    this.options = options;
    this.manifest = manifest;
    const { maxChars, overlapChars } = options.chunks;
    this.cut = `${maxChars}/${overlapChars}`;
  }

  get summary(): IngestSummary {
    return { ...this.counts, skipped: this.skipped, isStopped: this.options.signal.aborted };
  }

  async run(): Promise<void> {
    const { signal, reportProgress } = this.options;
    const { files, skipped } = await this.files.list(signal);
    this.skipped.push(...skipped);
    await this.findKnown(signal);
    await this.removeGone(new Set(files.map(({ source }) => source)));
    for (const [at, file] of files.entries()) {
      signal.throwIfAborted();
      reportProgress?.(at, files.length);
      await this.take(file);
    }
    reportProgress?.(files.length, files.length);
  }

  /** Adds files that are still waiting, also after a stop. */
  async end(): Promise<void> {
    await this.flush();
    await this.manifest.save();
  }

  /** Reads all memories in one pass, however many files there are. */
  private async findKnown(signal: AbortSignal): Promise<void> {
    for await (const { id, source, run } of iterateOwnMemories(this.memory, "file")) {
      signal.throwIfAborted();
      if (!this.isBelow(source)) continue;
      const known = this.known.get(source) ?? { whole: [], parts: [] };
      known[run === undefined ? "whole" : "parts"].push(id);
      this.known.set(source, known);
    }
  }

  private async removeGone(found: ReadonlySet<string>): Promise<void> {
    const isGone = (source: string): boolean => this.isBelow(source) && !found.has(source);
    const files = new Map(this.manifest.files);
    const gone = [...files.keys()].filter(isGone);
    const ids = gone.flatMap((source) => this.listMemoryIds(source));
    if (ids.length > 0) await this.memory.remove(ids);
    for (const source of gone) this.manifest.delete(source);
    this.counts.removed = gone.filter((source) => (files.get(source)?.pieces ?? 0) > 0).length;
  }

  /** Whether a source is a file in the folder. Files outside the workspace have full paths. */
  private isBelow(source: string): boolean {
    const { prefix } = this.files;
    return prefix === "" ? !isAbsolute(source) : source.startsWith(prefix);
  }

  private listMemoryIds(source: string): readonly string[] {
    const { whole = [], parts = [] } = this.known.get(source) ?? {};
    return [...whole, ...parts];
  }

  private async take(file: FoundFile): Promise<void> {
    const { source, bytes, modified } = file;
    const before = this.manifest.files.get(source);
    const isSame = before?.bytes === bytes && before.modified === modified;
    if (before?.skipped && isSame) {
      this.skipped.push({ source, reason: before.skipped, ...(before.why ? { why: before.why } : {}) });
      return;
    }
    const isComplete = before?.cut === this.cut && this.has(source, before.pieces);
    if (isComplete && isSame) {
      this.counts.unchanged += 1;
      return;
    }
    const at = new Date().toISOString();
    const content = await this.files.read(file, this.options.signal);
    if ("reason" in content) return this.skip(file, content);
    if (isComplete && before.hash === content.hash) {
      this.manifest.set(source, { ...before, bytes, modified });
      this.counts.unchanged += 1;
      return;
    }
    const text = this.isFull ? FULL : await content.readText();
    if (typeof text !== "string") return this.skip(file, text, content.hash);
    await this.wait({ ...file, at }, content.hash, text);
  }

  /** Whether the memory still has all pieces of a file. */
  private has(source: string, pieces: number): boolean {
    return pieces > 0 && (this.known.get(source)?.whole.length ?? 0) >= pieces;
  }

  private async wait(file: FoundFile & { readonly at: string }, hash: string, text: string): Promise<void> {
    const { sources } = this.files;
    const memories = await createRedactedMemories(
      { kind: "file", source: file.source, at: file.at, text, ...omitUndefined({ sources }) },
      (whole) => this.memory.redact(whole),
      this.options.chunks,
    );
    if (memories.length === 0) return this.skip(file, { reason: "empty" }, hash);
    const { count, shared } = this.memory.state;
    const own = count - (shared?.theirs ?? 0) + this.waitingCount;
    const room = this.memory.most * (1 - SHARE_OF_RUNS) - own;
    if (memories.length - this.listMemoryIds(file.source).length > room) {
      this.isFull = true;
      return this.skip(file, FULL);
    }
    this.waiting.push({ file, hash, memories });
    this.waitingCount += memories.length;
    if (this.waitingCount >= BATCH) await this.flush();
  }

  /** Removes the earlier memories of a file that is no longer added, since they may be outdated. */
  private async skip(file: FoundFile, why: Omit<SkippedFile, "source">, hash = ""): Promise<void> {
    const { source, bytes, modified } = file;
    this.skipped.push({ source, ...why });
    if (why.reason === "full") return;
    const ids = this.manifest.files.has(source) ? this.listMemoryIds(source) : [];
    if (ids.length > 0) await this.memory.remove(ids);
    this.manifest.delete(source);
    const isLasting = why.reason !== "unreadable" || why.why !== undefined;
    const { reason: skipped, ...more } = why;
    if (isLasting) this.manifest.set(source, { bytes, modified, hash, cut: this.cut, pieces: 0, skipped, ...more });
  }

  /** Adds the waiting files and replaces their earlier versions. */
  private async flush(): Promise<void> {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    this.waitingCount = 0;
    const ids = new Set<string>();
    const memories = waiting.flatMap((one) => one.memories);
    for (let at = 0; at < memories.length; at += BATCH) {
      for (const id of await this.memory.add(memories.slice(at, at + BATCH))) ids.add(id);
      await untilIdle();
    }
    const stale = waiting.flatMap(({ file }) => this.listMemoryIds(file.source)).filter((id) => !ids.has(id));
    if (stale.length > 0) await this.memory.remove(stale);
    this.counts.pieces += ids.size;
    for (const { file, hash, memories: own } of waiting) {
      const { source, bytes, modified } = file;
      const wasThere = (this.manifest.files.get(source)?.pieces ?? 0) > 0 && this.has(source, 1);
      this.counts[wasThere ? "changed" : "added"] += 1;
      this.manifest.set(source, { bytes, modified, hash, cut: this.cut, pieces: own.length });
    }
    if (performance.now() - this.savedAt < SAVE_MS) return;
    await this.manifest.save();
    this.savedAt = performance.now();
  }
}

const FULL = { reason: "full" } as const;
