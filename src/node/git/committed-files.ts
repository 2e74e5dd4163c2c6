import { dirname, join, relative } from "node:path";
import type { HeldBlob } from "../../core/ports/folder-watch.ts";
import type { Repository } from "../../core/ports/programs.ts";
import { normalizeSlashes } from "../files/real-path.ts";
import { loadConversionTest } from "./attributes.ts";
import { groupBlobs, readBlobs } from "./blobs.ts";
import { GitIndex } from "./git-index.ts";
import { findRepositoryAround, isInHistory } from "./repository.ts";

/** Git's content of a file that hasn't changed since it was added. `seen`: see `hasUnchanged`. */
export function findUnchangedBlob(
  index: GitIndex,
  repository: HeldBlob["repository"],
  name: string,
  seen: string,
): HeldBlob | undefined {
  const file = index.hasUnchanged(name, seen) ? index.get(name) : undefined;
  return file && { repository, blob: file.blob, bytes: file.bytes, isExecutable: file.isExecutable };
}

/** A file's content before a change, with its permission bits. */
interface CommittedContent {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Reads contents from git and passes each to `take` with its path. Missing contents are left out. */
export async function readCommitted(
  files: readonly (readonly [path: string, held: HeldBlob])[],
  take: (path: string, content: CommittedContent) => Promise<void>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  for (const group of groupBlobs(files, ([, held]) => held)) {
    const blobs = await readBlobs(
      group.map(([, held]) => held),
      env,
    );
    for (const [path, { blob, isExecutable }] of group) {
      const bytes = blobs.get(blob);
      if (bytes) await take(path, { bytes, mode: isExecutable ? 0o755 : 0o644 });
    }
  }
}

/** The tracked files of some repositories at one point in time, with contents in git. */
export interface CommittedFiles {
  /** See `findUnchangedBlob`. */
  findBlob(path: string, seen: string): HeldBlob | undefined;
  /** True for a file of a repository, tracked or not. */
  isInRepository(path: string): boolean;
}

/** The current tracked files of the repositories around some folders. `attributes`: the `.gitattributes` in them. */
export async function loadCommittedFiles(
  folders: readonly string[],
  attributes: readonly string[],
): Promise<CommittedFiles> {
  const found = await Promise.all(folders.map(findRepositoryAround));
  const repositories = found.filter((repository) => repository !== undefined);
  const isConverted = await loadConversionTest(attributes, repositories);
  const indexes: { readonly repository: Repository; readonly start: string; readonly index: GitIndex }[] = [];
  for (const repository of repositories) {
    const index = await GitIndex.read(join(repository.gitFolder, "index"));
    if (index) indexes.push({ repository, start: join(repository.root, "/"), index });
  }
  const findIndexAround = (path: string) => indexes.find(({ start }) => path.startsWith(start));
  return {
    isInRepository: (path) => findIndexAround(path) !== undefined,
    findBlob(path, seen) {
      const place = findIndexAround(path);
      if (!place || isConverted(path)) return undefined;
      const name = path.slice(place.start.length).replaceAll("\\", "/");
      return findUnchangedBlob(place.index, place.repository, name, seen);
    },
  };
}

/** Indexes are kept for a moment, because several files are often checked at once. */
const KEPT_MS = 2000;

/**
 * Creates a check for whether git tracks a file, by real path. It returns undefined outside repositories, and in a folder without tracked
 * files. `folder`: the real path of a workspace folder.
 */
export function createTrackedTest(folder: string): (path: string) => Promise<boolean | undefined> {
  const indexes = new Map<string, Promise<GitIndex | undefined>>();
  const readIndex = (path: string): Promise<GitIndex | undefined> => {
    const read = indexes.get(path) ?? GitIndex.read(path);
    if (!indexes.has(path)) setTimeout(() => indexes.delete(path), KEPT_MS).unref();
    indexes.set(path, read);
    return read;
  };
  return async (path) => {
    if (await isInHistory(path)) return false;
    const repository = await findRepositoryAround(dirname(path));
    const index = repository && (await readIndex(join(repository.gitFolder, "index")));
    const names = index?.listNames();
    if (!repository || !index || !names) return undefined;
    const name = normalizeSlashes(relative(repository.root, path));
    if (index.get(name) ?? index.get(name.normalize("NFC"))) return true;
    const start = normalizeSlashes(relative(repository.root, folder));
    const isBelow = start === "" || start.startsWith("..") ? () => true : (one: string) => one.startsWith(`${start}/`);
    for (const one of names) if (isBelow(one)) return false;
    return undefined;
  };
}
