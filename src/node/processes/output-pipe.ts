import { execFile } from "node:child_process";
import { close, constants, open } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/** Handles a piece of output. Reading continues once it's done. */
export type TakeOutput = (bytes: Buffer) => Promise<void>;

/** Reads the output of processes. */
export interface OutputReader {
  /** Resolves when no process can print anymore. */
  readonly ended: Promise<unknown>;
  /** Stops waiting for such processes. */
  close(): void;
}

/** A pipe for a process's output, as the file descriptors of its ends. */
export interface Pipe {
  readonly writeEnd: number;
  readonly readEnd: number;
}

/** Closes one end of a pipe. */
export const closeEnd = promisify(close);
const openEnd = promisify(open);

const BUFFER_BYTES = 64 * 1024;

/** A process that prints more than this within a short time has to wait, so that the editor stays responsive. */
const MOST_BYTES = 1_000_000;
const REST_MS = 20;

/** Creates a pipe that is read into a single buffer; undefined if the system doesn't support that. */
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

/** Opens both ends of a named pipe. The pipe can't end while the write end is open here. */
export async function openPipe(path: string): Promise<Pipe> {
  const readEnd = await openEnd(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = await openEnd(path, constants.O_WRONLY).catch(async (error: unknown) => {
    await closeEnd(readEnd);
    throw error;
  });
  return { readEnd, writeEnd };
}

/** Reads such a pipe to its end into one buffer. Node's own buffers would stay in memory for a long time. */
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

/** Reads a process's streams if there is no such pipe. */
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

/** Drops output that can't be handled; the process continues. */
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
