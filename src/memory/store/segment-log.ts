import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../../disk/error-codes.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { replaceFile, TEMPORARY_SUFFIX } from "../../disk/replace-file.ts";
import { type ConfirmWriting, computeFileStamp, readPlainFile } from "./durable-file.ts";
import { convertToDiskError } from "./memory-error.ts";
import { OLD_LOG_FILE, SEGMENT_LOG_FILE } from "./segment-names.ts";
import { encodeRecord, LOG_MAGIC, type SegmentRecord } from "./segment-records.ts";

/** The file operations that a log needs. */
export interface SegmentLogFile {
  /** Returns the number of bytes that were written. */
  write(bytes: Buffer, position: number): number | Promise<number>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** A write up to this size takes microseconds; an asynchronous write takes a hundred times as long. */
const SMALL_BYTES = 64 * 1024;

async function openLogFile(file: string): Promise<SegmentLogFile> {
  const handle = await fs.open(file, "r+");
  return {
    write: async (bytes, position) =>
      bytes.length <= SMALL_BYTES
        ? writeSync(handle.fd, bytes, 0, bytes.length, position)
        : (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    truncate: (length) => handle.truncate(length),
    datasync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

/**
 * Replaces a log. On Windows, a log that a stopped window has open can't be replaced, but renamed. A crash then leaves it under its other
 * name, under which `settleOldLog` finds it.
 */
export async function replaceLog(file: string, bytes: Buffer, confirm?: ConfirmWriting): Promise<void> {
  const replace = () => replaceFile(file, bytes, { durable: true, private: true, confirm });
  try {
    return await replace();
  } catch (error) {
    if (!hasCode(error, "EBUSY")) throw error;
  }
  await confirm?.();
  await renameFile(file, path.join(path.dirname(file), OLD_LOG_FILE));
  await replace().finally(() => settleOldLog(path.dirname(file)).catch(() => undefined));
}

/** Puts back a log whose replacement was interrupted, or removes one that was replaced. */
export async function settleOldLog(folder: string): Promise<void> {
  const file = path.join(folder, SEGMENT_LOG_FILE);
  const old = path.join(folder, OLD_LOG_FILE);
  if ((await computeFileStamp(old)) === "") return;
  if ((await computeFileStamp(file)) === "") return renameFile(old, file);
  // A file that a stopped window has open keeps its name until it's closed.
  const gone = `${old}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
  await renameFile(old, gone);
  await fs.rm(gone, { force: true }).catch(() => undefined);
}

/** Replaces a log with its first `good` bytes. Returns their number. */
async function renewLog(file: string, good: number, confirm?: ConfirmWriting): Promise<number> {
  await settleOldLog(path.dirname(file));
  const known = good > LOG_MAGIC.length ? (await readPlainFile(file))?.bytes.subarray(0, good) : undefined;
  const bytes = known ?? LOG_MAGIC;
  await replaceLog(file, bytes, confirm);
  return bytes.length;
}

/** Creates a log without waiting for the disk. Returns false if the file exists. */
async function beginLog(file: string): Promise<boolean> {
  try {
    await fs.writeFile(file, LOG_MAGIC, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** A segment's write-ahead log, open for appending, one call at a time. Acknowledged records survive a crash of the program. */
export class SegmentLog {
  private readonly file: SegmentLogFile;
  /** The length of the undamaged log; a crash or a failed write may have left more in the file. */
  private good: number;
  private clean = false;
  private synced = true;

  constructor(file: SegmentLogFile, good: number) {
    this.file = file;
    this.good = good;
  }

  /**
   * Opens a log whose first `good` bytes are undamaged. Links aren't followed. A log that this program hasn't written before is copied to a
   * new file, because its writer may be about to write again.
   */
  static async open(file: string, good: number, isOurs = false, confirm?: ConfirmWriting): Promise<SegmentLog> {
    try {
      if (isOurs && good > 0) return new SegmentLog(await openLogFile(file), good);
      const isNew = good === 0 && (await beginLog(file));
      const length = isNew ? LOG_MAGIC.length : await renewLog(file, good, confirm);
      return new SegmentLog(await openLogFile(file), length);
    } catch (error) {
      throw convertToDiskError(error);
    }
  }

  /** The length of the undamaged log. */
  get end(): number {
    return this.good;
  }

  /** Resolves once the operating system has the records. Throws `MemoryError`; then none of them was written. */
  async append(records: readonly SegmentRecord[]): Promise<void> {
    const bytes = Buffer.concat(records.map(encodeRecord));
    try {
      if (!this.clean) await this.file.truncate(this.good);
      this.clean = false;
      for (let at = 0; at < bytes.length; ) {
        const bytesWritten = await this.file.write(bytes.subarray(at), this.good + at);
        if (bytesWritten === 0) throw Object.assign(new Error("Nothing was written."), { code: "ENOSPC" });
        at += bytesWritten;
      }
    } catch (error) {
      throw convertToDiskError(error);
    }
    this.clean = true;
    this.synced = false;
    this.good += bytes.length;
  }

  /** Resolves once appended records are on the disk. If that fails, the next call tries again. */
  async sync(): Promise<void> {
    if (this.synced) return;
    this.synced = true;
    try {
      await this.file.datasync();
    } catch (error) {
      this.synced = false;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
