import fs from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, ReadBuffer, TEMPORARY_SUFFIX } from "./durable-file.ts";
import { MemoryError } from "./memory-error.ts";
import { Segment } from "./segment.ts";
import {
  readSegment,
  SEGMENT_INDEX_FILE,
  SEGMENT_LOG_FILE,
  type SegmentBytes,
  type SegmentContents,
  segmentContents,
  segmentStamp,
} from "./segment-files.ts";

const SEGMENT_NAME = /^seg-(\d{5,})$/;
const DAMAGED = "damaged";

/** A segment that changed on disk since it was last looked at. */
export interface SegmentChange {
  readonly segment: Segment;
  readonly contents: SegmentContents;
}

/** The segments of a memory folder, in the order they were begun. */
export class SegmentStore {
  readonly folder: string;
  private readonly known = new Map<string, Segment>();

  constructor(folder: string) {
    this.folder = folder;
  }

  get segments(): readonly Segment[] {
    return [...this.known.values()];
  }

  /**
   * Reads what is new or different on disk, segment by segment; `gone` gets those that are no longer there. The vectors
   * of a change are good until the next one is asked for.
   */
  async *changes(gone: (segment: Segment) => void): AsyncGenerator<SegmentChange> {
    const names = await namesIn(this.folder);
    for (const [name, segment] of this.known) {
      if (names.includes(name)) continue;
      this.known.delete(name);
      gone(segment);
    }
    for (const name of names) {
      if (!this.known.has(name)) this.known.set(name, new Segment(path.join(this.folder, name)));
    }
    yield* changesOf(this.segments);
  }

  /** A new, empty segment at the end. */
  async begin(): Promise<Segment> {
    const last = (await namesIn(this.folder)).at(-1);
    for (let number = numberOf(last) + 1; ; number++) {
      const segment = new Segment(path.join(this.folder, nameOf(number)));
      try {
        await fs.mkdir(segment.folder, { mode: 0o700 });
      } catch (error) {
        if (hasErrorCode(error, "EEXIST")) continue;
        throw error;
      }
      this.known.set(segment.name, segment);
      return segment;
    }
  }

  async delete(segment: Segment): Promise<void> {
    this.known.delete(segment.name);
    await segment.delete();
  }

  /** Puts damaged files where people can look at them; of a log that stays in use as far as it is good, a copy. */
  async setAside({ segment, contents }: SegmentChange): Promise<string> {
    const target = path.join(this.folder, DAMAGED, `${segment.name}-${Date.now()}`);
    const shelf = await fs.lstat(path.dirname(target)).catch(() => undefined);
    if (shelf?.isSymbolicLink())
      throw new MemoryError(
        `${path.dirname(target)} is a link to another place, so nothing is put there. Remove the link.`,
      );
    await fs.mkdir(target, { recursive: true, mode: 0o700 });
    for (const file of contents.damaged) {
      const [from, to] = [path.join(segment.folder, file), path.join(target, file)];
      if (file === SEGMENT_LOG_FILE && contents.logEnd > 0) await fs.copyFile(from, to);
      else await fs.rename(from, to);
    }
    return target;
  }

  /** Moves all segments to another folder; the shelf is empty then. */
  async moveTo(target: string): Promise<void> {
    await fs.mkdir(target, { recursive: true, mode: 0o700 });
    for (const segment of this.segments) {
      await segment.close();
      await fs.rename(segment.folder, path.join(target, segment.name));
      this.known.delete(segment.name);
    }
  }

  /** Moves segments back from another folder, behind those that have been begun since, and reads them; see `changes`. */
  async *moveBack(source: string): AsyncGenerator<SegmentChange> {
    const back: Segment[] = [];
    for (const name of await namesIn(source)) {
      const segment = await this.begin();
      for (const file of await fs.readdir(path.join(source, name)))
        await fs.rename(path.join(source, name, file), path.join(segment.folder, file));
      back.push(segment);
    }
    await fs.rm(source, { recursive: true, force: true });
    yield* changesOf(back);
  }

  /** Removes what writes that a crash cut off have left. */
  async sweep(): Promise<void> {
    const segments = (await namesIn(this.folder)).map((name) => path.join(this.folder, name));
    await Promise.all([this.folder, ...segments].map(sweep));
  }

  /** What the segments take on disk. */
  async bytes(): Promise<number> {
    const files = this.segments.flatMap(({ folder }) =>
      [SEGMENT_LOG_FILE, SEGMENT_INDEX_FILE].map((name) => path.join(folder, name)),
    );
    const stats = await Promise.all(files.map((file) => fs.stat(file).catch(() => undefined)));
    return stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0);
  }
}

interface Found {
  readonly segment: Segment;
  readonly files: SegmentBytes;
}

async function sweep(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    if (name.endsWith(TEMPORARY_SUFFIX))
      await fs.rm(path.join(folder, name), { recursive: true, force: true });
  }
}

/** What is new or different in the segments. */
async function* changesOf(segments: readonly Segment[]): AsyncGenerator<SegmentChange> {
  const buffers = Array.from({ length: SLOTS }, () => new ReadBuffer());
  const read = (segment: Segment, slot: number) => changed(segment, buffers[slot]);
  for await (const found of readAhead(segments, read)) if (found) yield changeOf(found);
}

/** A segment's files; undefined when they are what is known. */
async function changed(segment: Segment, buffer: ReadBuffer | undefined): Promise<Found | undefined> {
  if (segment.stamp !== "" && segment.stamp === (await segmentStamp(segment.folder))) return undefined;
  return { segment, files: await readSegment(segment.folder, buffer) };
}

/** Takes time, so it is done for one segment at a time, while others are being read. */
function changeOf({ segment, files }: Found): SegmentChange {
  return { segment, contents: segmentContents(files) };
}

/** The segments in a folder. Links are passed over: a cloned repository must not lead us out of it. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && SEGMENT_NAME.test(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => numberOf(a) - numberOf(b));
}

function nameOf(number: number): string {
  return `seg-${String(number).padStart(5, "0")}`;
}

function numberOf(name: string | undefined): number {
  return Number(SEGMENT_NAME.exec(name ?? "")?.[1] ?? 0);
}

/** So many are being read while one is looked at. */
const AHEAD = 3;

/** How many slots `readAhead` uses. */
const SLOTS = AHEAD + 1;

/**
 * What `read` makes of each value, in order, with the next ones already under way. A slot is a number below `SLOTS`;
 * it is used again only after what was read in it has been looked at.
 */
async function* readAhead<T, R>(
  values: readonly T[],
  read: (value: T, slot: number) => Promise<R>,
): AsyncGenerator<Awaited<R>> {
  const underWay: Promise<R>[] = [];
  for (const [place, value] of values.entries()) {
    const started = read(value, place % SLOTS);
    started.catch(() => "It is thrown once its turn comes.");
    underWay.push(started);
    const first = underWay.length > AHEAD ? underWay.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const last of underWay) yield await last;
}
