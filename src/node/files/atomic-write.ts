import { createHash, randomBytes } from "node:crypto";
import { type BigIntStats, constants, lstatSync, renameSync, unlinkSync } from "node:fs";
import { chmod, link, lstat, mkdir, open, readdir, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { hasCode, ignoreCodes } from "../../disk/error-codes.ts";
import { openFile } from "../../disk/plain-file.ts";
import { renameFile, retryWhileOpen } from "../../disk/rename-file.ts";
import { hashFile, sha256 } from "../../disk/sha256.ts";
import { fail } from "../../texts/display-text.ts";
import { hasSameStats, type Snapshot, snapshot } from "./file-version.ts";
import { type PathInFolder, runInFolder } from "./held-folder.ts";
import { readLinkTarget } from "./real-path.ts";

/** Permissions of new files, before the user's umask. */
const NEW_FILE_MODE = 0o666;

/**
 * Replaces a file's content atomically, so that readers see all of the old or all of the new. Throws `StaleFileError`
 * and changes nothing unless the file is still at `version` (`""`: missing).
 */
export async function writeAtomically(
  at: PathInFolder,
  name: string,
  version: string,
  bytes: Buffer | AsyncIterable<Buffer>,
): Promise<void> {
  const target = at(name);
  const before = version === "" ? undefined : await checkUnchanged(target, version);
  const temporary = at(`.${name.slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeTemporary(temporary, bytes, before);
    if (before) await retryWhileOpen(target, () => replace(temporary, target, before));
    else await putNew(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Moves a file, never over another one. The new name may be another case of the old one. */
export async function moveWithoutOverwriting(from: string, to: string): Promise<void> {
  const takeBack = async (error: unknown): Promise<never> => {
    if (!hasCode(error, "ENOENT")) await rm(to, { force: true }).catch(() => undefined);
    throw error;
  };
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, "EEXIST") && (await isOtherCase(from, to))) return renameFile(from, to);
    if (!isLinkUnsupported(error)) throw error;
    await (await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)).close();
    return renameFile(from, to).catch(takeBack);
  }
  const linked = await lstat(to, { bigint: true });
  await retryWhileOpen(from, async () => {
    if (!isSameFile(await lstat(from, { bigint: true }), linked)) throw createStaleReadError();
    await unlink(from);
  }).catch(takeBack);
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** True if a file is found under a name only because the system ignores case. Two files can be links to the same content. */
async function isOtherCase(path: string, other: string): Promise<boolean> {
  const names = await readdir(dirname(other));
  if (names.includes(basename(other))) return false;
  const [one, two] = await Promise.all([path, other].map((name) => lstat(name, { bigint: true })));
  return one !== undefined && two !== undefined && isSameFile(one, two);
}

async function checkUnchanged(target: string, version: string): Promise<BigIntStats> {
  const now = await snapshot(target).catch((error: unknown) => {
    throw hasCode(error, "ENOENT", "ELOOP", "EISDIR") ? createStaleReadError() : error;
  });
  if (now.version !== version) throw createStaleReadError();
  return now.stats;
}

/** Writes a temporary file to the disk that replaces another file later, with that file's mode and owner. */
async function writeTemporary(
  path: string,
  bytes: Buffer | AsyncIterable<Buffer>,
  before: BigIntStats | undefined,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  await using file = await open(path, flags, before ? 0o600 : NEW_FILE_MODE);
  await file.writeFile(bytes);
  if (before) {
    await file.chown(Number(before.uid), Number(before.gid)).catch(() => undefined);
    await file.chmod(Number(before.mode) & 0o7777);
  }
  await file.sync();
}

/** Replaces a file. The last check and the rename are synchronous, so that no other program's change in between is lost. */
function replace(temporary: string, target: string, before: BigIntStats): void {
  const now = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  if (!now || !hasSameStats(now, before)) throw createStaleReadError();
  renameSync(temporary, target);
}

/** Puts a new file in place with a link, which requires a free name. So a file that appeared meanwhile isn't lost. */
async function putNew(temporary: string, target: string): Promise<void> {
  await moveWithoutOverwriting(temporary, target).catch((error: unknown) => {
    throw hasCode(error, "EEXIST") ? createStaleReadError() : error;
  });
}

function isLinkUnsupported(error: unknown): boolean {
  return hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES");
}

function createStaleReadError(): StaleFileError {
  return new StaleFileError(
    "The file was changed by another program in the meantime, so nothing was written. Look at it again.",
  );
}

/** File changes for undo. A file in an unexpected state isn't changed, and `StaleFileError` is thrown. */
export interface FileReplacer {
  /** `expected`: SHA-256 of the current content; undefined for none. Creates missing folders. */
  put(path: string, expected: string | undefined, bytes: Buffer, mode?: number): Promise<void>;
  /** Like `put`, with the content of another file of any size. */
  putFile(
    path: string,
    expected: string | undefined,
    from: { readonly path: string; readonly hash: string },
    mode: number,
  ): Promise<void>;
  remove(path: string, expected: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Removes a folder if it's empty. */
  removeFolder(path: string): Promise<void>;
  /** Creates a symbolic link if the path is free. */
  makeLink(path: string, to: string): Promise<void>;
  /** Removes a symbolic link if it has this target. */
  removeLink(path: string, to: string): Promise<void>;
}

/** File changes on this machine. */
export function createFileReplacer(): FileReplacer {
  return {
    put,
    async putFile(path, expected, from, mode) {
      const file = await openFile(from.path);
      const content = hashChecked(file.createReadStream({ autoClose: false }), from.hash);
      await put(path, expected, content, mode).finally(() => file.close());
    },
    remove: (path, expected) =>
      runInFolder(dirname(path), async (at) => {
        const target = at(basename(path));
        const { stats } = await readExpectedFile(target, expected);
        await retryWhileOpen(target, () => {
          const now = lstatSync(target, { bigint: true, throwIfNoEntry: false });
          if (!now || !hasSameStats(now, stats)) throw createStaleStepError();
          unlinkSync(target);
        });
      }),
    makeFolder: async (path) => void (await mkdir(path, { recursive: true })),
    removeFolder: (path) => rmdir(path).catch(ignoreCodes("ENOTEMPTY", "EEXIST", "ENOENT")),
    makeLink: (path, to) =>
      runInFolder(dirname(path), (at) =>
        symlink(to, at(basename(path))).catch((error: unknown) => {
          throw hasCode(error, "EEXIST") ? createStaleStepError() : error;
        }),
      ),
    removeLink: (path, to) =>
      runInFolder(dirname(path), async (at) => {
        const target = at(basename(path));
        if ((await readLinkTarget(target)) !== to) throw createStaleStepError();
        unlinkSync(target);
      }),
  };
}

/** Yields content of any size. Throws at the end, before anything is replaced with it, if its SHA-256 differs. */
async function* hashChecked(content: AsyncIterable<Buffer>, hash: string): AsyncIterable<Buffer> {
  const digest = createHash("sha256");
  for await (const chunk of content) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest("hex") !== hash) fail("trouble.keptContentGone");
}

async function put(
  path: string,
  expected: string | undefined,
  bytes: Buffer | AsyncIterable<Buffer>,
  mode?: number,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await runInFolder(dirname(path), async (at) => {
    const name = basename(path);
    const version = expected === undefined ? "" : (await readExpectedFile(at(name), expected)).version;
    await writeAtomically(at, name, version, bytes);
    if (mode !== undefined) await chmod(at(name), mode);
  });
}

async function readExpectedFile(path: string, expected: string): Promise<Snapshot> {
  const file = await snapshot(path).catch((error: unknown) => {
    throw hasCode(error, "ENOENT", "ELOOP", "EISDIR") ? createStaleStepError() : error;
  });
  const hash = file.bytes ? sha256(file.bytes) : (await hashFile(path)).hash;
  if (hash !== expected) throw createStaleStepError();
  return file;
}

function createStaleStepError(): StaleFileError {
  return new StaleFileError("The file was changed in the meantime, so it was left unchanged.");
}
