import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasCode } from "./file-errors.ts";

/** A chain of links to what is not there is followed so far. */
const MOST_LINKS = 40;

/** Where an absolute path really leads, links followed, also when its last names are not there yet. */
export async function realPath(path: string, links = MOST_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
  }
  const parent = await realPath(dirname(path), links);
  const here = join(parent, basename(path));
  const target = await linkTarget(here);
  if (target === undefined) return here;
  if (links === 0) throw Object.assign(new Error("Too many links."), { code: "ELOOP" });
  return realPath(resolve(parent, target), links - 1);
}

/** What a symbolic link says; undefined when the path is none. */
export async function linkTarget(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  return stats?.isSymbolicLink() ? readlink(path) : undefined;
}
