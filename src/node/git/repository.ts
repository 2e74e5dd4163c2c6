import { type Dirent, realpathSync } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { isBelow } from "../../disk/below.ts";
import { readFileText, readFileTextSync, readLinkedText } from "../../disk/plain-file.ts";
import { ignoreRules } from "../files/ignore-rules.ts";
import { walk } from "../search/walk.ts";

/** The repository around a folder, found by the nearest `.git` in or above it. Git finds the same one, except for bare repositories. */
export async function findRepositoryAround(folder: string): Promise<Repository | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const gitFolder = await findGitFolder(at);
    if (gitFolder !== undefined) return { root: at, gitFolder };
    if (dirname(at) === at) return undefined;
  }
}

/** The real folder with a working tree's history: its `.git`, or the target of its `.git` file. */
async function findGitFolder(root: string): Promise<string | undefined> {
  const path = join(root, ".git");
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return undefined;
  const named = stats.isFile() ? /^gitdir: (.+?)\r?\n?$/.exec(await readFileText(path).catch(() => ""))?.[1] : path;
  const real = named === undefined ? undefined : await realpath(resolve(root, named)).catch(() => undefined);
  return real !== undefined && (await lstat(join(real, "HEAD")).catch(() => undefined)) ? real : undefined;
}

/** True for a file in a folder with a repository's history, regardless of its name, such as a bare repository. */
export async function isInHistory(path: string): Promise<boolean> {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const parts = ["HEAD", "objects", "refs"].map((name) => lstat(join(at, name)).catch(() => undefined));
    if (!(await Promise.all(parts)).includes(undefined)) return true;
  }
  return false;
}

/** True if git's folder of a linked working tree names this root, given by its real path, as its tree. Any file can claim the reverse. */
export function hasWorkingTree(gitFolder: string, root: string): boolean {
  try {
    const named = readFileTextSync(join(gitFolder, "gitdir")).trimEnd();
    return named !== "" && realpathSync(resolve(gitFolder, dirname(named))) === root;
  } catch {
    return false;
  }
}

/**
 * The history folders of a linked working tree or a submodule, if they also name its real path as the root. A planted `.git` file has none:
 * its author would also have to write into the other repository.
 */
export async function listHistoryFolders({ root, gitFolder }: Repository): Promise<readonly string[]> {
  const [named] = await readLines(join(gitFolder, "commondir"));
  if (named !== undefined) {
    const common = await realpath(resolve(gitFolder, named)).catch(() => "");
    const isLinked = dirname(gitFolder) === join(common, "worktrees") && hasWorkingTree(gitFolder, root);
    return isLinked ? [gitFolder, common] : [];
  }
  const around = await findRepositoryAround(dirname(root));
  const settings = await readLines(join(gitFolder, "config"));
  const [tree] = settings.flatMap((line) => /^\s*worktree\s*=\s*"?([^"]+?)"?\s*$/.exec(line)?.[1] ?? []);
  if (!around || tree === undefined || !isBelow(gitFolder, join(around.gitFolder, "modules"))) return [];
  return (await realpath(resolve(gitFolder, tree)).catch(() => "")) === root ? [gitFolder] : [];
}

/**
 * The first place outside a repository's folder from which git would read history; undefined if there is none. A place that names the
 * folder as its working tree doesn't count.
 */
export async function findForeignHistory(repository: Repository): Promise<string | undefined> {
  const { root, gitFolder } = repository;
  const own = await listHistoryFolders(repository);
  const places = [gitFolder, ...(await listOutsideReads(gitFolder))];
  return places.find((path) => !own.includes(path) && !isBelow(path, root));
}

/** Real paths outside git's folder from which git reads history, through links and references. */
export async function listOutsideReads(gitFolder: string): Promise<readonly string[]> {
  const [named] = await readLines(join(gitFolder, "commondir"));
  const common = named === undefined ? gitFolder : resolve(gitFolder, named);
  const objects = join(common, "objects");
  const alternates = await readLines(join(objects, "info", "alternates"));
  const links = [...(await listGitLinks(gitFolder)), ...(common === gitFolder ? [] : await listGitLinks(common))];
  const all = [common, ...alternates.map((path) => resolve(objects, path)), ...links];
  const real = await Promise.all(all.map((path) => realpath(path).catch(() => gitFolder)));
  return [...new Set(real)].filter((path) => path !== gitFolder);
}

async function readLines(path: string): Promise<readonly string[]> {
  const text = await readLinkedText(path).catch(() => "");
  return text.split(/\r?\n/).filter((line) => line !== "");
}

/** Folders whose content git's read-only commands may print; `true`: at any depth. Objects are addressed by name. */
const PRINTED: Readonly<Record<string, boolean>> = {
  "": false,
  info: false,
  objects: false,
  "objects/info": false,
  "objects/pack": false,
  refs: true,
  logs: true,
  worktrees: true,
  "rebase-merge": true,
  "rebase-apply": true,
  sequencer: true,
};

/** The links in git's folder. Git itself creates none there. */
export async function listGitLinks(gitFolder: string): Promise<readonly string[]> {
  const entries = await listGitEntries(gitFolder);
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Names of files in a working tree that every git command reads. */
const READ_BY_GIT = /^\.(?:git\w*|mailmap)$/;

/** The first file that git would read in a repository without ever finishing: a pipe, a device or a huge file. Links are followed. */
export async function findEndlessFile({ root, gitFolder }: Repository): Promise<string | undefined> {
  const [named] = await readLines(join(gitFolder, "commondir"));
  const common = named === undefined ? gitFolder : resolve(gitFolder, named);
  const own = await listGitEntries(gitFolder);
  const shared = common === gitFolder ? [] : await listGitEntries(common);
  const top = await readdir(root, { withFileTypes: true }).catch(() => []);
  const entries = [...own, ...shared, ...top.filter(({ name }) => READ_BY_GIT.test(name))];
  const isRead = ({ name, parentPath }: Dirent): boolean =>
    READ_BY_GIT.test(name) || parentPath === join(common, "info");
  const files = entries
    .filter((entry) => !entry.isDirectory() && (!entry.isFile() || isRead(entry)))
    .map(({ parentPath, name }) => join(parentPath, name));
  const settings = [
    ...(await readLines(join(common, "config"))),
    ...(await readLines(join(gitFolder, "config.worktree"))),
  ];
  const values = settings.slice(0, MOST_SETTINGS).flatMap((line) => /=\s*"?([^"]+)"?\s*$/.exec(line)?.[1] ?? []);
  const mentioned = values.flatMap((value) => [resolve(common, value), resolve(root, value)]);
  for (const path of files) if (await isEndless(path)) return path;
  for (const path of mentioned) if (await isEndless(path, Number.POSITIVE_INFINITY)) return path;
  return undefined;
}

/** The most settings to check for includes and named files. */
const MOST_SETTINGS = 1000;

/** Like `findEndlessFile`, at any depth of the files, where git reads more of them. */
export async function findEndlessFileBelow(root: string, signal: AbortSignal): Promise<string | undefined> {
  let found: string | undefined;
  await walk({ root, relative: "", rules: ignoreRules(root) }, signal, async ({ relative, kind }) => {
    const path = join(root, relative);
    if (kind !== "folder" && READ_BY_GIT.test(basename(path)) && (await isEndless(path))) found = path;
    return found === undefined ? "go on" : "stop";
  });
  return found;
}

/** The limit for a file of rules or names that git reads completely. */
const MOST_BYTES = 64 * 1024 * 1024;

/** True for a pipe, a device or a huge file, which can't be read to its end. The null device doesn't count. */
async function isEndless(path: string, most = MOST_BYTES): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.isDirectory()) return false;
  if (!found.isCharacterDevice()) return found.isFIFO() || found.isBlockDevice() || found.size > most;
  return found.rdev !== (await stat("/dev/null").catch(() => undefined))?.rdev;
}

/** The entries of git's folders that its commands read. */
async function listGitEntries(gitFolder: string): Promise<readonly Dirent[]> {
  const found: Dirent[] = [];
  const waiting = Object.entries(PRINTED).map(([name, isDeep]) => ({
    folder: join(gitFolder, name),
    isDeep,
  }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder, isDeep } = next;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    found.push(...entries);
    const below = isDeep ? entries.filter((entry) => entry.isDirectory()) : [];
    waiting.push(...below.map(({ name }) => ({ folder: join(folder, name), isDeep })));
  }
  return found;
}
