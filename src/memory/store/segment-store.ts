import fs from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../../disk/error-codes.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { TEMPORARY_SUFFIX } from "../../disk/replace-file.ts";
import { displayText } from "../../texts/display-text.ts";
import { type ConfirmWriting, MAX_SEGMENT_BYTES, readPlainFile } from "./durable-file.ts";
import { MemoryError } from "./memory-error.ts";
import { Segment } from "./segment.ts";
import { type CacheUse, computeSegmentStamp, type SegmentContents } from "./segment-files.ts";
import { settleOldLog } from "./segment-log.ts";
import { CACHE_FILE, INDEX_FILE, OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";
import { SegmentReader } from "./segment-reader.ts";

const SEGMENT_NAME = /^seg-(\d{5,})$/;
const DAMAGED = "damaged";

/** A segment that changed on disk since it was last read. */
export interface SegmentChange {
  readonly segment: Segment;
  readonly contents: SegmentContents;
}

/** The segments of a memory folder, oldest first. */
export class SegmentStore {
  readonly folder: string;
  private readonly reader: SegmentReader;
  private readonly known = new Map<string, Segment>();

  private readonly confirm: ConfirmWriting | undefined;

  /** `worker` reads large segments: `segment-worker.ts`, or its bundle. `confirm` throws once another program writes. */
  constructor(folder: string, worker?: string | URL, confirm?: ConfirmWriting) {
    this.folder = folder;
    this.confirm = confirm;
    this.reader = new SegmentReader(worker);
  }

  /** Prepares for reading a large memory, which takes a moment. */
  async wake(): Promise<void> {
    const names = await listSegmentNames(this.folder);
    await this.reader.wake(names.map((name) => path.join(this.folder, name)));
  }

  /** Ends the preparation if nothing is read after all. */
  endReading(): Promise<void> {
    return this.reader.endWorker();
  }

  get segments(): readonly Segment[] {
    return [...this.known.values()];
  }

  /** Reads new and changed segments one by one. `gone` receives those that no longer exist. */
  async *readChanges(gone: (segment: Segment) => void, cache: CacheUse): AsyncGenerator<SegmentChange> {
    const names = await listSegmentNames(this.folder);
    for (const [name, segment] of this.known) {
      if (names.includes(name)) continue;
      this.known.delete(name);
      gone(segment);
    }
    for (const name of names) {
      if (!this.known.has(name)) this.known.set(name, this.createSegment(name));
    }
    yield* this.readSegmentChanges(this.segments, cache);
  }

  /** Creates an empty segment at the end. */
  async begin(): Promise<Segment> {
    const last = (await listSegmentNames(this.folder)).at(-1);
    for (let number = parseSegmentNumber(last) + 1; ; number++) {
      const segment = this.createSegment(formatSegmentName(number));
      try {
        await fs.mkdir(segment.folder, { mode: 0o700 });
      } catch (error) {
        if (hasCode(error, "EEXIST")) continue;
        throw error;
      }
      this.known.set(segment.name, segment);
      return segment;
    }
  }

  /** Deletes a segment whose memories are all gone. */
  async delete(segment: Segment): Promise<void> {
    if (await segment.delete()) this.known.delete(segment.name);
  }

  /** Moves damaged files to a folder for the user. A file with an undamaged part in use is copied instead, once. */
  async setAside({ segment, contents }: SegmentChange): Promise<string> {
    const parent = path.join(this.folder, DAMAGED);
    const target = path.join(parent, `${segment.name}-${Date.now()}`);
    const found = await fs.lstat(parent).catch(() => undefined);
    if (found?.isSymbolicLink()) throw new MemoryError(displayText("trouble.targetIsLink", { target: parent }));
    const isInUse = (file: string) => (file === SEGMENT_LOG_FILE ? contents.logEnd > 0 : contents.hasItems);
    // It's found again at each start until the index can be written, which takes an embedder.
    const last = contents.damaged.every(isInUse) ? await findLastFolder(segment, parent) : undefined;
    if (last !== undefined && (await hasSameFiles(contents.damaged, segment.folder, last))) return last;
    await fs.mkdir(target, { recursive: true, mode: 0o700 });
    for (const file of contents.damaged) {
      const [from, to] = [path.join(segment.folder, file), path.join(target, file)];
      if (isInUse(file)) await fs.copyFile(from, to);
      else await renameFile(from, to);
    }
    return target;
  }

  /**
   * Moves all segments to another folder, which exists. Other programs' items stay. On failure, the other folder keeps the segments that
   * were being emptied, and everything else is unchanged.
   */
  async moveTo(target: string): Promise<void> {
    const all = this.segments.filter(({ isUnknown }) => !isUnknown);
    const { shared = [], own = [] } = Object.groupBy(all, ({ foreign }) => (foreign > 0 ? "shared" : "own"));
    const moved: Segment[] = [];
    const copies = shared.map(({ name, folder }) => ({ from: folder, to: path.join(target, name) }));
    try {
      for (const segment of all) await segment.close();
      for (const segment of own) {
        await renameFile(segment.folder, path.join(target, segment.name));
        moved.push(segment);
      }
      for (const { from, to } of copies) await fs.cp(from, to, { recursive: true });
      // Last, because nothing but the copies brings them back.
      for (const segment of shared) {
        copies.shift();
        await segment.removeAll();
      }
    } catch (error) {
      for (const { name, folder } of moved) await renameFile(path.join(target, name), folder);
      for (const { to } of copies) await fs.rm(to, { recursive: true, force: true });
      throw error;
    }
    for (const { name } of moved) this.known.delete(name);
  }

  /** Moves segments back from another folder, after those created since, and reads them; see `readChanges`. */
  async *moveBack(source: string): AsyncGenerator<SegmentChange> {
    const back: Segment[] = [];
    for (const name of await listSegmentNames(source)) {
      const segment = await this.begin();
      for (const file of await fs.readdir(path.join(source, name)))
        await renameFile(path.join(source, name, file), path.join(segment.folder, file));
      back.push(segment);
    }
    await fs.rm(source, { recursive: true, force: true });
    yield* this.readSegmentChanges(back, "none");
  }

  /** Removes temporary files that a crash left behind, and puts back logs whose replacement it interrupted. */
  async sweep(): Promise<void> {
    const segments = (await listSegmentNames(this.folder)).map((name) => path.join(this.folder, name));
    await Promise.all([this.folder, ...segments].map(sweep));
  }

  private createSegment(name: string): Segment {
    return new Segment(path.join(this.folder, name), this.confirm);
  }

  /** The new and changed segments. */
  private async *readSegmentChanges(segments: readonly Segment[], cache: CacheUse): AsyncGenerator<SegmentChange> {
    const areChanged = await Promise.all(segments.map(isChanged));
    const changed = segments.filter((_, place) => areChanged[place]);
    const folders = changed.map(({ folder }) => folder);
    for await (const contents of this.reader.readContents(folders, cache)) {
      const segment = changed.shift();
      if (segment) yield { segment, contents };
    }
  }

  /** Reads the vectors that the changes lack, and ends the reading. */
  async *readVectors(changes: readonly SegmentChange[]): AsyncGenerator<SegmentChange> {
    const left = [...changes];
    const segments = changes.map(({ segment: { folder }, contents }) => ({ folder, contents }));
    try {
      for await (const contents of this.reader.readVectors(segments)) {
        const change = left.shift();
        if (change) yield { ...change, contents };
      }
    } finally {
      await this.reader.endWorker();
    }
  }

  /** The size of the segments on disk. */
  async measureBytes(): Promise<number> {
    const files = this.segments.flatMap(({ folder }) =>
      [SEGMENT_LOG_FILE, INDEX_FILE, OLD_INDEX_FILE, CACHE_FILE].map((name) => path.join(folder, name)),
    );
    const stats = await Promise.all(files.map((file) => fs.stat(file).catch(() => undefined)));
    return stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0);
  }
}

/** Whether a segment's files differ from those that were last read. */
async function isChanged({ folder, stamp }: Segment): Promise<boolean> {
  return stamp === "" || stamp !== (await computeSegmentStamp(folder).catch(() => ""));
}

/** The folder with a segment's most recently set-aside files. */
async function findLastFolder({ name }: Segment, parent: string): Promise<string | undefined> {
  const names = await fs.readdir(parent).catch(() => []);
  const times = names.filter((one) => one.startsWith(`${name}-`)).map((one) => Number(one.split("-").at(-1)));
  return times.length === 0 ? undefined : path.join(parent, `${name}-${Math.max(...times)}`);
}

/** Whether two folders have the same versions of some files. */
async function hasSameFiles(files: readonly string[], one: string, other: string): Promise<boolean> {
  for (const file of files) {
    const [own, copy] = await Promise.all(
      [one, other].map((folder) => readPlainFile(path.join(folder, file), MAX_SEGMENT_BYTES)),
    ).catch(() => []);
    if (!own || !copy?.bytes.equals(own.bytes)) return false;
  }
  return true;
}

async function sweep(folder: string): Promise<void> {
  await settleOldLog(folder);
  for (const name of await fs.readdir(folder)) {
    if (name.endsWith(TEMPORARY_SUFFIX)) await fs.rm(path.join(folder, name), { recursive: true, force: true });
  }
}

/** The names of the segments in a folder. Links are skipped: a cloned repository must not lead outside the folder. */
async function listSegmentNames(folder: string): Promise<readonly string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && SEGMENT_NAME.test(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => parseSegmentNumber(a) - parseSegmentNumber(b));
}

function formatSegmentName(number: number): string {
  return `seg-${String(number).padStart(5, "0")}`;
}

function parseSegmentNumber(name: string | undefined): number {
  return Number(SEGMENT_NAME.exec(name ?? "")?.[1] ?? 0);
}
