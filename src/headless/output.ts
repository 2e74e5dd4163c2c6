import type { Writable } from "node:stream";

/** Lines for whoever reads the program's output; none is written by halves or lost at the end. */
export interface Output {
  writeLine(text: string): void;
  /** Resolves once all lines are out, or the other end is closed. */
  waitUntilFlushed(): Promise<void>;
}

/** Output over a stream, which may be a pipe. `closed` is called once when it is closed at the other end. */
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
