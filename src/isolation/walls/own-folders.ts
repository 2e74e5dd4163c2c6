import { lstat, mkdtemp, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import type { ShellResult } from "../../core/ports/programs.ts";
import { isBelow } from "../../disk/below.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import { CopyMeter } from "../copy/copied-tree.ts";
import type { BorrowedFolder, Copy } from "../copy/copy.ts";
import { RECORD, readRecord } from "../copy/copy-record.ts";
import { copyWholeFolder, createCopyError } from "../copy/fork-copy.ts";
import { removeTree } from "../copy/remove-copy.ts";

/** Programs that install dependencies, with the names of the folders that they write to. */
const INSTALLERS: readonly (readonly [program: RegExp, folders: RegExp])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, /^(?:node_modules|\.yarn|\.pnpm-store)$/],
  [/\b(?:pip3?|uv|poetry|pipenv|pdm)\b/, /^(?:\.venv|venv)$/],
  [/\b(?:cargo|rustc)\b/, /^target$/],
  [/\b(?:composer|bundle|go)\b/, /^vendor$/],
];

/** Installers' subcommands that only read. */
const READS_ONLY =
  /\b(?:npm|pnpm|yarn|bun) (?:test|t|run|ls|list|view|why|outdated|exec)\b|\bpip3? (?:list|show|freeze)\b/;

/** Output of a program that couldn't write. */
const READ_ONLY = /read-only file system|EROFS/i;

/** The borrowed folders that a command line will likely write to, judging by its words. */
export function findFoldersToOwn(commandLine: string, borrowed: readonly BorrowedFolder[]): readonly BorrowedFolder[] {
  if (READS_ONLY.test(commandLine)) return [];
  return borrowed.filter(({ path }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return INSTALLERS.some(([program, folders]) => program.test(commandLine) && folders.test(name));
  });
}

/** Gives the run its own folders where programs have no writable layers. Returns sentences for the model about failures. */
export async function replaceBorrowedFolders(
  copy: Copy,
  folders: readonly BorrowedFolder[],
  options: { readonly quotaBytes: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const borrowed of folders) {
    // Where there are no mounts, a link is in its place. The next line gets it back if this fails.
    await removeLink(borrowed.path)
      .then(() => replaceBorrowedFolder(copy, borrowed, { ...options, reportProgress: () => undefined }))
      .catch((error: unknown) => {
        options.signal.throwIfAborted();
        notes.push(`${getBorrowedName(copy, borrowed)} stays read-only: ${getErrorMessage(error)}`);
      });
  }
  return notes;
}

/** Removes a link. Doesn't follow links above it, which the run may have created. */
async function removeLink(path: string): Promise<void> {
  await runInFolder(dirname(path), async (at) => {
    const stats = await lstat(at(basename(path))).catch(() => undefined);
    if (stats?.isSymbolicLink()) await unlink(at(basename(path)));
  });
}

/** Makes a borrowed folder writable after a line failed because it's read-only. Returns sentences for the model. */
export async function replaceFoldersAfterFailure(
  copy: Copy,
  { ended, code, output }: ShellResult,
  options: { readonly quotaBytes: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  if (ended !== "exit" || code === 0 || !READ_ONLY.test(output)) return [];
  const named = copy.borrowed.filter((one) => output.includes(getBorrowedName(copy, one)));
  const failed = await replaceBorrowedFolders(copy, named, options);
  const owned = named.filter((one) => !copy.borrowed.includes(one)).map((one) => getBorrowedName(copy, one));
  return owned.length === 0
    ? failed
    : [...failed, `${owned.join(", ")} can be written now. Run the line again if it needs that.`];
}

function getBorrowedName({ folders }: Copy, { path }: BorrowedFolder): string {
  const folder = folders.find((one) => isBelow(path, one.path));
  return folder ? relative(folder.path, path) : path;
}

interface OwnFolderOptions {
  readonly quotaBytes: number;
  readonly signal: AbortSignal;
  /** Called with the number of files that were copied so far. */
  reportProgress(files: number): void;
}

/**
 * Replaces a borrowed folder by a writable copy of it, and removes the folder from `copy.borrowed`. Throws a sentence if that fails, and
 * leaves the folder borrowed.
 */
export async function replaceBorrowedFolder(
  copy: Copy,
  borrowed: BorrowedFolder,
  { quotaBytes, signal, reportProgress }: OwnFolderOptions,
): Promise<void> {
  const temporary = await mkdtemp(join(copy.home, ".own-"));
  try {
    const made = join(temporary, "folder");
    await copyWholeFolder(borrowed.origin, made, new CopyMeter(quotaBytes, signal, reportProgress));
    // Programs of the run can put links in its way. None is followed.
    await runInFolder(dirname(borrowed.path), (at) => rename(made, at(basename(borrowed.path))));
    await takeOut(copy, borrowed);
  } catch (error) {
    throw signal.aborted ? signal.reason : createCopyError(error);
  } finally {
    await removeTree(temporary);
  }
}

async function takeOut(copy: Copy, { path }: BorrowedFolder): Promise<void> {
  const record = await readRecord(copy.home);
  const isTaken = ({ place }: { readonly place: string }): boolean => join(copy.home, place) === path;
  const owned = record.borrowed.filter(isTaken).map(({ place }) => place);
  const changed = {
    ...record,
    borrowed: record.borrowed.filter((one) => !isTaken(one)),
    owned: [...(record.owned ?? []), ...owned],
  };
  await replaceFile(join(copy.home, RECORD), JSON.stringify(changed), { private: true });
  const at = copy.borrowed.findIndex((one) => one.path === path);
  if (at !== -1) copy.borrowed.splice(at, 1);
}
