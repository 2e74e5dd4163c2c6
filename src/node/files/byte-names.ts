import { isUtf8 } from "node:buffer";
import { type Dirent, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";

const NAMES = { withFileTypes: true, encoding: "buffer" } as const;

/** An entry of a folder. */
export interface FolderEntry extends Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink"> {
  readonly name: string;
}

/** The entries of a folder, with names as `decodeName` gives them. */
export async function readEntries(folder: string): Promise<readonly FolderEntry[]> {
  const path = toDiskPath(folder);
  const entries = typeof path === "string" ? await readdir(path, { withFileTypes: true }) : undefined;
  return entries?.every(isText) ? entries : (await readdir(path, NAMES)).map(toEntry);
}

/** Like `readEntries`, but synchronous. */
export function readEntriesSync(folder: string): readonly FolderEntry[] {
  const path = toDiskPath(folder);
  const entries = typeof path === "string" ? readdirSync(path, { withFileTypes: true }) : undefined;
  return entries?.every(isText) ? entries : readdirSync(path, NAMES).map(toEntry);
}

/** False for a name that couldn't be decoded completely. Reading bytes costs more, and is rarely needed. */
function isText({ name }: Dirent): boolean {
  return !name.includes("\ufffd");
}

function toEntry(entry: Dirent<Buffer>): FolderEntry {
  return Object.assign(entry, { name: decodeName(entry.name) });
}

/** Decodes a name from the disk or git. Each byte that isn't UTF-8 becomes a lone surrogate, as in Python's "surrogateescape". */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((one) => at + one <= bytes.length && isUtf8(bytes.subarray(at, at + one)));
    text += length ? bytes.toString("utf8", at, at + length) : String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += length ?? 1;
  }
  return text;
}

/** Converts a path with such names to the form that the functions of `fs` need. */
export function toDiskPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  const parts = path.split(ESCAPED).map((part, at) => {
    return at % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) - 0xdc00]);
  });
  return Buffer.concat(parts);
}

/** The bytes of a decoded name. */
export function encodeName(name: string): Buffer {
  return Buffer.from(toDiskPath(name));
}

/** The name for people, distinct for distinct bytes. */
export function escapeName(name: string): string {
  return name.replace(ESCAPED, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`);
}

/** In Unicode mode, halves of pairs don't match. */
const ESCAPED = /([\udc80-\udcff])/gu;
