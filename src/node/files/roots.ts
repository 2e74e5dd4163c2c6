import { realpath } from "node:fs/promises";
import { basename, isAbsolute, resolve, sep } from "node:path";
import { isAscii, unifyForms } from "../../core/base/text.ts";
import { type PathUse, WorkspaceError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { readEntries } from "./byte-names.ts";
import { mayExist } from "./real-path.ts";

/** How paths are written and compared in a kind of workspace. */
export interface PathSystem {
  isAbsolute(path: string): boolean;
  resolve(folder: string, ...names: string[]): string;
  isAtOrBelow(path: string, folder: string): boolean;
  /** The names in a relative path. */
  splitNames(path: string): readonly string[];
  /** False only if the file certainly doesn't exist. */
  mayExist(path: string): Promise<boolean>;
  /** The names in a folder. */
  listEntries(folder: string): Promise<readonly { readonly name: string }[]>;
}

/** Paths on this machine's disk. */
export const diskPaths: PathSystem = {
  isAbsolute,
  resolve,
  isAtOrBelow,
  splitNames: (path) => path.split(sep === "\\" ? /[\\/]/ : "/"),
  mayExist,
  listEntries: readEntries,
};

/** A workspace folder by its real path. */
export interface Root extends WorkspaceFolder {
  /** Prefix of its files' labels: "" in the run's own folder, which is the first, otherwise `label` and `/`. */
  readonly prefix: string;
  /** Its label: "." if it's the only folder. */
  readonly label: string;
}

/**
 * The folders that a run works in, its own first. A folder that isn't open, such as the demo's, is the only one.
 * Folders in the run's prompt keep their names and order while they are open.
 */
export function selectRunFolders(
  folder: string,
  open: readonly WorkspaceFolder[],
  inPrompt: readonly WorkspaceFolder[] = [],
): readonly WorkspaceFolder[] {
  const own = open.find(({ path }) => path === folder);
  if (!own) return [{ name: basename(folder), path: folder }];
  const known = inPrompt.filter(({ path }) => open.some((one) => one.path === path));
  const others = open.filter(({ path }) => path !== folder);
  const rest = [own, ...others].filter(({ path }) => !known.some((one) => one.path === path));
  return makeNamesUnique([...known, ...rest]);
}

/** Adds a number to the second of two folders with the same name. */
function makeNamesUnique(folders: readonly WorkspaceFolder[]): readonly WorkspaceFolder[] {
  const names = new Set<string>();
  return folders.map(({ name, path }) => {
    let unique = name;
    for (let count = 2; names.has(unique); count++) unique = `${name} (${count})`;
    names.add(unique);
    return { name: unique, path };
  });
}

/** The workspace's current folders, the run's own first. */
export async function resolveRoots(folders: readonly WorkspaceFolder[]): Promise<readonly Root[]> {
  const found: WorkspaceFolder[] = [];
  const named = makeNamesUnique(folders);
  for (const { name, path } of named) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) found.push({ name, path: real });
  }
  return createRoots(found, named, diskPaths);
}

/** The roots in folders that aren't on disk. */
export function resolveRootsElsewhere(
  folders: readonly WorkspaceFolder[],
  paths: PathSystem,
): Promise<readonly Root[]> {
  const named = makeNamesUnique(folders);
  return createRoots(named, named, paths);
}

/** The roots of those folders that were found. */
async function createRoots(
  found: readonly WorkspaceFolder[],
  folders: readonly WorkspaceFolder[],
  paths: PathSystem,
): Promise<readonly Root[]> {
  const [own] = found;
  // Without its own folder, a run must not take another one for it.
  if (!own || own.name !== folders[0]?.name)
    throw new WorkspaceError(
      "The run's folder isn't open or doesn't exist any more, so there are no files. Ask the user to open it again.",
    );
  if (folders.length === 1) return [{ ...own, prefix: "", label: "." }];
  return Promise.all(
    found.map(async (folder) => {
      // Otherwise, the name would lead to an entry of the run's own folder.
      const label = (await paths.mayExist(paths.resolve(own.path, folder.name))) ? folder.path : folder.name;
      return { ...folder, prefix: folder === own ? "" : `${label}/`, label };
    }),
  );
}

/** The root that contains a real path; undefined if none does. */
export function findRootAround(path: string, roots: readonly Root[], paths: PathSystem = diskPaths): Root | undefined {
  return roots
    .filter((root) => paths.isAtOrBelow(path, root.path))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** A path relative to its root, with `/`; `""` for the root itself. */
export function getPathInRoot(path: string, root: Root, paths: PathSystem = diskPaths): string {
  return paths
    .splitNames(path.slice(root.path.length))
    .filter((name) => name !== "")
    .join("/");
}

/** The absolute path of a name, before links are followed. Also finds names in another Unicode form or with other spaces. */
export async function resolveAbsolutePath(
  path: string,
  roots: readonly Root[],
  use: PathUse,
  paths: PathSystem = diskPaths,
): Promise<string> {
  if (paths.isAbsolute(path)) return findExistingSpelling(paths.resolve(path), roots, paths);
  const [own, ...others] = roots;
  const inOwn = await findExistingSpelling(paths.resolve(own?.path ?? "", path), roots, paths);
  if (!own || others.length === 0 || (await paths.mayExist(inOwn))) return inOwn;
  const [first = "", ...rest] = paths.splitNames(path.replace(/^(?:\.[\\/]+)+/, ""));
  const called = roots.find(({ name }) => name === first) ?? roots.find(({ name }) => hasSameName(name, first));
  const inNamed = called && (await findExistingSpelling(paths.resolve(called.path, ...rest), roots, paths));
  if (inNamed !== undefined && !(await paths.mayExist(paths.resolve(own.path, first)))) return inNamed;
  if (use === "new") return inOwn;
  if (inNamed !== undefined && (await paths.mayExist(inNamed))) return inNamed;
  return (await findInOtherFolder(path, others, own, paths)) ?? inOwn;
}

/** A path with each name as spelled in its folder. Existing names stay; throws if a name could match several. */
async function findExistingSpelling(path: string, roots: readonly Root[], paths: PathSystem): Promise<string> {
  const root = findRootAround(path, roots, paths);
  const names = root ? getPathInRoot(path, root, paths).split("/") : [];
  if (!root || (isAscii(path) && !path.includes(" ")) || (await paths.mayExist(path))) return path;
  let at = root.path;
  for (const name of names) {
    const here = paths.resolve(at, name);
    at = (await paths.mayExist(here)) ? here : paths.resolve(at, await findExistingName(at, name, paths));
  }
  return at;
}

async function findExistingName(folder: string, name: string, paths: PathSystem): Promise<string> {
  const entries = await paths.listEntries(folder).catch(() => []);
  const like = entries.filter((entry) => unifyForms(entry.name) === unifyForms(name));
  const found = like.filter((entry) => entry.name.normalize() === name.normalize());
  const [only = name, another] = (found.length > 0 ? found : like).map((entry) => entry.name);
  if (another === undefined) return only;
  throw new WorkspaceError(
    `Several names there look like "${name}" and differ in their Unicode forms or spaces. Copy the exact one from list_files.`,
  );
}

/** The path in the only other folder that has it. Throws if several do. */
async function findInOtherFolder(
  path: string,
  others: readonly Root[],
  own: Root,
  paths: PathSystem,
): Promise<string | undefined> {
  const found: { readonly root: Root; readonly path: string }[] = [];
  for (const root of others) {
    const candidate = await findExistingSpelling(paths.resolve(root.path, path), [root], paths);
    if (paths.isAtOrBelow(candidate, root.path) && (await paths.mayExist(candidate)))
      found.push({ root, path: candidate });
  }
  if (found.length <= 1) return found[0]?.path;
  const labels = found.map((one) => `"${one.root.prefix}${getPathInRoot(one.path, one.root, paths)}"`).join(", ");
  throw new WorkspaceError(
    `"${path}" is not in the folder "${own.name}", but in several others: ${labels}. Say which one.`,
  );
}

function hasSameName(one: string, other: string): boolean {
  return unifyForms(one).toLowerCase() === unifyForms(other).toLowerCase();
}
