import { execFile } from "node:child_process";
import { close, constants, open } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/** Takes what was printed; nothing more is read before it is done. */
export type TakeOutput = (bytes: Buffer) => Promise<void>;

/** What processes print, being read. */
export interface OutputReader {
  /** Resolves when nobody can print any more. */
  readonly ended: Promise<unknown>;
  /** Does not wait for those who could. */
  close(): void;
}

/** A pipe into which a process can print, by the numbers of its ends. */
export interface Pipe {
  readonly writeEnd: number;
  readonly readEnd: number;
}

/** Lets go of one end of a pipe. */
export const closeEnd = promisify(close);
const openEnd = promisify(open);

const BUFFER_BYTES = 64 * 1024;

/** Who prints more than so much in a while has to wait, so that the editor does not. */
const MOST_BYTES = 1_000_000;
const REST_MS = 20;

/** A pipe of our own, which can be read into one and the same buffer; undefined where the system has none. */
export async function createPipe(): Promise<Pipe | undefined> {
  if (process.platform === "win32") return undefined;
  const folder = await mkdtemp(join(tmpdir(), "autogpt-pipe-"));
  try {
    const path = join(folder, "pipe");
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    const readEnd = await openEnd(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = await openEnd(path, constants.O_WRONLY).catch(async (error: unknown) => {
      await closeEnd(readEnd);
      throw error;
    });
    return { readEnd, writeEnd };
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads such a pipe to its end with one buffer, since all that Node would make otherwise lies about for long. */
export function readPipe({ readEnd }: Pipe, take: TakeOutput): OutputReader {
  const taking = unhurried(take);
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

/** Reads the streams of a process that has no such pipe. */
export function readStreams(streams: readonly Readable[], take: TakeOutput): OutputReader {
  const taking = unhurried(take);
  const ended = Promise.all(
    streams.map(async (stream) => {
      try {
        for await (const chunk of stream) await taking(chunk);
      } catch {
        // The stream was closed under us because its last holder was given up on.
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

/** What cannot be taken is let go; the process goes on. */
function unhurried(take: TakeOutput): TakeOutput {
  let sinceRest = 0;
  return async (bytes) => {
    sinceRest += bytes.length;
    await take(bytes).catch(() => undefined);
    if (sinceRest < MOST_BYTES) return;
    sinceRest = 0;
    await wait(REST_MS);
  };
}
