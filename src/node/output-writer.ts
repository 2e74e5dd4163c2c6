import type { FileHandle } from "node:fs/promises";
import { Queue } from "../core/base/async.ts";

const BUFFER_BYTES = 64 * 1024;

/** Writes texts for many, one after the other and with one buffer, so that it takes no more memory than for one. */
export class OutputWriter {
  private readonly buffer = Buffer.alloc(BUFFER_BYTES);
  private filled = 0;
  private readonly turns = new Queue();

  /** Does something when all before it is done. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    return this.turns.add(act);
  }

  /** Writes texts at the end of a file, and returns their length in bytes. Only in turn. */
  async write(file: FileHandle, texts: Iterable<string>): Promise<number> {
    let bytes = 0;
    for (const text of texts) {
      for (let at = 0; at < text.length; ) {
        // A character has three bytes at most, and pairs are not torn apart.
        const room = Math.floor((this.buffer.length - this.filled) / 3);
        if (room < 2) bytes += await this.flush(file);
        const end = room < 2 ? at : wholeEnd(text, at + room);
        this.filled += this.buffer.write(text.slice(at, end), this.filled);
        at = end;
      }
    }
    return bytes + (await this.flush(file));
  }

  private async flush(file: FileHandle): Promise<number> {
    const { filled } = this;
    this.filled = 0;
    if (filled > 0) await file.write(this.buffer, 0, filled);
    return filled;
  }
}

function wholeEnd(text: string, end: number): number {
  const isTorn = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isTorn ? end - 1 : end;
}
