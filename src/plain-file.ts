import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Opens a regular file for reading, through no link in its last name. A pipe, a device or a folder is refused at once, so nothing waits for one. */
export async function openFile(path: string | Buffer): Promise<FileHandle> {
  if (O_NOFOLLOW === 0 && (await lstat(path)).isSymbolicLink()) throw aLink();
  return regular(await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
}

/** The same where a link may lead to the file. */
export async function openLinkedFile(path: string): Promise<FileHandle> {
  return regular(await open(path, O_RDONLY | O_NONBLOCK));
}

/** The bytes of a regular file, read through no link in its last name. */
export async function fileBytes(path: string): Promise<Buffer> {
  const file = await openFile(path);
  return file.readFile().finally(() => file.close());
}

/** The text of a regular file, read through no link in its last name. */
export async function fileText(path: string): Promise<string> {
  return (await fileBytes(path)).toString("utf8");
}

/** The same without a promise. */
export function fileTextSync(path: string): string {
  const file = openFileSync(path);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** `openFile` without a promise; the caller closes what it gets. */
export function openFileSync(path: string): number {
  if (O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw aLink();
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw notRegular();
}

/** The file, closed and refused unless it is a regular one. */
export async function regular(file: FileHandle): Promise<FileHandle> {
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notRegular();
}

function aLink(): Error {
  return Object.assign(new Error("A symbolic link."), { code: "ELOOP" });
}

function notRegular(): Error {
  return Object.assign(new Error("Not a regular file."), { code: "EISDIR" });
}
