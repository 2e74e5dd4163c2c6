import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";

/** A text that changes whenever a file's content does. Indexes of code store it as the beginning of a stamp. */
export function formatContentStamp({ size, mtimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ino}`;
}

/** A text that changes whenever a file does, even if its times are set back. It begins with the file's bytes. */
export function formatStamp(stats: BigIntStats): string {
  return `${formatContentStamp(stats)} ${stats.ctimeNs}`;
}

/** The stamp of a regular file of at most so many bytes, through no link; undefined for anything else. */
export async function readRegularStamp(path: string, mostBytes: number): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats?.isFile() && stats.size <= mostBytes ? formatStamp(stats) : undefined;
}
