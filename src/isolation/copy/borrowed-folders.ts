import { mkdtemp, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { replaceFile } from "../../disk/replace-file.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import { CopyMeter } from "./copied-tree.ts";
import type { BorrowedFolder, Copy } from "./copy.ts";
import { RECORD, readRecord } from "./copy-record.ts";
import { copyWholeFolder, createCopyError } from "./fork-copy.ts";
import { removeTree } from "./remove-copy.ts";

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
