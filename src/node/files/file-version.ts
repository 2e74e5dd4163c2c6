import type { BigIntStats } from "node:fs";
import { openFile, readBounded } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";

/** Larger files are compared by their metadata, smaller ones by their content. */
const HASHED_BYTES = 8 * 1024 * 1024;

/** A file at one point in time. */
export interface Snapshot {
  readonly version: string;
  readonly stats: BigIntStats;
  /** The content, if it was read. */
  readonly bytes?: Buffer;
}

/** The version of a file's content. */
export async function snapshot(path: string): Promise<Snapshot> {
  await using file = await openFile(path);
  const stats = await file.stat({ bigint: true });
  if (stats.size > HASHED_BYTES) return { version: statVersion(stats), stats };
  const bytes = await readBounded(file);
  return { version: computeContentVersion(bytes), stats, bytes };
}

/** A file's whole content with its version. */
export async function readWholeFile(path: string): Promise<Snapshot & { readonly bytes: Buffer }> {
  await using file = await openFile(path);
  const stats = await file.stat({ bigint: true });
  const bytes = await readBounded(file);
  const version = stats.size > HASHED_BYTES ? statVersion(stats) : computeContentVersion(bytes);
  return { version, stats, bytes };
}

/** Metadata that distinguishes a large or unreadable file from its later states. */
export function statVersion({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string {
  return `stat:${mtimeNs}.${ctimeNs}.${size}.${ino}`;
}

/** True if a file hasn't changed between two snapshots. */
export function hasSameStats(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && statVersion(one) === statVersion(other);
}

function computeContentVersion(bytes: Buffer): string {
  return `sha256:${sha256(bytes)}`;
}
