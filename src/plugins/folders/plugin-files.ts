import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeyedQueue } from "../../core/base/async.ts";
import { tryJson } from "../../core/base/json.ts";
import { cutText, escapeForApproval } from "../../core/base/text.ts";
import { openFile } from "../../disk/plain-file.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { fail } from "../../texts/display-text.ts";

/** A plugin's file with the content that was read. */
interface PluginFile {
  /** Relative to the plugin's folder, with slashes. */
  readonly path: string;
  /** Its permissions; 0 if the system has none. */
  readonly mode: number;
  readonly bytes: Buffer;
}

/** All files of a plugin. */
export interface FolderContent {
  readonly files: readonly PluginFile[];
  /** SHA-256 over their names, permissions and contents. */
  readonly hash: string;
}

const MOST_FILES = 2000;
const MOST_BYTES = 50_000_000;
/** Useless for a plugin, and changing often. */
const LEFT_OUT = new Set([".git", ".DS_Store"]);

/** Reads all files of a plugin. Throws a sentence for links and special files, and for too many or too large ones. */
export async function readPlugin(folder: string): Promise<FolderContent> {
  const files: PluginFile[] = [];
  const left = { files: MOST_FILES, bytes: MOST_BYTES };
  await readInto(files, folder, "", left);
  const hash = createHash("sha256");
  for (const { path, mode, bytes } of files)
    hash.update(`${JSON.stringify(path)} ${mode.toString(8)} ${bytes.length} ${sha256(bytes)}\n`);
  return { files, hash: hash.digest("hex") };
}

async function readInto(
  files: PluginFile[],
  folder: string,
  below: string,
  left: { files: number; bytes: number },
): Promise<void> {
  const entries = (await readdir(join(folder, below), { withFileTypes: true })).filter(
    ({ name }) => !LEFT_OUT.has(name),
  );
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (--left.files < 0) fail("plugins.folder.tooMany", { count: MOST_FILES });
    if (entry.isDirectory()) await readInto(files, folder, path, left);
    else files.push(await readFile(folder, path, entry, left));
  }
}

async function readFile(folder: string, path: string, entry: Dirent, left: { bytes: number }): Promise<PluginFile> {
  if (!entry.isFile()) fail("plugins.folder.link", { path });
  await using file = await openFile(join(folder, path));
  const { size, mode } = await file.stat();
  // A file may grow while it's read.
  const bytes = size > left.bytes ? undefined : Buffer.alloc(size + 1);
  const { bytesRead } = bytes ? await file.read(bytes, 0, size + 1, 0) : { bytesRead: size + 1 };
  if (!bytes || bytesRead > size) fail("plugins.folder.tooLarge", { megabytes: MOST_BYTES / 1e6 });
  left.bytes -= bytesRead;
  return {
    path,
    mode: process.platform === "win32" ? 0 : mode & 0o777,
    bytes: bytes.subarray(0, bytesRead),
  };
}

const MOST_OF_MANIFEST = 1_000;

/** The list of a plugin's files for the user's consent, shown below its manifest. */
export function formatPluginFiles({ files }: FolderContent): string {
  const lines = files.map(
    ({ path, bytes }) => `${JSON.stringify(path).slice(1, -1)}  ${bytes.length} B  ${sha256(bytes).slice(0, 12)}`,
  );
  const manifest = tryJson(files.find(({ path }) => path === "plugin.json")?.bytes.toString("utf8") ?? "");
  // On one line, so that nothing in it looks like a file, or pushes them out of view.
  const text = cutText(JSON.stringify(manifest) ?? "", MOST_OF_MANIFEST);
  return escapeForApproval([...(text === "" ? [] : [`plugin.json: ${text}`, ""]), ...lines].join("\n"));
}

/** Copies of plugins in the user's storage, named by hash, so that a plugin can't be swapped after the user's consent. */
export class PluginCopies {
  private readonly folder: string;
  private readonly turns = new KeyedQueue();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The path of the copy for a hash. */
  getCopyPath(hash: string): string {
    return join(this.folder, hash);
  }

  /** The folder with exactly the files of this hash, which is verified now. Missing or changed files are copied from `origin`. */
  async ensureCopy(hash: string, origin: string): Promise<string> {
    const copy = this.getCopyPath(hash);
    // Plugins with the same files share a copy, which one of them must not make again while another starts from it.
    await this.turns.run(hash, () => this.make(hash, copy, origin));
    return copy;
  }

  private async make(hash: string, copy: string, origin: string): Promise<void> {
    if (await hasHash(copy, hash)) return;
    const now = await readPlugin(origin);
    if (now.hash !== hash) throw new Error("its files have changed since you allowed it");
    const made = `${copy}.${process.pid}.${Date.now()}`;
    try {
      await writeCopy(made, now);
      if (!(await hasHash(made, hash))) throw new Error("its copy isn't what was written");
      await rm(copy, { recursive: true, force: true, maxRetries: 3 });
      await renameFile(made, copy);
    } catch (error) {
      // Another window may have made it in the meantime.
      if (!(await hasHash(copy, hash))) throw error;
    } finally {
      await rm(made, { recursive: true, force: true });
    }
    await this.removeOld(hash);
  }

  /** Removes old copies. A removed copy that is still used is created again. */
  private async removeOld(hash: string): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const { mtimeMs } = await lstat(path);
      if (name !== hash && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

async function hasHash(folder: string, hash: string): Promise<boolean> {
  const files = await readPlugin(folder).catch(() => undefined);
  return files?.hash === hash;
}

async function writeCopy(folder: string, { files }: FolderContent): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { path, mode, bytes } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, bytes, { flag: "wx", mode: 0o600 });
    if (mode !== 0) await chmod(target, mode);
  }
}
