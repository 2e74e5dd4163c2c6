import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
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
  if (links === 0) throw tooMany();
  return realPath(resolve(parent, target), links - 1);
}

/** The links on the way along an absolute path, from `start` on: the path of each with the names after it. Their targets need not exist. */
export async function linksOn(path: string, start = parse(path).root): Promise<readonly string[]> {
  const found: string[] = [];
  const names = namesIn(path.slice(start.length));
  let at = start;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const here = join(at, name);
    const target = name === ".." ? undefined : await linkTarget(here);
    at = here;
    if (target === undefined) continue;
    if (found.length === MOST_LINKS) throw tooMany();
    found.push(join(here, ...names));
    at = isAbsolute(target) ? parse(target).root : dirname(here);
    names.unshift(...namesIn(isAbsolute(target) ? target.slice(at.length) : target));
  }
  return found;
}

function namesIn(path: string): string[] {
  return path.split(sep === "\\" ? /[\\/]/ : "/").filter((name) => name !== "" && name !== ".");
}

function tooMany(): Error {
  return Object.assign(new Error("Too many links."), { code: "ELOOP" });
}

/** What a symbolic link says; undefined when the path is none. */
export async function linkTarget(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  return stats?.isSymbolicLink() ? readlink(path) : undefined;
}
