import { constants, lstatSync, type Stats } from "node:fs";
import { chmod, copyFile, cp, lstat, mkdir, readlink, stat, symlink, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { hasCode, ignoreCodes } from "../../disk/error-codes.ts";
import { openFile } from "../../disk/plain-file.ts";
import { readEntries, toDiskPath } from "../../node/files/byte-names.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import type { CopiedPaths } from "../../schema/stored-files.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import type { CopyMeter } from "./copied-tree.ts";
import type { Copy } from "./copy.ts";
import { listCopyChanges } from "./copy-changes.ts";
import { type CopyRecordParts, KEPT, readRecord, readRows } from "./copy-record.ts";

/**
 * Copies a folder with everything in it, links unchanged, and times. Leaves out devices, pipes, sockets and paths for which `isLeftOut` is
 * true. Programs may change `from` meanwhile: if they swap a folder for a link, the copying fails and the link isn't followed.
 */
export async function copyWholeFolder(
  from: string,
  to: string,
  meter: CopyMeter,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<void> {
  await mkdir(toDiskPath(to), { mode: 0o700 });
  const found = await runInFolder(from, async (at) => {
    const folders: string[] = [];
    for (const { name } of await readEntries(at("."))) {
      await meter.pauseIfBusy();
      if (isLeftOut(join(from, name))) continue;
      const stats = await lstat(toDiskPath(at(name))).catch(ignoreMissingFile);
      if (stats?.isDirectory()) folders.push(name);
      if (stats?.isSymbolicLink())
        await readlink(toDiskPath(at(name)), "buffer").then(
          (target) => symlink(target, toDiskPath(join(to, name))),
          ignoreMissingFile,
        );
      if (stats?.isFile())
        await copyOneFile(toDiskPath(at(name)), toDiskPath(join(to, name)), meter).catch(ignoreMissingFile);
    }
    return { folders, stats: await stat(at(".")) };
  }).catch(ignoreMissingFile);
  if (!found) return;
  for (const name of found.folders) await copyWholeFolder(join(from, name), join(to, name), meter, isLeftOut);
  await restoreModeAndTimes(toDiskPath(to), found.stats);
}

/** A run's programs may delete files meanwhile. */
const ignoreMissingFile = ignoreCodes("ENOENT");

async function copyOneFile(from: string | Buffer, to: string | Buffer, meter: CopyMeter): Promise<void> {
  await using file = await openFile(from);
  const stats = await file.stat();
  meter.add(stats.size);
  const source = process.platform === "linux" ? `/proc/self/fd/${file.fd}` : from;
  await copyFile(source, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await restoreModeAndTimes(to, stats);
}

async function restoreModeAndTimes(path: string | Buffer, { mode, atimeMs, mtimeMs }: Stats): Promise<void> {
  await utimes(path, atimeMs / 1000, mtimeMs / 1000);
  await chmod(path, mode & 0o7777);
}

/** The error to display if a copy couldn't be made. */
export function createCopyError(error: unknown): DisplayError {
  if (error instanceof DisplayError) return error;
  if (hasCode(error, "ENOSPC", "EDQUOT")) return new DisplayError(displayText("isolation.copy.diskFull"));
  if (hasCode(error, "EEXIST", "ENOTEMPTY")) return new DisplayError(displayText("isolation.copy.exists"));
  const why = getErrorMessage(error).replace(/\.$/, "");
  return new DisplayError(displayText("isolation.copy.failed", { why }), { cause: error });
}

/** Copies another run's copy in its current state. Its changes stay changes, since both copies have the same base. */
export async function forkCopyInto(
  making: string,
  run: string,
  from: Copy,
  { meter, signal }: { readonly meter: CopyMeter; readonly signal: AbortSignal },
): Promise<CopyRecordParts> {
  const { madeMs: _madeMs, ...record } = await readRecord(from.home);
  const changes = await listCopyChanges(from, signal);
  const borrowed = new Set(from.borrowed.map(({ path }) => path));
  const isInside = (path: string): boolean => [...borrowed].some((folder) => path.startsWith(join(folder, "/")));
  for (const [at, folder] of from.visible.entries()) {
    const to = join(making, record.visible[at] ?? basename(folder));
    await mkdir(dirname(to), { recursive: true });
    await copyWholeFolder(folder, to, meter, isInside);
  }
  await cp(join(from.home, KEPT), join(making, KEPT), { recursive: true }).catch(ignoreCodes("ENOENT"));
  const suspects = new Set(changes.map(({ folder, file }) => join(folder.path, file)));
  const rows = (await readRows(from.home)).map((row): CopiedPaths => {
    const inode = lstatSync(toDiskPath(join(making, row.place)), { throwIfNoEntry: false })?.ino ?? 0;
    const paths = row.paths.map((path) =>
      suspects.has(join(from.home, row.place, path.name)) ? { ...path, suspect: true as const } : path,
    );
    return { ...row, inode, paths };
  });
  return { record: { ...record, run }, rows };
}
