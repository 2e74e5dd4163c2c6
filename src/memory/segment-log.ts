import { writeSync } from "node:fs";
import fs from "node:fs/promises";
import { encodeRecord, LOG_MAGIC, type LogRecord } from "./log-record.ts";
import { diskTrouble } from "./trouble.ts";

/** What a log needs of its file. */
export interface LogFile {
  /** How many of the bytes the operating system took. */
  write(bytes: Buffer, position: number): number | Promise<number>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** A write up to this size takes microseconds; to hand it to another thread and back takes a hundred times as long. */
const SMALL_BYTES = 64 * 1024;

async function openLogFile(file: string): Promise<LogFile> {
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

/** A segment's write-ahead log, open for appending, one call at a time. What was acknowledged survives the death of the program. */
export class SegmentLog {
  private readonly file: LogFile;
  /** Up to here the file is good; it may be longer by what a crash or a failed write left. */
  private good: number;
  private clean = false;
  private synced = true;

  constructor(file: LogFile, good: number) {
    this.file = file;
    this.good = good;
  }

  /** Opens a log of which `good` bytes are good. Begins one anew that is missing or has not even its first bytes; a link is not followed. */
  static async open(file: string, good: number): Promise<SegmentLog> {
    try {
      if (good < LOG_MAGIC.length) await beginLog(file);
      return new SegmentLog(await openLogFile(file), Math.max(good, LOG_MAGIC.length));
    } catch (error) {
      throw diskTrouble(error);
    }
  }

  /** The log is good up to here. */
  get end(): number {
    return this.good;
  }

  /** Resolves once the operating system has the records. Throws `MemoryError`; then none of them is there. */
  async append(records: readonly LogRecord[]): Promise<void> {
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
      throw diskTrouble(error);
    }
    this.clean = true;
    this.synced = false;
    this.good += bytes.length;
  }

  /** Resolves once the disk has what was appended. */
  async sync(): Promise<void> {
    if (this.synced) return;
    this.synced = true;
    await this.file.datasync();
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
