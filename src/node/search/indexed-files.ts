import { NearestFile } from "../../core/base/nearest-file.ts";
import { unifyForms } from "../../core/base/text.ts";
import { ignoreRules } from "../files/ignore-rules.ts";
import type { Root } from "../files/roots.ts";
import { createYielder } from "../processes/event-loop.ts";
import type { FileIndexes, IndexedFolders } from "./file-index.ts";
import { walkFolders } from "./index-contents.ts";
import type { IndexedFolder } from "./indexed-folder.ts";
import { walk } from "./walk.ts";

/** The files of one folder, by path relative to the workspace folder, also in lower case and one Unicode form. Links aren't included. */
interface FolderFiles {
  readonly paths: readonly string[];
  readonly lower: readonly string[];
}

/** Cached as long as the folder itself, because a mention requests all files at each keystroke. */
const known = new WeakMap<IndexedFolder, FolderFiles>();

/** Files of a workspace folder in the order of a walk. */
async function* walkFiles(
  folders: IndexedFolders,
  signal: AbortSignal,
  isWanted?: (path: string) => boolean,
): AsyncGenerator<FolderFiles> {
  for await (const relative of walkFolders(folders, "", signal, isWanted)) {
    const folder = folders.get(relative);
    if (!folder) continue;
    const files = known.get(folder) ?? listFolderFiles(relative, folder);
    known.set(folder, files);
    yield files;
  }
}

function listFolderFiles(relative: string, { names, others }: IndexedFolder): FolderFiles {
  const paths = names.filter((name) => !name.endsWith("/") && !others.has(name)).map((name) => relative + name);
  return { paths, lower: paths.map(searchKey) };
}

function searchKey(path: string): string {
  return unifyForms(path).toLowerCase();
}

/** The label of the file that a missing file's label most likely means. If files aren't listed, only the top levels are walked. */
export async function findNearestFile(
  files: FileIndexes | undefined,
  roots: readonly Root[],
  label: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const nearest = new NearestFile(label);
  for (const { path, prefix } of roots) {
    const folders = await files?.loadFolders(path, signal);
    if (!folders) {
      nearest.add((await collectWalkedFiles(path, signal)).paths.map((file) => prefix + file));
      continue;
    }
    for await (const some of walkFiles(folders, signal)) nearest.add(some.paths.map((file) => prefix + file));
  }
  return nearest.found;
}

/** The most files to walk in an unlisted folder. */
const MOST_WALKED = 2000;

async function collectWalkedFiles(root: string, signal: AbortSignal): Promise<FolderFiles> {
  const found: string[] = [];
  await walk({ root, relative: "", rules: ignoreRules(root) }, signal, async ({ relative, kind }) => {
    if (kind === "file") found.push(relative);
    return found.length < MOST_WALKED ? "go on" : "stop";
  });
  return { paths: found, lower: found.map(searchKey) };
}

/**
 * Files of a workspace folder whose path contains a text, ignoring case, by relative path; shortest first. If the files aren't listed, only
 * some in the top levels are searched.
 */
export async function findFilesByPath(
  files: FileIndexes,
  root: string,
  text: string,
  most: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const folders = await files.loadFolders(root, signal);
  const excludes = files.getSearchExcludes(root);
  const isWanted = (path: string) => !excludes.has(path);
  const wanted = searchKey(text);
  const breathe = createYielder(signal);
  let found: string[] = [];
  let longest = Number.POSITIVE_INFINITY;
  for await (const some of folders ? walkFiles(folders, signal, isWanted) : [await collectWalkedFiles(root, signal)]) {
    await breathe();
    for (const [index, path] of some.lower.entries())
      if (path.length < longest && path.includes(wanted)) found.push(some.paths[index] ?? path);
    if (found.length < 20 * most) continue;
    found = pickShortest(found, most);
    longest = found.at(-1)?.length ?? longest;
  }
  return pickShortest(found.filter(isWanted), most);
}

function pickShortest(paths: readonly string[], most: number): string[] {
  return paths.toSorted((one, other) => one.length - other.length).slice(0, most);
}
