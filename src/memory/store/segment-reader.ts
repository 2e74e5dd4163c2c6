import fs from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { Queue } from "../../core/base/async.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { type CacheUse, createUnreadableSegment, readSegment, type SegmentContents } from "./segment-files.ts";
import { INDEX_FILE, OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";

/** A request to the worker to read a segment, or the vectors in its cache with this stamp. */
export interface SegmentRequest {
  readonly number: number;
  readonly folder: string;
  readonly cache: CacheUse;
  readonly vectorsOf?: string;
}

/** An answer from the worker. */
export interface SegmentAnswer {
  readonly number: number;
  readonly contents?: SegmentContents;
  readonly vectors?: Float32Array<ArrayBuffer>;
  readonly error?: string;
}

/** Files with at most this total size are read in this thread, because a worker takes longer to start. */
const SMALL_BYTES = 2_000_000;

/** The number of segments that are read in advance. */
const AHEAD = 6;

/** A segment whose contents are known except for its vectors. */
export interface Unvectored {
  readonly folder: string;
  readonly contents: SegmentContents;
}

/** Reads large memories in a worker: `segment-worker.ts`, or its bundle. */
export class SegmentReader {
  private readonly script: string | URL | undefined;
  private worker: ReadingWorker | undefined;

  constructor(script: string | URL | undefined) {
    this.script = script;
  }

  /** Yields the contents of segments in order, while the next ones are being read. Vectors may be read later. */
  async *readContents(folders: readonly string[], cache: CacheUse): AsyncGenerator<SegmentContents> {
    await this.wake(folders);
    if (this.worker) yield* readInOrder(folders, (folder) => this.read(folder, cache));
    else for (const folder of folders) yield await readSegment(folder);
  }

  /** Starts the worker, unless there is little to read. */
  async wake(folders: readonly string[]): Promise<void> {
    if (this.script === undefined || (await measureSegmentBytes(folders, SMALL_BYTES)) < SMALL_BYTES) return;
    this.worker ??= new ReadingWorker(this.script);
  }

  /** Yields the vectors that weren't read earlier, with their memories, in order. */
  async *readVectors(segments: readonly Unvectored[]): AsyncGenerator<SegmentContents> {
    yield* readInOrder(segments, async ({ folder, contents }) => {
      const vectors = await this.worker?.readVectors(folder, contents.stamp);
      return vectors ? { ...contents, vectors } : this.read(folder, "none");
    });
  }

  private read(folder: string, cache: CacheUse): Promise<SegmentContents> {
    return this.worker?.readContents(folder, cache) ?? readSegment(folder);
  }

  /** Ends the worker; the next large memory starts another one. */
  async endWorker(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.close();
  }
}

/** Yields the result of `read` for each value, in order, while the next ones are already being read. */
async function* readInOrder<T, R>(values: readonly T[], read: (value: T) => Promise<R>): AsyncGenerator<Awaited<R>> {
  const underWay: Promise<R>[] = [];
  for (const value of values) {
    const started = read(value);
    started.catch(() => "The error is thrown when its turn comes.");
    underWay.push(started);
    const first = underWay.length > AHEAD ? underWay.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const last of underWay) yield await last;
}

/** The total size of the segments' files. Counting stops a little above `enough`. */
async function measureSegmentBytes(folders: readonly string[], enough: number): Promise<number> {
  let bytes = 0;
  for (const folder of folders) {
    for (const name of [INDEX_FILE, OLD_INDEX_FILE, SEGMENT_LOG_FILE]) {
      const stat = await fs.lstat(path.join(folder, name)).catch(() => undefined);
      bytes += stat?.size ?? 0;
    }
    if (bytes >= enough) break;
  }
  return bytes;
}

/**
 * The limit for the thread's objects. For JSON, a far lower limit on its parts applies. A thread that exceeds its limit while parsing JSON
 * crashes the whole program.
 */
const MEMORY = { maxOldGenerationSizeMb: 1024 };

/** There is no answer, because the thread used too much memory. */
const TOO_LARGE = "too large";

/** Reads segments in a thread, several at a time. If the thread dies, this one reads them, unless they are too large. */
class ReadingWorker {
  private readonly script: string | URL;
  private worker: Worker;
  private readonly waiting = new Map<number, PromiseWithResolvers<SegmentAnswer>>();
  private readonly alone = new Queue();
  private isDead = false;
  private next = 0;

  constructor(script: string | URL) {
    this.script = script;
    this.worker = this.start();
  }

  async readContents(folder: string, cache: CacheUse): Promise<SegmentContents> {
    let answer = await this.ask({ folder, cache });
    if (answer === TOO_LARGE) answer = await this.alone.add(() => this.askAlone({ folder, cache }));
    if (answer === TOO_LARGE) return createUnreadableSegment("Reading it takes too much memory.");
    return answer?.contents ?? readSegment(folder);
  }

  async readVectors(folder: string, stamp: string): Promise<Float32Array<ArrayBuffer> | undefined> {
    const answer = await this.ask({ folder, cache: "read", vectorsOf: stamp });
    return answer === TOO_LARGE ? undefined : answer?.vectors;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.script, { resourceLimits: MEMORY });
    worker.unref();
    worker.on("message", (answer: SegmentAnswer) => this.handleAnswer(answer));
    worker.on("error", (error) => this.handleDeath(worker, error));
    worker.on("exit", () => this.handleDeath(worker, new Error("The thread that reads the memory ended.")));
    return worker;
  }

  /** Undefined if there is no answer. */
  private async ask(request: Omit<SegmentRequest, "number">): Promise<SegmentAnswer | typeof TOO_LARGE | undefined> {
    if (this.isDead) return undefined;
    const number = this.next++;
    const answer = Promise.withResolvers<SegmentAnswer>();
    this.waiting.set(number, answer);
    this.worker.postMessage({ number, ...request } satisfies SegmentRequest);
    return answer.promise.catch((error: unknown) => (isTooLarge(error) ? TOO_LARGE : undefined));
  }

  /** Asks a separate thread, because any of the segments that are read together may have used too much memory. */
  private async askAlone(request: Omit<SegmentRequest, "number">) {
    const other = new ReadingWorker(this.script);
    try {
      return await other.ask(request);
    } finally {
      await other.close();
    }
  }

  private handleAnswer(answer: SegmentAnswer): void {
    const waiting = this.waiting.get(answer.number);
    this.waiting.delete(answer.number);
    waiting?.resolve(answer);
  }

  private handleDeath(worker: Worker, error: unknown): void {
    if (this.worker !== worker) return;
    if (isTooLarge(error)) this.worker = this.start();
    else this.isDead = true;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

function isTooLarge(error: unknown): boolean {
  return hasCode(error, "ERR_WORKER_OUT_OF_MEMORY");
}
