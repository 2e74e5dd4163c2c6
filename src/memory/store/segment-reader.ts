import fs from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { readSegment, type SegmentContents } from "./segment-files.ts";
import { INDEX_FILE, OLD_INDEX_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";

/** To the worker. */
export interface SegmentRequest {
  readonly number: number;
  readonly folder: string;
}

/** From the worker. */
export interface SegmentAnswer {
  readonly number: number;
  readonly contents?: SegmentContents;
  readonly error?: string;
}

/** Files of this size together are read in this thread, because a worker takes longer to start. */
const SMALL_BYTES = 2_000_000;

/** The number of segments that are read while one is taken in. */
const AHEAD = 3;

/**
 * Yields the contents of segments, in order, while the next ones are already being read: in a worker if they are large.
 * `script` is `segment-worker.ts`, or its bundle.
 */
export async function* readSegments(
  folders: readonly string[],
  script: string | URL | undefined,
): AsyncGenerator<SegmentContents> {
  if (script === undefined || (await bytesIn(folders, SMALL_BYTES)) < SMALL_BYTES) {
    for (const folder of folders) yield await readSegment(folder);
    return;
  }
  const reader = new ReadingWorker(script);
  try {
    const underWay: Promise<SegmentContents>[] = [];
    for (const folder of folders) {
      const started = reader.read(folder);
      started.catch(() => "The error is thrown when its turn comes.");
      underWay.push(started);
      const first = underWay.length > AHEAD ? underWay.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (const last of underWay) yield await last;
  } finally {
    await reader.close();
  }
}

/** The size of the segments' files, but no more than a little over `enough`. */
async function bytesIn(folders: readonly string[], enough: number): Promise<number> {
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

/** Reads segments in a thread, several at a time. If the thread dies, they are read in this one. */
class ReadingWorker {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, PromiseWithResolvers<SegmentContents>>();
  private isDead = false;
  private next = 0;

  constructor(script: string | URL) {
    this.worker = new Worker(script);
    this.worker.on("message", (answer: SegmentAnswer) => this.answered(answer));
    this.worker.on("error", (error) => this.died(error));
    this.worker.on("exit", () => this.died(new Error("The thread that reads the memory ended.")));
  }

  async read(folder: string): Promise<SegmentContents> {
    if (this.isDead) return readSegment(folder);
    const number = this.next++;
    const answer = Promise.withResolvers<SegmentContents>();
    this.waiting.set(number, answer);
    this.worker.postMessage({ number, folder } satisfies SegmentRequest);
    return answer.promise.catch(() => readSegment(folder));
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private answered({ number, contents, error }: SegmentAnswer): void {
    const answer = this.waiting.get(number);
    this.waiting.delete(number);
    if (contents) answer?.resolve(contents);
    else answer?.reject(new Error(error));
  }

  private died(error: unknown): void {
    this.isDead = true;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
