import { join, resolve } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { readBlobs } from "../../node/git/blobs.ts";
import type { HarmlessGit } from "../../node/git/git.ts";
import { fail } from "../../texts/display-text.ts";

/** First line of a pointer, by the specification of Git LFS. */
const VERSION = "version https://git-lfs.github.com/spec/v1";
const MOST_POINTER_BYTES = 1024;

/** The pointer that git stores in place of a large file; the content itself if it's empty or already a pointer. */
function getLfsPointer(content: Buffer): Buffer {
  const isPointer = content.length < MOST_POINTER_BYTES && content.toString("utf8").startsWith(`${VERSION}\n`);
  if (isPointer || content.length === 0) return content;
  return Buffer.from(`${VERSION}\noid sha256:${sha256(content)}\nsize ${content.length}\n`);
}

/** Keeps a large file where Git LFS looks for it, as its clean filter does. */
async function keepLfsObject(gitFolder: string, content: Buffer): Promise<void> {
  const oid = sha256(content);
  const common = (await readFileText(join(gitFolder, "commondir")).catch(() => ".")).trim();
  const path = join(resolve(gitFolder, common), "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4), oid);
  await replaceFile(path, content, { makeFolder: true });
}

/** A repository that blobs are written to, and its git. */
export interface BlobStore {
  readonly repository: Repository;
  readonly git: HarmlessGit;
}

/** A path in a repository, and the filter that git applies when adding it. */
export interface FilteredPath {
  readonly path: string;
  readonly filter: string | undefined;
}

/** Git's output. Throws a sentence if git fails. */
export async function readGitOutput(
  git: HarmlessGit,
  args: readonly string[],
  input?: string | Buffer,
): Promise<string> {
  const answer = await git(args, input === undefined ? {} : { input });
  return answer.ok ? answer.text : fail("isolation.branch.failed", { why: answer.why });
}

/** Writes content as git stores it: with its own conversion of line ends and encodings, and large files as pointers. */
export async function cleanBlob(store: BlobStore, { path, filter }: FilteredPath, content: Buffer): Promise<string> {
  if (filter !== "lfs") return hashObject(store, content, `--path=${path}`);
  const pointer = getLfsPointer(content);
  if (pointer !== content) await keepLfsObject(store.repository.gitFolder, content);
  return hashObject(store, pointer);
}

export async function hashObject({ git }: BlobStore, content: Buffer | string, ...more: string[]): Promise<string> {
  return (await readGitOutput(git, ["hash-object", "-w", "--stdin", ...more], content)).trim();
}

export async function readBlobContent({ git, repository }: BlobStore, blob: string): Promise<Buffer | undefined> {
  const bytes = Number(await readGitOutput(git, ["cat-file", "-s", blob]));
  return (await readBlobs([{ repository, blob, bytes, isExecutable: false }])).get(blob);
}
