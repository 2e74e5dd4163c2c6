import type { Writable } from "node:stream";

/** Lines for the reader of the program's output. No line is split or lost at the end. */
export interface Output {
  writeLine(text: string): void;
  /** Resolves once all lines are written, or the reader has closed the output. */
  waitUntilFlushed(): Promise<void>;
}

/** Output to a stream, which may be a pipe. Calls `closed` once when the reader closes it. */
export function createOutput(stream: Writable, closed: () => void): Output {
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    closed();
  };
  stream.on("error", close);
  stream.on("close", close);
  return {
    writeLine(text) {
      if (isClosed) return;
      last = new Promise((resolve) => {
        stream.write(`${text}\n`, () => resolve());
      });
    },
    waitUntilFlushed: () => last,
  };
}
