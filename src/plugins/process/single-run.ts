import { once } from "node:events";
import type { Readable } from "node:stream";
import { type ChildStart, startChild } from "./plugin-child.ts";

/** The most bytes to keep of each output. A program that prints more is ended. */
const MOST_OUTPUT_BYTES = 1_000_000;

/** How a single run of a program ended. */
export interface SingleRun {
  /** Absent if a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Its output exceeded the limit, so it was ended. */
  readonly isTooLong: boolean;
}

/**
 * Runs a program once with an input. None of its processes is left when this resolves. An abort kills it and throws the signal's reason. A
 * program that never reads its input doesn't block anything.
 */
export async function runOnce(start: ChildStart, input: string, signal: AbortSignal): Promise<SingleRun> {
  signal.throwIfAborted();
  const child = await startChild(start);
  const stop = (): void => void child.end();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let isTooLong = false;
  const stopTooLongOutput = (): void => {
    isTooLong = true;
    void child.end();
  };
  try {
    const [stdout, stderr] = [
      collectOutput(child.stdout, stopTooLongOutput),
      collectOutput(child.stderr, stopTooLongOutput),
    ];
    child.channel.resume();
    child.stdin.end(input);
    const { code } = await child.exited;
    const printed = { stdout: await stdout, stderr: await stderr };
    signal.throwIfAborted();
    return { code, ...printed, isTooLong };
  } finally {
    signal.removeEventListener("abort", stop);
    await child.end();
  }
}

async function collectOutput(stream: Readable, tooLong: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    if (bytes > MOST_OUTPUT_BYTES) return;
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MOST_OUTPUT_BYTES) tooLong();
  });
  await once(stream, "close");
  return Buffer.concat(chunks).toString("utf8", 0, MOST_OUTPUT_BYTES);
}
