import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Limit on a file that is read whole. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Limit on a text that is read whole, unless its reader names another. */
const MOST_TEXT_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Opens a regular file for reading, through no link in its last name. A pipe, a device or a folder is refused at once, so nothing waits for one. */
export async function openFile(path: string | Buffer): Promise<FileHandle> {
  if (O_NOFOLLOW === 0 && (await lstat(path)).isSymbolicLink()) throw createLinkError();
  return ensureRegularFile(await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
}

/** The same where a link may lead to the file. A device isn't even opened, because some do something when they are. */
export async function openLinkedFile(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile()) throw createNotRegularError();
  return ensureRegularFile(await open(path, O_RDONLY | O_NONBLOCK));
}

/** The bytes of an open file. One that has more than `most`, whatever size it claims, is refused. */
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

/** The bytes of a regular file, read through no link in its last name. */
export async function readFileBytes(path: string, most?: number): Promise<Buffer> {
  const file = await openFile(path);
  return readBounded(file, most).finally(() => file.close());
}

/** The text of a regular file, read through no link in its last name. */
export async function readFileText(path: string, most = MOST_TEXT_BYTES): Promise<string> {
  return (await readFileBytes(path, most)).toString("utf8");
}

/** `fileBytes` where a link may lead to the file. */
export async function readLinkedBytes(path: string, most?: number): Promise<Buffer> {
  const file = await openLinkedFile(path);
  return readBounded(file, most).finally(() => file.close());
}

/** `fileText` where a link may lead to the file. */
export async function readLinkedText(path: string, most = MOST_TEXT_BYTES): Promise<string> {
  return (await readLinkedBytes(path, most)).toString("utf8");
}

/** `fileText` without a promise. */
export function readFileTextSync(path: string): string {
  const file = openFileSync(path);
  try {
    if (fstatSync(file).size > MOST_TEXT_BYTES) throw createTooLargeError();
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** `openFile` without a promise; the caller closes what it gets. */
export function openFileSync(path: string): number {
  if (O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw createLinkError();
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw createNotRegularError();
}

/** The file, closed and refused unless it is a regular one. */
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
