import { fstatSync } from "node:fs";
import { constants, copyFile, type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Queue } from "../../core/base/async.ts";
import { LogError, type RunLog } from "../../core/ports/storage.ts";
import { ensureRegularFile } from "../../disk/plain-file.ts";
import { replaceFile, syncFolder } from "../../disk/replace-file.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { convertToStoredEvent } from "../../schema/readers.ts";
import { displayText } from "../../texts/display-text.ts";
import { Deduplicator } from "./deduplication.ts";
import { explainLogProblem } from "./log-errors.ts";
import { readSeal, SEAL_BYTES, type Seal, sealLine } from "./log-seal.ts";

/** The file operations needed to find the last complete line. */
interface ReadableFile {
  stat(): Promise<{ readonly size: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

const CHUNK = 64 * 1024;
const NEWLINE = 10;

/** The end of the complete lines of a file. */
export interface LogEnd {
  /** The length up to and including the last line break; an unfinished line may follow. */
  readonly end: number;
  readonly size: number;
  /** The seal of the last complete line; absent or empty if it has none. */
  readonly seal?: string;
}

/** Finds the last complete line. */
async function findLogEnd(file: ReadableFile): Promise<LogEnd> {
  const { size } = await file.stat();
  const end = await findLastLineEnd(file, size);
  const last = Buffer.alloc(Math.min(SEAL_BYTES, Math.max(0, end - 1)));
  await file.read(last, 0, last.length, Math.max(0, end - 1 - last.length));
  return { end, size, seal: readSeal(last.toString("latin1")) };
}

async function findLastLineEnd(file: ReadableFile, size: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK);
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
}

/** The file operations that a log needs; the file is open for appending. */
export interface RunLogFile {
  write(bytes: Buffer): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  /** The current size in bytes, whichever program wrote them. */
  getSize(): number;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends events to a file, with one write for each call. Torn lines and failed writes are truncated, so that the next event starts a new
 * line. Nothing is written once another program has written to the file.
 */
export function createAppendingLog(
  file: RunLogFile,
  { end: good, size, seal: lastSeal = "" }: LogEnd,
  path: string,
  seal?: Seal,
): RunLog {
  const deduplicator = new Deduplicator();
  let end = good;
  let before = lastSeal;
  let torn = false;
  let isNew = true;
  const queue = new Queue();

  const takeBack = async (): Promise<void> => {
    await file.truncate(end);
    torn = false;
  };

  const write = async <Events extends readonly AgentEvent[]>(events: Events): Promise<Events> => {
    let last = before;
    const texts = events.map((event) => {
      const json = JSON.stringify(deduplicator.fold(event));
      const text = seal ? sealLine(json, last, seal) : json;
      last = readSeal(text);
      return text;
    });
    const lines = Buffer.from(`${texts.join("\n")}\n`);
    if (isNew && file.getSize() !== size) throw new LogError(WRITTEN_ELSEWHERE);
    if (torn || (isNew && size > end)) await takeBack();
    isNew = false;
    if (file.getSize() !== end) throw new LogError(WRITTEN_ELSEWHERE);
    torn = true;
    const { bytesWritten } = await file.write(lines).catch(async (error: unknown) => {
      await takeBack().catch(() => undefined);
      throw error;
    });
    if (bytesWritten < lines.length) {
      await takeBack().catch(() => undefined);
      throw Object.assign(new Error("only a part of the event was written"), { code: "ENOSPC" });
    }
    torn = false;
    end += lines.length;
    before = last;
    return events;
  };

  return {
    append: (event) => queue.add(async () => (await wrapLogErrors(write([event] as const), path))[0]),
    appendAll: (events) => queue.add(() => wrapLogErrors(write(events), path)),
    sync: coalesceCalls(async () => {
      await queue.idle;
      await wrapLogErrors(file.datasync(), path);
    }),
    async close() {
      await queue.idle;
      await file.close();
    },
  };
}

const WRITTEN_ELSEWHERE = displayText("trouble.continuedElsewhere");

async function wrapLogErrors<T>(work: Promise<T>, path: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof LogError ? error : new LogError(explainLogProblem(error, path), { cause: error });
  }
}

/** Calls during the work share one further round, which begins after the current one. */
function coalesceCalls(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

/** The file with the events of a run, one JSON object per line, in the run's folder. */
export const LOG_FILE = "run.jsonl";

/**
 * Opens a run's log for appending. Only the owner can access its folder and file. The first appended event truncates a torn last line;
 * until then the log is unchanged, because another window may be writing it. `seal` is the owner's, for each line. Throws `LogError`.
 */
export async function openRunLog(folder: string, seal?: Seal): Promise<RunLog> {
  const path = join(folder, LOG_FILE);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await ensureRegularFile(await open(path, FLAGS, 0o600));
    return await createLogForFile(file, path, seal);
  } catch (error) {
    throw error instanceof LogError ? error : new LogError(explainLogProblem(error, path), { cause: error });
  }
}

/** Never opens a symbolic link, because a repository may contain one. */
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function createLogForFile(file: FileHandle, path: string, seal: Seal | undefined): Promise<RunLog> {
  try {
    const last = await findLogEnd(file);
    const log = createAppendingLog(wrapLogFile(file), last, path, seal);
    return { ...log, sync: createFolderSync(log, dirname(path), last.end === 0) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The size is read synchronously: that takes microseconds, and every append needs it. */
function wrapLogFile(file: FileHandle): RunLogFile {
  return {
    write: (bytes) => file.write(bytes),
    truncate: (length) => file.truncate(length),
    getSize: () => fstatSync(file.fd).size,
    datasync: () => file.datasync(),
    close: () => file.close(),
  };
}

/** A new file survives a power failure only once its folder's entry is on the disk too. */
function createFolderSync(log: RunLog, folder: string, isNew: boolean): RunLog["sync"] {
  if (!isNew) return log.sync;
  let folderSynced: Promise<void> | undefined;
  return async () => {
    await log.sync();
    folderSynced ??= syncFolder(folder);
    await folderSynced;
  };
}

/** Writes a migrated log in the current schema, so that new events can follow. The old log stays next to it under another name. */
export async function rewriteLog(folder: string, events: readonly AgentEvent[], seal?: Seal): Promise<void> {
  const path = join(folder, LOG_FILE);
  const confirm = () => copyFile(path, join(folder, `run.${Date.now()}.old.jsonl`));
  await replaceFile(path, encodeEventLines(events, seal).join(""), { durable: true, private: true, confirm });
}

function encodeEventLines(events: readonly AgentEvent[], seal: Seal | undefined): readonly string[] {
  let before = "";
  return events.map((event) => {
    const json = JSON.stringify(convertToStoredEvent(event));
    const line = seal ? sealLine(json, before, seal) : json;
    before = readSeal(line);
    return `${line}\n`;
  });
}
