import { type FileHandle, open } from "node:fs/promises";
import { Queue } from "../../core/base/async.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { createPrivateFile } from "../files/private-file.ts";
import { RedactedStream } from "./redacted-stream.ts";

/** A new output file starts at this size; the previous file is kept. */
const FILE_BYTES = 50 * 1000 * 1000;

const PIECE_BYTES = 4096;

/** A part of an output. */
export interface OutputPart {
  readonly text: string;
  /** Its start and end, in bytes from the beginning of the whole output. */
  readonly from: number;
  readonly to: number;
}

/** Options of a rolling output. */
interface RollingOutputOptions {
  /** Removes secrets before writing. */
  redact?: ((text: string) => string) | undefined;
  /** Shared, so that many outputs need no more memory than one. */
  readonly writer?: OutputWriter;
  readonly fileBytes?: number;
}

/** The output of a long-running process: the latest two files on the disk, and almost nothing in memory. */
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

  constructor(path: string, { redact = (text) => text, writer = new OutputWriter(), fileBytes }: RollingOutputOptions) {
    this.path = path;
    this.redacted = new RedactedStream(redact);
    this.writer = writer;
    this.fileBytes = fileBytes ?? FILE_BYTES;
  }

  /** Total bytes written. */
  get bytes(): number {
    return this.end;
  }

  /** Creates the file. Throws if that fails. */
  async open(): Promise<void> {
    this.file = await createPrivateFile(this.path);
  }

  add(chunk: Buffer): Promise<void> {
    return this.writer.runInTurn(async () => {
      if (this.end - this.begin >= this.fileBytes) await this.roll();
      await this.keep(this.cleanChunk(chunk));
    });
  }

  /** Ends the output. It can still be read. */
  async finish(): Promise<void> {
    await this.writer.runInTurn(() => this.keep([this.redacted.add(this.decoder.decode()), this.redacted.finish()]));
    await this.file?.close();
    this.file = undefined;
  }

  /** The output since `from`, or at most its last `most` bytes, including an unfinished line. */
  read(from: number, most: number): Promise<OutputPart> {
    return this.writer.runInTurn(async () => {
      const to = this.end;
      const start = Math.max(from, to - most, this.earlierBegin);
      const bytes = Buffer.concat([
        await readPiece(this.earlierPath, start - this.earlierBegin, Math.min(to, this.begin) - start),
        await readPiece(this.path, Math.max(start, this.begin) - this.begin, to - Math.max(start, this.begin)),
      ]);
      // Leaves out a cut character.
      const whole = start > from ? Math.max(0, bytes.findIndex(isLetterStart)) : 0;
      return { text: bytes.toString("utf8", whole) + this.redacted.rest, from: start, to };
    });
  }

  private get earlierPath(): string {
    return this.path.replace(/(\.\w+)?$/, ".earlier$1");
  }

  /** Cleans the output in small pieces, which create less garbage. */
  private *cleanChunk(chunk: Buffer): Iterable<string> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES)
      yield this.redacted.add(this.decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true }));
  }

  private async keep(texts: Iterable<string>): Promise<void> {
    if (this.file) this.end += await this.writer.write(this.file, texts);
  }

  private async roll(): Promise<void> {
    await this.file?.close();
    await renameFile(this.path, this.earlierPath);
    this.earlierBegin = this.begin;
    this.begin = this.end;
    this.file = await createPrivateFile(this.path);
  }
}

async function readPiece(path: string, at: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

function isLetterStart(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}

const WRITE_BUFFER_BYTES = 64 * 1024;

/** Writes texts for many outputs, one after the other, with a single buffer. */
export class OutputWriter {
  private readonly buffer = Buffer.alloc(WRITE_BUFFER_BYTES);
  private filled = 0;
  private readonly turns = new Queue();

  /** Runs an operation after all earlier ones. */
  runInTurn<T>(act: () => Promise<T>): Promise<T> {
    return this.turns.add(act);
  }

  /** Appends texts to a file and returns their length in bytes. Call this only within `runInTurn`. */
  async write(file: FileHandle, texts: Iterable<string>): Promise<number> {
    let bytes = 0;
    for (const text of texts) {
      for (let at = 0; at < text.length; ) {
        // A character has at most three bytes, and surrogate pairs stay whole.
        const room = Math.floor((this.buffer.length - this.filled) / 3);
        if (room < 2) bytes += await this.flush(file);
        const end = room < 2 ? at : findWholeEnd(text, at + room);
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

function findWholeEnd(text: string, end: number): number {
  const isTorn = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isTorn ? end - 1 : end;
}
