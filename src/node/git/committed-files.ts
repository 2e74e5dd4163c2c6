import { join } from "node:path";
import type { HeldBlob } from "../../core/ports/folder-watch.ts";
import type { Repository } from "../../core/ports/programs.ts";
import { convertedFiles } from "./attributes.ts";
import { blobGroups, readBlobs } from "./blobs.ts";
import { GitIndex } from "./git-index.ts";
import { repositoryAround } from "./repository.ts";

/** The content that git has of a file, if the file hasn't changed since it was added. `seen`: see `hasUnchanged`. */
export function blobOf(
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

/** Reads contents that git has, and hands over each of them by its path. Those that git doesn't have any more are left out. */
export async function readCommitted(
  files: readonly (readonly [path: string, held: HeldBlob])[],
  take: (path: string, content: CommittedContent) => Promise<void>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  for (const group of blobGroups(files, ([, held]) => held)) {
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

/** The tracked files of some repositories at one moment, whose contents git has. */
export interface CommittedFiles {
  /** `seen`: see `blobOf`. */
  blobOf(path: string, seen: string): HeldBlob | undefined;
  /** True for a file of a repository, tracked or not. */
  isInRepository(path: string): boolean;
}

/** The tracked files of the repositories around some folders, as they are now. `attributes`: the `.gitattributes` in them. */
export async function committedFiles(
  folders: readonly string[],
  attributes: readonly string[],
): Promise<CommittedFiles> {
  const found = await Promise.all(folders.map(repositoryAround));
  const repositories = found.filter((repository) => repository !== undefined);
  const isConverted = await convertedFiles(attributes, repositories);
  const indexes: { readonly repository: Repository; readonly start: string; readonly index: GitIndex }[] = [];
  for (const repository of repositories) {
    const index = await GitIndex.read(join(repository.gitFolder, "index"));
    if (index) indexes.push({ repository, start: join(repository.root, "/"), index });
  }
  const around = (path: string) => indexes.find(({ start }) => path.startsWith(start));
  return {
    isInRepository: (path) => around(path) !== undefined,
    blobOf(path, seen) {
      const place = around(path);
      if (!place || isConverted(path)) return undefined;
      const name = path.slice(place.start.length).replaceAll("\\", "/");
      return blobOf(place.index, place.repository, name, seen);
    },
  };
}
