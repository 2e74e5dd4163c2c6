import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { hasCode } from "../../disk/error-codes.ts";
import { toDiskPath } from "../../node/files/byte-names.ts";

/** Files of one folder that are copied together. */
export interface FileBatch {
  readonly from: string;
  readonly to: string;
  readonly files: readonly BatchFile[];
  /** Path prefix for contents that aren't in any repository. The file's number in the batch is appended. */
  readonly keep: string;
}

interface BatchFile {
  readonly name: string;
  /** See `UnchangedFile`. A file with a different stamp is kept. */
  readonly stamp?: string;
}

/** Why a path of the workspace isn't in a copy. */
export type LeftOut = "unreadable" | "special" | "name";

/** A copied file. It's a tuple, since threads pass one for each file. */
export type CopiedFile = readonly [mode: number, bytes: number, isKept: boolean];

/** Why a batch doesn't copy a path: it can't be in the copy, or it needs other handling. */
export type Uncopied = LeftOut | "link" | "large" | "folder" | "gone";

/** Larger files take so long that a thread with other work shouldn't wait for them. */
const MOST_BYTES = 64 * 1024;

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Copies small files as they are on the disk, with their permissions and times of modification. No link is followed. */
export function copyFiles(batch: FileBatch): readonly (CopiedFile | Uncopied)[] {
  // One more byte shows that a file has grown in the meantime.
  const buffer = Buffer.allocUnsafe(MOST_BYTES + 1);
  return batch.files.map((file, at) => {
    try {
      return copyFile(batch, file, at, buffer);
    } catch (error) {
      return classifyCopyFailure(error, file.name);
    }
  });
}

function copyFile({ from, to, keep }: FileBatch, file: BatchFile, at: number, buffer: Buffer): CopiedFile | Uncopied {
  const path = toDiskPath(`${from}/${file.name}`);
  if (O_NOFOLLOW === 0) {
    const stats = lstatSync(path);
    if (!stats.isFile()) return classifyFileType(stats);
  }
  const source = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(source, { bigint: true });
    if (!stats.isFile()) return classifyFileType(stats);
    const bytes = readSync(source, buffer, 0, buffer.length, null);
    if (bytes > MOST_BYTES) return "large";
    const content = buffer.subarray(0, bytes);
    const mode = Number(stats.mode) & 0o777;
    writeCopy(`${to}/${file.name}`, content, mode, convertToFileSeconds(stats.mtimeNs));
    const isKept = file.stamp !== `${bytes} ${stats.mtimeNs} ${stats.ctimeNs}`;
    if (isKept) writeFileSync(keep + at, content, { flag: "wx", mode: 0o600 });
    return [mode, bytes, isKept];
  } finally {
    closeSync(source);
  }
}

function classifyFileType(stats: { isDirectory(): boolean; isSymbolicLink(): boolean }): "folder" | "link" | "special" {
  return stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "special";
}

function writeCopy(path: string, content: Buffer, mode: number, modified: number): void {
  const file = openSync(toDiskPath(path), "wx", mode);
  try {
    writeFileSync(file, content);
    fchmodSync(file, mode);
    futimesSync(file, modified, modified);
  } finally {
    closeSync(file);
  }
}

/** Converts a time for functions that set it. They truncate to microseconds, so half of one prevents rounding down. */
export function convertToFileSeconds(nanoseconds: bigint): number {
  return (Number(nanoseconds / 1000n) + 0.5) / 1e6;
}

/** Why a file couldn't be copied. Rethrows an error that isn't specific to this file. */
export function classifyCopyFailure(error: unknown, name: string): LeftOut | "link" | "gone" {
  if (hasCode(error, "ELOOP", "EMLINK")) return "link";
  if (hasCode(error, "ENXIO")) return "special";
  if (hasCode(error, "EACCES", "EPERM")) return "unreadable";
  if (hasCode(error, "EEXIST", "ENAMETOOLONG", "EINVAL", "EILSEQ")) return "name";
  if (hasCode(error, "ENOENT", "ENOTDIR")) return name.includes("\uFFFD") ? "name" : "gone";
  throw error;
}
