import fs from "node:fs/promises";
import { writeDurably } from "./durable-file.ts";
import { encodeRecord, LOG_MAGIC, type LogRecord } from "./log-record.ts";
import { diskTrouble } from "./trouble.ts";

/** What a log needs of its file. */
export interface LogFile {
  write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
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

  /** Opens a log of which `good` bytes are good. Creates one that is missing or has not even its first bytes. */
  static async open(file: string, good: number): Promise<SegmentLog> {
    try {
      if (good < LOG_MAGIC.length) await writeDurably(file, LOG_MAGIC);
      return new SegmentLog(await fs.open(file, "r+"), Math.max(good, LOG_MAGIC.length));
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
        const { bytesWritten } = await this.file.write(bytes, at, bytes.length - at, this.good + at);
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
