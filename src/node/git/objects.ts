import { createHash } from "node:crypto";
import { utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { hasSucceeded } from "../../core/base/async.ts";
import type { Repository } from "../../core/ports/programs.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";

const compress = promisify<Buffer, { readonly level: number }, Buffer>(deflate);

/** An entry of a tree. */
export interface TreeEntry {
  readonly kind: "blob" | "tree";
  readonly hash: string;
  readonly name: string;
}

/** A commit to write. */
export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Such as `Ada <ada@example.com>`. */
  readonly author: string;
  readonly message: string;
}

/** The folder of a repository's objects. Worktrees share one. */
export async function findObjectsFolder({ gitFolder }: Repository): Promise<string> {
  return join(await findCommonFolder(gitFolder), "objects");
}

/** Writes a blob as git does, without a process: a large program takes long to start one. Returns its hash. */
export function writeBlob(repository: Repository, content: Buffer): Promise<string> {
  return writeObject(repository, "blob", content);
}

/** Writes a tree of entries with simple names. Returns its hash. */
export function writeTreeObject(repository: Repository, entries: readonly TreeEntry[]): Promise<string> {
  const toKey = ({ kind, name }: TreeEntry): string => (kind === "tree" ? `${name}/` : name);
  const sorted = entries.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
  const parts = sorted.flatMap(({ kind, hash, name }) => [
    Buffer.from(`${kind === "blob" ? "100644" : "40000"} ${name}\0`),
    Buffer.from(hash, "hex"),
  ]);
  return writeObject(repository, "tree", Buffer.concat(parts));
}

/** Writes a commit that no ref names yet. Returns its hash. */
export function writeCommit(
  repository: Repository,
  { tree, parents, author, message }: NewCommit,
  nowMs: number,
): Promise<string> {
  const by = `${author} ${Math.floor(nowMs / 1000)} +0000`;
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${by}`, `committer ${by}`];
  return writeObject(repository, "commit", Buffer.from(`${lines.join("\n")}\n\n${message}\n`));
}

async function writeObject(repository: Repository, kind: string, content: Buffer): Promise<string> {
  const common = await findCommonFolder(repository.gitFolder);
  const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const hash = createHash(await readObjectFormat(common))
    .update(whole)
    .digest("hex");
  const path = join(common, "objects", hash.slice(0, 2), hash.slice(2));
  const now = new Date();
  // An object that is there is kept from being cleaned up, as git does it.
  const isThere = await hasSucceeded(utimes(path, now, now));
  if (!isThere) await replaceFile(path, await compress(whole, { level: 1 }), { makeFolder: true });
  return hash;
}

async function findCommonFolder(gitFolder: string): Promise<string> {
  const shared = (await readFileText(join(gitFolder, "commondir")).catch(() => ".")).trim();
  return resolve(gitFolder, shared);
}

async function readObjectFormat(common: string): Promise<"sha1" | "sha256"> {
  const config = await readFileText(join(common, "config")).catch(() => "");
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? "sha256" : "sha1";
}
