import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { HeldBlob } from "../../core/ports/folder-watch.ts";
import type { Repository } from "../../core/ports/programs.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { Copy } from "../../isolation/copy/copy.ts";
import { resolveRealPath } from "../../node/files/real-path.ts";
import { readCommitted } from "../../node/git/committed-files.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import { readSmallFile } from "../../node/search/walk.ts";
import type { HeldFile, ProgramView } from "../../runs/undo/program-view.ts";
import { findWorkspacePath } from "./isolated-host.ts";

/**
 * Reads committed contents from the workspace's own repositories, because git never runs with the copy's. What the run has committed
 * itself is read from the copy's files.
 */
export function createHeldReader(copy: Copy): ProgramView["readHeld"] {
  return async (files, take) => {
    const missing = new Map<string, HeldBlob>(files);
    await readCommitted(await mapToOrigins(copy, files), async (path, content) => {
      missing.delete(path);
      await take(path, content);
    });
    for (const [path, held] of missing) {
      const bytes = await readLooseBlob(copy, held);
      if (bytes) await take(path, { bytes, mode: held.isExecutable ? 0o755 : 0o644 });
    }
  };
}

/** Replaces the copy's repositories with those of the workspace. */
async function mapToOrigins(copy: Copy, files: readonly HeldFile[]): Promise<readonly HeldFile[]> {
  const repositories = new Map<string, Repository | undefined>();
  for (const [, { repository }] of files) {
    const { root } = repository;
    if (repositories.has(root)) continue;
    const origin = findWorkspacePath(copy, root);
    repositories.set(
      root,
      origin === undefined ? undefined : await findRepositoryAround(await resolveRealPath(origin)),
    );
  }
  return files.flatMap(([path, held]): readonly HeldFile[] => {
    const repository = repositories.get(held.repository.root);
    return repository ? [[path, { ...held, repository }]] : [];
  });
}

/** Larger contents than these aren't read. */
const MOST_BLOB_BYTES = 64 * 1024 * 1024;
/** Compression makes some contents a little larger. */
const MOST_GROWTH = 1.01;
const MOST_GROWTH_BYTES = 100;

/**
 * Reads a content that git has stored in the copy as a separate file. The run can write that file, so it's trusted only if its hash
 * matches.
 */
async function readLooseBlob(
  { home }: Copy,
  { repository: { gitFolder }, blob, bytes }: HeldBlob,
): Promise<Buffer | undefined> {
  const path = join(gitFolder, "objects", blob.slice(0, 2), blob.slice(2));
  if (bytes > MOST_BLOB_BYTES || !isAtOrBelow(await resolveRealPath(path).catch(() => ""), home)) return undefined;
  const header = `blob ${bytes}\0`;
  const maxOutputLength = header.length + bytes;
  const packed = await readSmallFile(path, maxOutputLength * MOST_GROWTH + MOST_GROWTH_BYTES);
  const object = packed && (await unpacked(packed, { maxOutputLength }).catch(() => undefined));
  if (object?.length !== maxOutputLength || createHash("sha1").update(object).digest("hex") !== blob) return undefined;
  return object.subarray(header.length);
}

const unpacked = promisify<Buffer, { readonly maxOutputLength: number }, Buffer>(inflate);
