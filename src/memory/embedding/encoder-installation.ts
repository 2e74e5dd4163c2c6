import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createInflateRaw } from "node:zlib";
import { getErrorMessage } from "../../core/base/errors.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { syncFolder } from "../../disk/replace-file.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import { isProcessRunning } from "../store/folder-lock.ts";
import { MemoryError } from "../store/memory-error.ts";
import { ENCODER, type EncoderArchive, type EncoderFile, isEncoderInstalled, markInstalled } from "./encoder-files.ts";

/** Options for installing the encoder. */
export interface EncoderInstallation {
  /** A folder of the user on this machine, outside of any workspace. */
  readonly folder: string;
  /** Asks the user, who must agree before anything is downloaded. */
  consent(archives: readonly EncoderArchive[]): Promise<boolean>;
  readonly signal: AbortSignal;
  /** Called while an archive arrives, with the number of its bytes so far. */
  reportProgress?(archive: EncoderArchive, bytes: number): void;
  readonly archives?: readonly EncoderArchive[];
  readonly stallSeconds?: number;
}

/** The download gives up on a server after this time without a byte. */
const STALL_SECONDS = 30;
/** Number of times to try a download. Each try starts where the last one ended. */
const MAX_TRIES = 3;

/**
 * Downloads the encoder unless it's installed; false if the user declines. Throws `MemoryError`; then only the beginning of an interrupted
 * download remains, from which the next one continues. Replaces another encoder in the folder.
 */
export async function installEncoder(installation: EncoderInstallation): Promise<boolean> {
  const { folder, consent, archives = ENCODER, signal } = installation;
  if (await isEncoderInstalled(folder, archives)) return true;
  // An encoder that an earlier version installed here is of no use.
  await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 });
  if (!(await consent(archives))) return false;
  const unfinished = `${folder}.${process.pid}`;
  await fs.rm(unfinished, { recursive: true, force: true });
  await removeAbandoned(folder);
  try {
    await fs.mkdir(unfinished, { recursive: true, mode: 0o700 });
    for (const archive of archives) {
      const file = await downloadArchive(archive, installation);
      for (const one of archive.files) await unpack(one, archive, file, unfinished);
      await fs.rm(file, { force: true });
    }
    await markInstalled(unfinished, archives);
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await renameFile(unfinished, folder);
    await syncFolder(path.dirname(folder));
    return true;
  } catch (error) {
    if (signal.aborted || isDiskFull(error))
      for (const one of archives) await fs.rm(getPartFile(one, folder), { force: true });
    signal.throwIfAborted();
    throw convertToMemoryError(error);
  } finally {
    await fs.rm(unfinished, { recursive: true, force: true });
  }
}

function convertToMemoryError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  const text = isDiskFull(error)
    ? displayText("trouble.encoderDiskFull")
    : displayText("trouble.encoderNotInstalled", { said: explainDownloadError(error) });
  return new MemoryError(text, { cause: error });
}

function isDiskFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT", "EFBIG");
}

/** Errors of `fetch` give the reason in their cause. */
function explainDownloadError(error: unknown): string {
  return error instanceof TypeError && error.cause instanceof Error
    ? error.cause.message || getErrorMessage(error)
    : getErrorMessage(error);
}

/** The bytes of an archive that have arrived, in a file of this process. */
function getPartFile({ sha256 }: EncoderArchive, folder: string): string {
  return `${folder}.${sha256.slice(0, 16)}.${process.pid}.part`;
}

/** Removes the unfinished folders of processes that have ended. */
async function removeAbandoned(folder: string): Promise<void> {
  const [parent, start] = [path.dirname(folder), `${path.basename(folder)}.`];
  for (const name of await fs.readdir(parent).catch(() => [])) {
    const pid = name.startsWith(start) ? name.slice(start.length) : "";
    if (/^\d+$/.test(pid) && !isProcessRunning(Number(pid)))
      await fs.rm(path.join(parent, name), { recursive: true, force: true });
  }
}

/** Takes over the bytes that a process received before it ended. */
async function adopt(part: string): Promise<void> {
  const folder = path.dirname(part);
  const [, start] = /^(.+\.)\d+\.part$/.exec(path.basename(part)) ?? [];
  for (const name of await fs.readdir(folder)) {
    const pid = start && name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isProcessRunning(Number(pid))) await renameFile(path.join(folder, name), part);
  }
}

/** Downloads and checks the file of an archive. */
async function downloadArchive(archive: EncoderArchive, installation: EncoderInstallation): Promise<string> {
  const part = getPartFile(archive, installation.folder);
  await adopt(part);
  for (let tries = 1; (await getFileSize(part)) !== archive.bytes; tries++) {
    try {
      await fetchRest(archive, part, installation);
    } catch (error) {
      installation.signal.throwIfAborted();
      if (tries === MAX_TRIES || error instanceof MemoryError || isDiskFull(error)) throw error;
    }
  }
  const hash = createHash("sha256");
  await pipeline(createReadStream(part), hash);
  if (hash.digest("hex") === archive.sha256) return part;
  await fs.rm(part, { force: true });
  throw new MemoryError(displayText("trouble.wrongChecksum", { one: archive.title }));
}

/** Requests the missing bytes. A server that can't do that sends all of them again. */
async function fetchRest(
  archive: EncoderArchive,
  part: string,
  { signal, reportProgress, stallSeconds = STALL_SECONDS }: EncoderInstallation,
): Promise<void> {
  const arrived = await getFileSize(part);
  const watch = new StallWatch(stallSeconds);
  try {
    const answer = await fetch(archive.url, {
      headers: arrived > 0 ? { range: `bytes=${arrived}-` } : {},
      signal: AbortSignal.any([signal, watch.signal]),
    });
    if (answer.status === 416) await fs.rm(part, { force: true });
    if (!answer.ok || !answer.body) throw createDownloadRefusal(archive, answer.status);
    const goesOn = answer.headers.get("content-range")?.startsWith(`bytes ${arrived}-`) === true;
    const first = goesOn ? arrived : 0;
    const flags = goesOn ? "a" : "w";
    await pipeline(
      watch.limitBody(answer.body, archive.bytes - first, (left) => reportProgress?.(archive, archive.bytes - left)),
      createWriteStream(part, { flags, mode: 0o600 }),
    );
  } finally {
    watch.end();
  }
}

/** An overloaded server may answer next time; a server without the file won't. */
function createDownloadRefusal({ url }: EncoderArchive, status: number): Error {
  const text = displayText("actions.encoder.failed", { host: new URL(url).host, status: String(status) });
  return status >= 400 && status < 500 && status !== 416 ? new MemoryError(text) : new DisplayError(text);
}

/** Gives up on a server that sends nothing for too long, or a wrong number of bytes. */
class StallWatch {
  private readonly stalled = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(seconds: number) {
    this.timer = setTimeout(() => this.stalled.abort(new Error("The server sends nothing.")), seconds * 1000);
  }

  get signal(): AbortSignal {
    return this.stalled.signal;
  }

  async *limitBody(
    body: AsyncIterable<Uint8Array>,
    most: number,
    arrived: (left: number) => void,
  ): AsyncGenerator<Uint8Array> {
    let left = most;
    for await (const chunk of body) {
      this.timer.refresh();
      left -= chunk.length;
      if (left < 0) throw new Error("The server sends more than it should.");
      arrived(left);
      yield chunk;
    }
    if (left > 0) throw new Error("The server sends less than it should.");
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

async function getFileSize(file: string): Promise<number> {
  try {
    return (await fs.stat(file)).size;
  } catch {
    return 0;
  }
}

/** Extracts a file from an archive. */
async function unpack(
  { name, sha256, bytes, start, end, at }: EncoderFile,
  { title, compression }: EncoderArchive,
  archive: string,
  folder: string,
): Promise<void> {
  const range = start === undefined || end === undefined ? {} : { start, end: end - 1 };
  const hash = createHash("sha256");
  await pipeline(
    createReadStream(archive, range),
    compression === "gzip" ? createGunzip() : createInflateRaw(),
    (source: AsyncIterable<Buffer>) => streamSection(source, at, at + bytes, hash),
    createWriteStream(path.join(folder, name)),
  );
  if (hash.digest("hex") !== sha256)
    throw new MemoryError(displayText("trouble.wrongChecksum", { one: `${title} (${name})` }));
}

/** Streams the bytes between two positions. Reads all bytes, because ending early would count as a failure. */
async function* streamSection(
  source: AsyncIterable<Buffer>,
  from: number,
  to: number,
  hash: Hash,
): AsyncGenerator<Buffer> {
  let place = 0;
  for await (const chunk of source) {
    const wanted = chunk.subarray(Math.max(0, from - place), Math.max(0, to - place));
    place += chunk.length;
    hash.update(wanted);
    if (wanted.length > 0) yield wanted;
  }
}
