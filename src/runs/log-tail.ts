/** What is needed of a file to look for its last complete line. */
export interface Readable {
  stat(): Promise<{ readonly size: number }>;
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

const CHUNK = 64 * 1024;
const NEWLINE = 10;

/** How much of a file is good. */
export interface LogEnd {
  /** Its length up to and with its last line end; what follows is a line that was never finished. */
  readonly end: number;
  readonly size: number;
}

/** Looks for the last complete line. */
export async function endOfLines(file: Readable): Promise<LogEnd> {
  const { size } = await file.stat();
  return { end: await endUpTo(file, size), size };
}

async function endUpTo(file: Readable, size: number): Promise<number> {
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
