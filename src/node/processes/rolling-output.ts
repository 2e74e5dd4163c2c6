import { type FileHandle, open, rename } from "node:fs/promises";
import { Queue } from "../../core/base/async.ts";
import { createPrivateFile } from "../files/private-file.ts";
import { RedactedStream } from "./redacted-stream.ts";

/** A file of output that is as long as this becomes the earlier one, and a new one begins. */
const FILE_BYTES = 50 * 1000 * 1000;

const PIECE_BYTES = 4096;

/** A part of an output. */
export interface OutputPart {
  readonly text: string;
  /** Where it begins and ends, in bytes from the beginning of all. */
  readonly from: number;
  readonly to: number;
}

/** What a rolling output is made of, beside its file. */
interface RollingOutputOptions {
  /** Takes secrets out of what is kept. */
  redact?: ((text: string) => string) | undefined;
  /** One for all, so that many take no more memory than one. */
  readonly writer?: OutputWriter;
  readonly fileBytes?: number;
}

/** What a process prints for as long as it runs: in files, of which the latest two are kept, and next to nothing in memory. */
export class RollingOutput {
  private readonly path: string;
  private readonly fileBytes: number;
  private readonly writer: OutputWriter;
  private readonly decoder = new TextDecoder();
  private readonly redacted: RedactedStream;
  private file: FileHandle | undefined;
  private begin = 0;
  private earlierBegin = 0;
  private end = 0;

  constructor(
    path: string,
    { redact = (text) => text, writer = new OutputWriter(), fileBytes }: RollingOutputOptions,
  ) {
    this.path = path;
    this.redacted = new RedactedStream(redact);
    this.writer = writer;
    this.fileBytes = fileBytes ?? FILE_BYTES;
  }

  /** Bytes that were kept in all. */
  get bytes(): number {
    return this.end;
  }

  /** Makes the file. Throws when there can be none. */
  async open(): Promise<void> {
    this.file = await createPrivateFile(this.path);
  }

  add(chunk: Buffer): Promise<void> {
    return this.writer.inTurn(async () => {
      if (this.end - this.begin >= this.fileBytes) await this.roll();
      await this.keep(this.cleaned(chunk));
    });
  }

  /** Nothing is printed any more. It can still be read. */
  async finish(): Promise<void> {
    await this.writer.inTurn(() =>
      this.keep([this.redacted.add(this.decoder.decode()), this.redacted.finish()]),
    );
    await this.file?.close();
    this.file = undefined;
  }

  /** What was printed since `from`, or as much of its end as `most` bytes. A line that has not ended yet is there too. */
  read(from: number, most: number): Promise<OutputPart> {
    return this.writer.inTurn(async () => {
      const to = this.end;
      const start = Math.max(from, to - most, this.earlierBegin);
      const bytes = Buffer.concat([
        await piece(this.earlierPath, start - this.earlierBegin, Math.min(to, this.begin) - start),
        await piece(this.path, Math.max(start, this.begin) - this.begin, to - Math.max(start, this.begin)),
      ]);
      // A cut letter is left out.
      const whole = start > from ? Math.max(0, bytes.findIndex(beginsLetter)) : 0;
      return { text: bytes.toString("utf8", whole) + this.redacted.rest, from: start, to };
    });
  }

  private get earlierPath(): string {
    return this.path.replace(/(\.\w+)?$/, ".earlier$1");
  }

  /** Piece by piece, since little at a time leaves little behind for the garbage collector to carry along. */
  private *cleaned(chunk: Buffer): Iterable<string> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES)
      yield this.redacted.add(this.decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true }));
  }

  private async keep(texts: Iterable<string>): Promise<void> {
    if (this.file) this.end += await this.writer.write(this.file, texts);
  }

  private async roll(): Promise<void> {
    await this.file?.close();
    await rename(this.path, this.earlierPath);
    this.earlierBegin = this.begin;
    this.begin = this.end;
    this.file = await createPrivateFile(this.path);
  }
}

async function piece(path: string, at: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function beginsLetter(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}

const WRITE_BUFFER_BYTES = 64 * 1024;

/** Writes texts for many, one after the other and with one buffer, so that it takes no more memory than for one. */
export class OutputWriter {
  private readonly buffer = Buffer.alloc(WRITE_BUFFER_BYTES);
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
