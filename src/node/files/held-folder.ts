import { constants } from "node:fs";
import { open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { decodeName, toDiskPath } from "./byte-names.ts";

/** Returns the path for a name in a held folder. */
export type PathInFolder = (name: string) => string;

/**
 * Performs an operation in a folder given by its real path. Throws `StaleFileError` if that path now leads elsewhere. On Linux, the folder
 * stays open, so that even swapping it for a link can't redirect the operation. Elsewhere, it's checked just before.
 */
export async function runInFolder<T>(
  path: string,
  act: (at: PathInFolder) => Promise<T>,
  platform = process.platform,
): Promise<T> {
  if (platform !== "linux") return runInCheckedFolder(path, act);
  const folder = await open(toDiskPath(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      throw hasCode(error, "ELOOP", "ENOTDIR") ? createMovedFolderError(path) : error;
    },
  );
  try {
    const held = `/proc/self/fd/${folder.fd}`;
    if (decodeName(await readlink(held, "buffer")) !== path) throw createMovedFolderError(path);
    return await act((name) => `${held}/${name}`);
  } finally {
    await folder.close();
  }
}

async function runInCheckedFolder<T>(path: string, act: (at: PathInFolder) => Promise<T>): Promise<T> {
  const real = decodeName(await realpath(toDiskPath(path), "buffer"));
  // The folder of a share ends with a separator in some spellings.
  if (real.replace(/[\\/]+$/, "") !== path.replace(/[\\/]+$/, "")) throw createMovedFolderError(path);
  return act((name) => join(path, name));
}

function createMovedFolderError(path: string): StaleFileError {
  return new StaleFileError(
    `The folder "${path}" was moved or replaced by a link in the meantime. Check it again before you continue.`,
  );
}
