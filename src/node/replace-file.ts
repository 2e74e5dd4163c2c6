import { createHash } from "node:crypto";
import { lstatSync, unlinkSync } from "node:fs";
import { chmod, mkdir, rmdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { StaleFileError } from "../core/ports/model.ts";
import { writeAtomically } from "./atomic-write.ts";
import { hasCode } from "./file-errors.ts";
import { type Snapshot, sameStats, wholeFile } from "./file-version.ts";
import { inFolder } from "./held-folder.ts";

/** Files as undo changes them: a file that is not what it is taken for is left alone, and `Stale` is thrown. */
export interface ReplacingFiles {
  /** `expected`: SHA-256 of what is there now; undefined for nothing. Folders on the way are made. */
  put(path: string, expected: string | undefined, bytes: Buffer, mode?: number): Promise<void>;
  remove(path: string, expected: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Leaves a folder that holds anything. */
  removeFolder(path: string): Promise<void>;
}

/** The files of this machine. */
export function replacingFiles(): ReplacingFiles {
  return {
    async put(path, expected, bytes, mode) {
      await mkdir(dirname(path), { recursive: true });
      await inFolder(dirname(path), async (at) => {
        const name = basename(path);
        const version = expected === undefined ? "" : (await seen(at(name), expected)).version;
        await writeAtomically(at, name, version, bytes);
        if (mode !== undefined) await chmod(at(name), mode);
      });
    },
    remove: (path, expected) =>
      inFolder(dirname(path), async (at) => {
        const target = at(basename(path));
        const { stats } = await seen(target, expected);
        const now = lstatSync(target, { bigint: true, throwIfNoEntry: false });
        if (!now || !sameStats(now, stats)) throw changed();
        unlinkSync(target);
      }),
    makeFolder: async (path) => void (await mkdir(path, { recursive: true })),
    removeFolder: (path) =>
      rmdir(path).catch((error: unknown) => {
        if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
      }),
  };
}

async function seen(path: string, expected: string): Promise<Snapshot> {
  const file = await wholeFile(path).catch((error: unknown) => {
    throw hasCode(error, "ENOENT", "ELOOP", "EISDIR") ? changed() : error;
  });
  if (createHash("sha256").update(file.bytes).digest("hex") !== expected) throw changed();
  return file;
}

function changed(): StaleFileError {
  return new StaleFileError("The file was changed in the meantime, so it was left as it is.");
}
