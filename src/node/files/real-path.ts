import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { hasCode, ignoreCodes } from "../../disk/error-codes.ts";
import { decodeName, toDiskPath } from "./byte-names.ts";

/** The longest chain of links to a missing target. */
const MOST_LINKS = 40;

/** The real path of an absolute path, with links followed, even if its last names don't exist yet, or its drive doesn't. */
export async function resolveRealPath(path: string, links = MOST_LINKS): Promise<string> {
  try {
    return decodeName(await realpath(toDiskPath(path), "buffer"));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    if (dirname(path) === path) return path;
  }
  const parent = await resolveRealPath(dirname(path), links);
  const here = join(parent, basename(path));
  const target = await readLinkTarget(here);
  if (target === undefined) return here;
  if (links === 0) throw createTooManyLinksError();
  return resolveRealPath(resolve(parent, target), links - 1);
}

/** The links along an absolute path after `start`, each with the remaining names. Their targets may be missing. */
export async function listLinksAlong(path: string, start = parse(path).root): Promise<readonly string[]> {
  const found: string[] = [];
  const names = splitPath(path.slice(start.length));
  let at = start;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const here = join(at, name);
    const target = name === ".." ? undefined : await readLinkTarget(here);
    at = here;
    if (target === undefined) continue;
    if (found.length === MOST_LINKS) throw createTooManyLinksError();
    found.push(join(here, ...names));
    at = isAbsolute(target) ? parse(target).root : dirname(here);
    names.unshift(...splitPath(isAbsolute(target) ? target.slice(at.length) : target));
  }
  return found;
}

function splitPath(path: string): string[] {
  return path.split(sep === "\\" ? /[\\/]/ : "/").filter((name) => name !== "" && name !== ".");
}

function createTooManyLinksError(): Error {
  return Object.assign(new Error("Too many links."), { code: "ELOOP" });
}

/** A path of this machine with slashes between its names. */
export function normalizeSlashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

/** False only if the file certainly doesn't exist. */
export async function mayExist(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !hasCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG"),
  );
}

/** The target of a symbolic link, as written; undefined if the path isn't a link. */
export async function readLinkTarget(path: string): Promise<string | undefined> {
  const stats = await lstat(toDiskPath(path)).catch(ignoreCodes("ENOENT"));
  return stats?.isSymbolicLink() ? decodeName(await readlink(toDiskPath(path), "buffer")) : undefined;
}
