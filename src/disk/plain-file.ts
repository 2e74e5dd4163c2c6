import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Maximum size of a file that is read whole. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Default maximum size of a text that is read as a whole. */
const MOST_TEXT_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Opens a regular file for reading, without following a link in its last name. Rejects pipes, devices and folders without waiting. */
export async function openFile(path: string | Buffer): Promise<FileHandle> {
  if (O_NOFOLLOW === 0 && (await lstat(path)).isSymbolicLink()) throw createLinkError();
  return ensureRegularFile(await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
}

/** The same, but a link may lead to the file. A device isn't even opened, because opening some has side effects. */
export async function openLinkedFile(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile()) throw createNotRegularError();
  return ensureRegularFile(await open(path, O_RDONLY | O_NONBLOCK));
}

/** Reads an open file. Rejects a file with more than `most` bytes, regardless of its reported size. */
export async function readBounded(file: FileHandle, most = MOST_BYTES): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > most) throw createTooLargeError();
  const pieces: Buffer[] = [];
  // Files of /proc claim to be empty.
  for (let left = most + 1, room = size + 1; left > 0; room = PIECE_BYTES) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(room, left)));
    if (bytesRead === 0) return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    pieces.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  throw createTooLargeError();
}

/** Reads the bytes of a regular file, without following a link in its last name. */
export async function readFileBytes(path: string, most?: number): Promise<Buffer> {
  const file = await openFile(path);
  return readBounded(file, most).finally(() => file.close());
}

/** Reads the text of a regular file, without following a link in its last name. */
export async function readFileText(path: string, most = MOST_TEXT_BYTES): Promise<string> {
  return (await readFileBytes(path, most)).toString("utf8");
}

/** Like `readFileBytes`, but a link may lead to the file. */
export async function readLinkedBytes(path: string, most?: number): Promise<Buffer> {
  const file = await openLinkedFile(path);
  return readBounded(file, most).finally(() => file.close());
}

/** Like `readFileText`, but a link may lead to the file. */
export async function readLinkedText(path: string, most = MOST_TEXT_BYTES): Promise<string> {
  return (await readLinkedBytes(path, most)).toString("utf8");
}

/** `readFileText` without a promise. */
export function readFileTextSync(path: string): string {
  const file = openFileSync(path);
  try {
    if (fstatSync(file).size > MOST_TEXT_BYTES) throw createTooLargeError();
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** `openFile` without a promise; the caller must close the file. */
export function openFileSync(path: string): number {
  if (O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw createLinkError();
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw createNotRegularError();
}

/** Returns a regular file; closes and rejects any other. */
export async function ensureRegularFile(file: FileHandle): Promise<FileHandle> {
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw createNotRegularError();
}

function createLinkError(): Error {
  return Object.assign(new Error("A symbolic link."), { code: "ELOOP" });
}

function createNotRegularError(): Error {
  return Object.assign(new Error("Not a regular file."), { code: "EISDIR" });
}

function createTooLargeError(): Error {
  return Object.assign(new Error("The file is too large."), { code: "EFBIG" });
}
