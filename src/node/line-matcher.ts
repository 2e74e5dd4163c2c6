import { Worker } from "node:worker_threads";
import { WorkspaceError } from "../core/ports.ts";

/** A line that matches; `column` from 0. */
export interface LineMatch {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Finds the matching lines of texts. `undefined`: it took too long and was ended; there will be no more. */
export interface LineMatcher {
  match(text: string): Promise<readonly LineMatch[] | undefined>;
  close(): Promise<void>;
}

/** The lines of a text in which a pattern is found. Also runs in a worker, so it stands on its own. */
function matchingLines(text: string, source: string, flags: string, longestLine: number): LineMatch[] {
  const pattern = new RegExp(source, flags);
  const found: LineMatch[] = [];
  let line = 1;
  for (let start = 0; start <= text.length; line++) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    const content = text.slice(start, Math.min(end, start + longestLine));
    const column = content.search(pattern);
    if (column !== -1) found.push({ line, column, text: content });
    start = end + 1;
  }
  return found;
}

/** Of a longer line only the beginning is looked at. */
const LONGEST_LINE = 100_000;

/** All searching with one regular expression together may take so long. */
const REGEX_SECONDS = 3;

/** Matches a text as it stands; without capitals it matches capitals too. */
export function textMatcher(text: string): LineMatcher {
  const source = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const flags = text === text.toLowerCase() ? "iu" : "u";
  return {
    match: async (content) => matchingLines(content, source, flags, LONGEST_LINE),
    close: async () => undefined,
  };
}

/** Matches a regular expression on a thread of its own, which is ended when the expression takes too long. */
export function regexMatcher(source: string, signal: AbortSignal, seconds = REGEX_SECONDS): LineMatcher {
  const flags = flagsFor(source);
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
     const matchingLines = ${matchingLines.toString()};
     parentPort.on("message", (text) => parentPort.postMessage(matchingLines(text, ${JSON.stringify(source)}, ${JSON.stringify(flags)}, ${LONGEST_LINE})));`,
    { eval: true },
  );
  worker.unref();
  let left = seconds * 1000;
  return {
    async match(text) {
      if (left <= 0) return undefined;
      const since = performance.now();
      const found = await answer(worker, text, left, signal);
      signal.throwIfAborted();
      left = found === undefined ? 0 : left - (performance.now() - since);
      return found;
    },
    close: async () => void (await worker.terminate()),
  };
}

/** The worker's answer to a text, or undefined once it is no longer waited for. */
async function answer(
  worker: Worker,
  text: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<LineMatch[] | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<LineMatch[] | undefined>();
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(giveUp, withinMs);
  signal.addEventListener("abort", giveUp);
  worker.once("message", resolve).once("error", reject).ref();
  try {
    worker.postMessage(text);
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    worker.removeAllListeners("message").removeAllListeners("error").unref();
  }
}

/** Unicode where the expression allows it. Throws a `WorkspaceError` when it is none. */
function flagsFor(source: string): string {
  for (const flags of ["u", ""]) {
    try {
      new RegExp(source, flags);
      return flags;
    } catch {}
  }
  throw new WorkspaceError(
    `${JSON.stringify(source)} is not a regular expression. Correct it, or search for it as text by leaving "regex" out.`,
  );
}
