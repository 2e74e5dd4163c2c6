import { writeSync } from "node:fs";
import fs from "node:fs/promises";
import { diskError } from "./memory-error.ts";
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

async function beginLog(file: string): Promise<void> {
  await fs.rm(file, { force: true });
  await fs.writeFile(file, LOG_MAGIC, { flag: "wx", mode: 0o600 });
}

/** A segment's write-ahead log, open for appending, one call at a time. Acknowledged records survive the death of the program. */
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

  /** Opens a log whose first `good` bytes are undamaged. Creates it if it is missing or has no header; links aren't followed. */
  static async open(file: string, good: number): Promise<SegmentLog> {
    try {
      if (good < LOG_MAGIC.length) await beginLog(file);
      return new SegmentLog(await openLogFile(file), Math.max(good, LOG_MAGIC.length));
    } catch (error) {
      throw diskError(error);
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
      throw diskError(error);
    }
    this.clean = true;
    this.synced = false;
    this.good += bytes.length;
  }

  /** Resolves once appended records are on the disk. */
  async sync(): Promise<void> {
    if (this.synced) return;
    this.synced = true;
    await this.file.datasync();
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
