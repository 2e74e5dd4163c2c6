import fs from "node:fs/promises";
import path from "node:path";
import { hasCode, ignoreCodes } from "../../disk/error-codes.ts";
import { openFile } from "../../disk/plain-file.ts";
import { computeFileStamp, statStamp } from "../store/durable-file.ts";
import { isNoteName, MAX_NOTE_BYTES, type NoteFile } from "./note-file.ts";

/** Limits on the notes of a folder. Names are read from the newest to the oldest. */
const MAX_NAMES = 20_000;
export const MAX_NOTES = 2_000;
const MAX_ALL_BYTES = 8 * 1024 * 1024;

/** A file of a note. */
export interface ListedNote {
  readonly name: string;
  /** A text that changes whenever the file does. */
  readonly stamp: string;
}

/** The notes of a folder. */
export interface NoteList {
  readonly notes: readonly ListedNote[];
  /** Files that can't be notes: links, folders and large files. */
  readonly refused: readonly string[];
  /** The folder has more notes than the limit. */
  readonly cut: boolean;
}

/** Lists the notes in a folder by name, last names first. Neither `folder` nor its parent may be a link. */
export async function listNotes(folder: string): Promise<NoteList> {
  const { names, cut } = await listNoteNames(folder);
  const notes: ListedNote[] = [];
  const refused: string[] = [];
  let bytes = 0;
  for (const name of names) {
    const stats = await fs.lstat(path.join(folder, name)).catch(() => undefined);
    if (!stats) continue;
    if (!stats.isFile() || stats.size > MAX_NOTE_BYTES) refused.push(name);
    else if (notes.length === MAX_NOTES || bytes + stats.size > MAX_ALL_BYTES) return { notes, refused, cut: true };
    else {
      bytes += stats.size;
      notes.push({ name, stamp: statStamp(stats) });
    }
  }
  return { notes, refused, cut };
}

async function listNoteNames(folder: string): Promise<{ readonly names: readonly string[]; readonly cut: boolean }> {
  const names: string[] = [];
  if (!(await isPlainFolder(folder))) return { names, cut: false };
  let seen = 0;
  for await (const { name } of await fs.opendir(folder)) {
    if (++seen > MAX_NAMES) break;
    if (isNoteName(name)) names.push(name);
  }
  return { names: names.sort().toReversed(), cut: seen > MAX_NAMES };
}

/** Reads a note's file without following links. Undefined if the file is gone or has become too large. */
export async function readNoteBytes(folder: string, name: string): Promise<Uint8Array | undefined> {
  await using file = await openFile(path.join(folder, name)).catch(() => undefined);
  if (!file) return undefined;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_NOTE_BYTES + 1), 0);
  return bytesRead > MAX_NOTE_BYTES ? undefined : buffer.subarray(0, bytesRead);
}

/** A text that changes when files are added to the folder or removed; edits in place may not change it. */
export function computeFolderStamp(folder: string): Promise<string> {
  return computeFileStamp(folder).catch(() => "");
}

/** Writes the file of a new note. Throws the disk's error; `ENOTDIR` if one of the folders is a link. */
export async function writeNote(folder: string, { name, contents }: NoteFile): Promise<string> {
  for (const each of [path.dirname(folder), folder]) await makePlainFolder(each);
  const file = path.join(folder, name);
  await fs.writeFile(file, contents, { flag: "wx" }).catch(async (error: unknown) => {
    // On a full disk, an empty file would stay, and be committed.
    if (!hasCode(error, "EEXIST")) await fs.rm(file, { force: true });
    throw error;
  });
  return file;
}

async function makePlainFolder(folder: string): Promise<void> {
  await fs.mkdir(folder).catch(ignoreCodes("EEXIST"));
  if (!(await fs.lstat(folder)).isDirectory())
    throw Object.assign(new Error(`${folder} is a link.`), { code: "ENOTDIR" });
}

/** Returns false if the folder is missing, or if it or its parent is a link: a repository must not lead elsewhere. */
async function isPlainFolder(folder: string): Promise<boolean> {
  try {
    const [own, around] = await Promise.all([fs.lstat(folder), fs.lstat(path.dirname(folder))]);
    return own.isDirectory() && around.isDirectory();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}
