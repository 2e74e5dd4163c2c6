import { randomBytes } from "node:crypto";
import { chmod, constants, copyFile, lstat, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFile, readFileBytes } from "../../disk/plain-file.ts";
import { renameFile, retryWhileOpen } from "../../disk/rename-file.ts";
import { hashFile, sha256 } from "../../disk/sha256.ts";
import { readRegularStamp } from "../../disk/stamp.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { findFolderProblem } from "../store/run-folder.ts";

/** A kept content of a file. */
interface PreImage {
  /** SHA-256 of the content, in lowercase hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
  /** The file's permission bits. */
  readonly mode: number;
}

/** The contents of files before the agent changed them, each kept once. */
export interface PreImages {
  /** Whether content with this hash is kept, rather than only a file with that name. */
  has(hash: string): Promise<boolean>;
  /** Keeps the current content of a file. Throws a sentence if there's no space for it. */
  keep(path: string): Promise<PreImage>;
  /** Keeps an earlier content of a file from another source. Throws a sentence if there's no space for it. */
  keepBytes(bytes: Buffer, mode: number): Promise<PreImage>;
  /** The kept content. Throws a sentence if it's gone. */
  read(hash: string): Promise<Buffer>;
  /** The file with the kept content. Throws a sentence if it's gone. */
  getKeptPath(hash: string): Promise<string>;
  /** Restores the kept content at a path without a file. Throws if there is one. */
  restore(image: PreImage, path: string): Promise<void>;
}

/** The limit for all pre-images of a run together. */
const MAX_BYTES = 500 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** The pre-images in a run's folder. */
export function createPreImages(runFolder: string, maxBytes = MAX_BYTES): PreImages {
  const folder = join(runFolder, "pre-images");
  const room = createSpaceBudget(folder, maxBytes);
  const getFilePath = (hash: string): string => {
    if (!HASH.test(hash)) throw new Error(`"${hash}" isn't a kept file.`);
    return join(folder, hash);
  };
  const whole = createWholeFiles(maxBytes);
  const has = async (hash: string): Promise<boolean> =>
    (await findFolderProblem(folder)) === undefined && whole.has(getFilePath(hash), hash);
  /** Keeps a file of this size that `write` creates. `of` names it for people. */
  const keepNew = async (size: number, of: string, write: (temporary: string) => Promise<void>) => {
    const problem = await findFolderProblem(folder);
    if (problem !== undefined) throw Object.assign(new DisplayError(problem), { code: "ENOTDIR" });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `.${randomBytes(6).toString("hex")}`);
    await room.take(size, of);
    let isNew = false;
    try {
      await write(temporary);
      const found = await hashFile(temporary);
      isNew = !(await has(found.hash));
      if (!isNew) return found;
      await whole.put(temporary, getFilePath(found.hash), found.hash);
      return found;
    } finally {
      if (!isNew) room.giveBack(size);
      await rm(temporary, { force: true });
    }
  };
  return {
    has,
    async keep(path) {
      await using file = await openFile(path);
      const { size, mode } = await file.stat();
      const kept = await keepNew(size, path, async (temporary) => {
        const source = process.platform === "linux" ? `/proc/self/fd/${file.fd}` : path;
        await copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(temporary, 0o600);
      });
      return { ...kept, mode: mode & 0o777 };
    },
    async keepBytes(bytes, mode) {
      const write = (temporary: string) => writeFile(temporary, bytes, { flag: "wx", mode: 0o600 });
      return { ...(await keepNew(bytes.length, "the file", write)), mode };
    },
    async read(hash) {
      const bytes = (await has(hash)) && (await readFileBytes(getFilePath(hash)).catch(() => undefined));
      return bytes && sha256(bytes) === hash ? bytes : fail("trouble.keptContentGone");
    },
    getKeptPath: async (hash) => ((await has(hash)) ? getFilePath(hash) : fail("trouble.keptContentGone")),
    async restore(image, path) {
      if (!(await has(image.hash))) fail("trouble.keptContentGone");
      await copyFile(getFilePath(image.hash), path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await chmod(path, image.mode);
    },
  };
}

/** Knows the kept files whose content matches their name, because others can put files into a run's folder. */
function createWholeFiles(maxBytes: number) {
  const known = new Map<string, string>();
  return {
    async has(path: string, hash: string): Promise<boolean> {
      const seen = await readRegularStamp(path, maxBytes);
      if (seen === undefined || known.get(hash) === seen) return seen !== undefined;
      const found = await hashFile(path).catch(() => undefined);
      if (found?.hash !== hash) return false;
      known.set(hash, seen);
      return true;
    },
    /** Moves a file to its place, even if something else is there. */
    async put(temporary: string, path: string, hash: string): Promise<void> {
      if ((await lstat(path).catch(() => undefined))?.isDirectory()) await rm(path, { recursive: true });
      await renameFile(temporary, path);
      known.set(hash, (await readRegularStamp(path, maxBytes)) ?? "");
    },
  };
}

/**
 * The space for a run's pre-images. The folder is measured only once, because measuring it for each file would get slower with every file.
 */
function createSpaceBudget(folder: string, maxBytes: number) {
  let before: Promise<number> | undefined;
  let taken = 0;
  return {
    async take(bytes: number, path: string): Promise<void> {
      before ??= measureFolder(folder);
      if ((await before) + taken + bytes > maxBytes)
        throw new Error(
          `There's no space to keep ${path} for undo: a run keeps at most ${maxBytes} bytes. Copy it elsewhere first.`,
        );
      taken += bytes;
    },
    giveBack(bytes: number): void {
      taken -= bytes;
    },
  };
}

async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map((name) => measureFile(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns zero for a temporary file that has just been renamed. */
async function measureFile(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Deletes a file after its content was kept with the run, and returns a sentence on how to restore it. */
export async function deleteWithBackup(path: string, kept: PreImages): Promise<string> {
  // Another program may write to the file while it has it open.
  await retryWhileOpen(path, async () => {
    await kept.keep(path);
    await rm(path);
  });
  return "Its content is kept with the run, so it can be undone.";
}
