import { lstat, readdir } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import type { UnzipFileInfo } from "fflate";
import { readFileBytes } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";

/** A plugin's files by path, with slashes. */
export type PluginFiles = ReadonlyMap<string, Uint8Array>;

const MOST_FILES = 5_000;
const MOST_BYTES = 50_000_000;

/** Folders that aren't a part of a plugin, so they are neither shown nor copied, and nothing in them can run. */
const LEFT_OUT = /^(?:__pycache__|\.git|\.venv|venv|__MACOSX)$/;

/** Reads all files of a folder. Throws a sentence if one is a link or a special file. `null` leaves nothing out. */
export async function readPluginFolder(root: string, leftOut: RegExp | null = LEFT_OUT): Promise<PluginFiles> {
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  const read = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const name = posix.join(folder, entry.name);
      if (leftOut?.test(entry.name)) continue;
      if (entry.isDirectory()) await read(name);
      else {
        if (!entry.isFile()) throw new DisplayError(displayText("plugins.noPlainFile", { file: name }));
        bytes += (await lstat(join(root, name))).size;
        checkSize(files.size, bytes);
        files.set(name, await readFileBytes(join(root, name)));
      }
    }
  };
  await read("");
  return files;
}

/** Reads all files of a zip. Throws a sentence if one leads outside, is a link, or is damaged. */
export async function readPluginZip(bytes: Uint8Array): Promise<PluginFiles> {
  const entries = zipEntries(bytes);
  for (const { name, isLink } of entries) {
    if (isOutsideFolder(name)) throw new DisplayError(displayText("plugins.zipLeadsOut", { file: name }));
    if (isLink) throw new DisplayError(displayText("plugins.noPlainFile", { file: name }));
  }
  let count = 0;
  let total = 0;
  const contents = await unpackZip(bytes, ({ name, originalSize }) => {
    total += originalSize;
    checkSize(count++, total);
    return !name.endsWith("/") && !name.split("/").some((part) => LEFT_OUT.test(part));
  });
  const files = Object.entries(contents).sort(([one], [other]) => (one < other ? -1 : 1));
  if (files.some(([name]) => isOutsideFolder(name))) throw createDamagedError();
  return new Map(files.map(([name, content]) => [posix.normalize(name), content]));
}

async function unpackZip(
  bytes: Uint8Array,
  filter: (file: UnzipFileInfo) => boolean,
): Promise<Readonly<Record<string, Uint8Array>>> {
  const { unzipSync } = await import("fflate");
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof DisplayError ? error : createDamagedError();
  }
}

function createDamagedError(): DisplayError {
  return new DisplayError(displayText("plugins.zipDamaged"));
}

function checkSize(files: number, bytes: number): void {
  if (files < MOST_FILES && bytes <= MOST_BYTES) return;
  throw new DisplayError(displayText("plugins.tooLarge", { files: MOST_FILES, megabytes: MOST_BYTES / 1e6 }));
}

/** True for a name that leads outside the zip's target folder on any system. */
function isOutsideFolder(name: string): boolean {
  return name === "" || /^[/\\]|^[a-z]:|\0|\\/i.test(name) || name.split("/").includes("..");
}

interface ZipEntry {
  readonly name: string;
  readonly isLink: boolean;
}

const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const LINK_MODE = 0o120000;

/** The entries in a zip's directory, which also identifies links. See APPNOTE.TXT 4.3.12 and 4.3.16. */
function zipEntries(bytes: Uint8Array): readonly ZipEntry[] {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || data.length < end + 22 || data.readUInt32LE(end) !== DIRECTORY_END) throw createDamagedError();
  const entries: ZipEntry[] = [];
  let at = data.readUInt32LE(end + 16);
  for (let left = data.readUInt16LE(end + 10); left > 0; left--) {
    if (data.length < at + 46 || data.readUInt32LE(at) !== DIRECTORY_ENTRY) throw createDamagedError();
    const length = data.readUInt16LE(at + 28);
    const mode = data.readUInt32LE(at + 38) >>> 16;
    const name = data.toString("utf8", at + 46, at + 46 + length);
    entries.push({ name, isLink: (mode & 0o170000) === LINK_MODE });
    at += 46 + length + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return entries;
}

/** SHA-256 over all files and their names. */
export function hashFiles(files: PluginFiles): string {
  return sha256(JSON.stringify([...files].map(([name, content]) => [name, sha256(content)])));
}

/** The package folders among the files that hold a classic plugin, recognized by a method that every classic plugin has. */
export function findClassicPackages(files: PluginFiles): readonly string[] {
  const folders = [...files.keys()].filter((name) => basename(name) === "__init__.py").map(posix.dirname);
  return folders.filter(
    (folder) =>
      basename(folder) !== "auto_gpt_plugin_template" &&
      [...files].some(
        ([name, content]) =>
          posix.dirname(name) === folder &&
          name.endsWith(".py") &&
          Buffer.from(content).includes("can_handle_post_prompt"),
      ),
  );
}
