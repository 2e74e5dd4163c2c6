import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";

/** Lines typed by a person. */
export interface Terminal {
  /** The next line after a prompt; undefined once nobody can answer any more. An abort throws the signal's reason. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  say(text: string): void;
  close(): void;
}

/** A terminal over two streams. Line editing stays with the terminal itself, and so does Ctrl-C. */
export function terminal(input: Readable, output: Writable): Terminal {
  const lines = createInterface({ input, output, terminal: false });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  return {
    async ask(prompt, signal) {
      signal.throwIfAborted();
      if (closed.signal.aborted) return undefined;
      try {
        return await lines.question(prompt, { signal: AbortSignal.any([signal, closed.signal]) });
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    },
    say: (text) => void output.write(`${text}\n`),
    close: () => lines.close(),
  };
}
