import { realpath } from "node:fs/promises";
import { basename, isAbsolute, resolve, sep } from "node:path";
import { type PathUse, WorkspaceError } from "../../core/ports/workspace.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { isAtOrBelow, mayExist } from "./real-path.ts";

/** How paths are written and compared in one kind of workspace. */
export interface PathSystem {
  isAbsolute(path: string): boolean;
  resolve(folder: string, ...names: string[]): string;
  isAtOrBelow(path: string, folder: string): boolean;
  /** The names in a relative path. */
  names(path: string): readonly string[];
  /** False only when there is certainly no such file. */
  mayExist(path: string): Promise<boolean>;
}

/** Paths on this machine's disk. */
export const diskPaths: PathSystem = {
  isAbsolute,
  resolve,
  isAtOrBelow,
  names: (path) => path.split(sep === "\\" ? /[\\/]/ : "/"),
  mayExist,
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
export function foldersOfRun(
  folder: string,
  open: readonly WorkspaceFolder[],
  inPrompt: readonly WorkspaceFolder[] = [],
): readonly WorkspaceFolder[] {
  const own = open.find(({ path }) => path === folder);
  if (!own) return [{ name: basename(folder), path: folder }];
  const known = inPrompt.filter(({ path }) => open.some((one) => one.path === path));
  const others = open.filter(({ path }) => path !== folder);
  const rest = [own, ...others].filter(({ path }) => !known.some((one) => one.path === path));
  return withOwnNames([...known, ...rest]);
}

/** The second of two folders with the same name gets a number. */
function withOwnNames(folders: readonly WorkspaceFolder[]): readonly WorkspaceFolder[] {
  const names = new Set<string>();
  return folders.map(({ name, path }) => {
    let unique = name;
    for (let count = 2; names.has(unique); count++) unique = `${name} (${count})`;
    names.add(unique);
    return { name: unique, path };
  });
}

/** The workspace's current folders, the run's own first. */
export async function rootsOf(folders: readonly WorkspaceFolder[]): Promise<readonly Root[]> {
  const found: WorkspaceFolder[] = [];
  const named = withOwnNames(folders);
  for (const { name, path } of named) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) found.push({ name, path: real });
  }
  return rootsAt(found, named, diskPaths);
}

/** The roots in folders that aren't on disk. */
export function rootsElsewhere(
  folders: readonly WorkspaceFolder[],
  paths: PathSystem,
): Promise<readonly Root[]> {
  const named = withOwnNames(folders);
  return rootsAt(named, named, paths);
}

/** The roots of those folders that were found. */
async function rootsAt(
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
export function rootAround(
  path: string,
  roots: readonly Root[],
  paths: PathSystem = diskPaths,
): Root | undefined {
  return roots
    .filter((root) => paths.isAtOrBelow(path, root.path))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** A path relative to its root, with `/`; `""` for the root itself. */
export function within(path: string, root: Root, paths: PathSystem = diskPaths): string {
  return paths
    .names(path.slice(root.path.length))
    .filter((name) => name !== "")
    .join("/");
}

/** The absolute path of a name, before any link is followed. */
export async function absolutePath(
  path: string,
  roots: readonly Root[],
  use: PathUse,
  paths: PathSystem = diskPaths,
): Promise<string> {
  if (paths.isAbsolute(path)) return paths.resolve(path);
  const [own, ...others] = roots;
  const inOwn = paths.resolve(own?.path ?? "", path);
  if (!own || others.length === 0 || (await paths.mayExist(inOwn))) return inOwn;
  const [first = "", ...rest] = paths.names(path.replace(/^(?:\.[\\/]+)+/, ""));
  const called = roots.find(({ name }) => name === first) ?? roots.find(({ name }) => sameName(name, first));
  const inNamed = called && paths.resolve(called.path, ...rest);
  if (inNamed !== undefined && !(await paths.mayExist(paths.resolve(own.path, first)))) return inNamed;
  if (use === "new") return inOwn;
  if (inNamed !== undefined && (await paths.mayExist(inNamed))) return inNamed;
  return (await inAnother(path, others, own, paths)) ?? inOwn;
}

/** The path in the only other folder that has it. Throws if several do. */
async function inAnother(
  path: string,
  others: readonly Root[],
  own: Root,
  paths: PathSystem,
): Promise<string | undefined> {
  const found: { readonly root: Root; readonly path: string }[] = [];
  for (const root of others) {
    const candidate = paths.resolve(root.path, path);
    if (paths.isAtOrBelow(candidate, root.path) && (await paths.mayExist(candidate)))
      found.push({ root, path: candidate });
  }
  if (found.length <= 1) return found[0]?.path;
  const labels = found.map((one) => `"${one.root.prefix}${within(one.path, one.root, paths)}"`).join(", ");
  throw new WorkspaceError(
    `"${path}" is not in the folder "${own.name}", but in several others: ${labels}. Say which one.`,
  );
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
