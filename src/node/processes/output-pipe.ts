import { execFile } from "node:child_process";
import { close, constants, open } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/** Takes a piece of output. Nothing more is read until it's done. */
export type TakeOutput = (bytes: Buffer) => Promise<void>;

/** Reads the output of processes. */
export interface OutputReader {
  /** Resolves when no process can print any more. */
  readonly ended: Promise<unknown>;
  /** Stops waiting for such processes. */
  close(): void;
}

/** A pipe that a process prints into, by the file descriptors of its ends. */
export interface Pipe {
  readonly writeEnd: number;
  readonly readEnd: number;
}

/** Closes one end of a pipe. */
export const closeEnd = promisify(close);
const openEnd = promisify(open);

const BUFFER_BYTES = 64 * 1024;

/** A process that prints more than this in a while has to wait, so that the editor stays responsive. */
const MOST_BYTES = 1_000_000;
const REST_MS = 20;

/** A pipe that is read into a single buffer; undefined if the system has none. */
export async function createPipe(): Promise<Pipe | undefined> {
  if (process.platform === "win32") return undefined;
  const folder = await mkdtemp(join(tmpdir(), "autogpt-pipe-"));
  try {
    const path = join(folder, "pipe");
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    return await openPipe(path);
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Opens both ends of a pipe that has a name. It can't end while our write end is open. */
export async function openPipe(path: string): Promise<Pipe> {
  const readEnd = await openEnd(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = await openEnd(path, constants.O_WRONLY).catch(async (error: unknown) => {
    await closeEnd(readEnd);
    throw error;
  });
  return { readEnd, writeEnd };
}

/** Reads such a pipe to its end with one buffer. Node's own buffers would stay in memory for long. */
export function readPipe({ readEnd }: Pipe, take: TakeOutput): OutputReader {
  const taking = throttleOutput(take);
  const onread = {
    buffer: Buffer.alloc(BUFFER_BYTES),
    callback(count: number, buffer: Uint8Array): boolean {
      const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, count);
      void taking(bytes).finally(() => socket.resume());
      return false;
    },
  };
  const socket = new Socket({ fd: readEnd, readable: true, writable: false, onread });
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined);
  socket.resume();
  return { ended, close: () => socket.destroy() };
}

/** Reads the streams of a process without such a pipe. */
export function readStreams(streams: readonly Readable[], take: TakeOutput): OutputReader {
  const taking = throttleOutput(take);
  const ended = Promise.all(
    streams.map(async (stream) => {
      try {
        for await (const chunk of stream) await taking(chunk);
      } catch {
        // The stream was closed because its last holder was given up.
      }
    }),
  );
  return {
    ended,
    close: () => {
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Drops output that can't be taken; the process continues. */
function throttleOutput(take: TakeOutput): TakeOutput {
  let sinceRest = 0;
  return async (bytes) => {
    sinceRest += bytes.length;
    await take(bytes).catch(() => undefined);
    if (sinceRest < MOST_BYTES) return;
    sinceRest = 0;
    await wait(REST_MS);
  };
}
