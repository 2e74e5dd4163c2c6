import { constants, lstatSync } from "node:fs";
import { cp, lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorMessage } from "../../core/base/errors.ts";
import { hasCode } from "../../node/files/file-errors.ts";
import type { CopiedPaths } from "../../schema/stored-files.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import type { CopyMeter } from "./copied-tree.ts";
import type { Copy } from "./copy.ts";
import { copyChanges } from "./copy-changes.ts";
import { type CopyRecordParts, KEPT, readRecord, readRows } from "./copy-record.ts";

/**
 * Copies a folder with everything in it, links as they are written, and times. Devices, pipes and sockets are left out,
 * and so are paths that `isLeftOut` names.
 */
export async function copyWholeFolder(
  from: string,
  to: string,
  meter: CopyMeter,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
    force: false,
    mode: constants.COPYFILE_FICLONE,
    filter: async (path) => {
      if (isLeftOut(path)) return false;
      const stats = await lstat(path);
      if (stats.isFile()) meter.add(stats.size);
      await meter.rest();
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    },
  });
}

/** The error for people about a copy that couldn't be made. */
export function copyProblem(error: unknown): DisplayError {
  if (error instanceof DisplayError) return error;
  if (hasCode(error, "ENOSPC", "EDQUOT")) return new DisplayError(displayText("isolation.copy.diskFull"));
  if (hasCode(error, "EEXIST", "ENOTEMPTY")) return new DisplayError(displayText("isolation.copy.exists"));
  const why = errorMessage(error).replace(/\.$/, "");
  return new DisplayError(displayText("isolation.copy.failed", { why }), { cause: error });
}

/** Copies another run's copy as it is now. Its changes stay changes, since both are compared with the same beginning. */
export async function forkedInto(
  making: string,
  run: string,
  from: Copy,
  { meter, signal }: { readonly meter: CopyMeter; readonly signal: AbortSignal },
): Promise<CopyRecordParts> {
  const { madeMs: _madeMs, ...record } = await readRecord(from.home);
  const changes = await copyChanges(from, signal);
  const borrowed = new Set(from.borrowed.map(({ path }) => path));
  const isInside = (path: string): boolean =>
    [...borrowed].some((folder) => path.startsWith(join(folder, "/")));
  for (const [at, folder] of from.visible.entries())
    await copyWholeFolder(folder, join(making, record.visible[at] ?? basename(folder)), meter, isInside);
  await cp(join(from.home, KEPT), join(making, KEPT), { recursive: true }).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
  const suspects = new Set(changes.map(({ folder, file }) => join(folder.path, file)));
  const rows = (await readRows(from.home)).map((row): CopiedPaths => {
    const inode = lstatSync(join(making, row.place), { throwIfNoEntry: false })?.ino ?? 0;
    const paths = row.paths.map((path) =>
      suspects.has(join(from.home, row.place, path.name)) ? { ...path, suspect: true as const } : path,
    );
    return { ...row, inode, paths };
  });
  return { record: { ...record, run }, rows };
}
