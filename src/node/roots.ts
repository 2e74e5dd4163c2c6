import { realpath } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import { WorkspaceError } from "../core/ports.ts";

/** A folder of the workspace. */
export interface Folder {
  readonly name: string;
  readonly path: string;
}

/** A workspace folder by its real path. */
export interface Root extends Folder {
  /** What the labels of its files begin with: nothing when it is the only folder, else its name and `/`. */
  readonly prefix: string;
}

/** The workspace's folders as they are now; of two with the same name the later gets a number. */
export async function rootsOf(folders: readonly Folder[]): Promise<readonly Root[]> {
  const names = new Set<string>();
  const roots: Root[] = [];
  for (const { name, path } of folders) {
    let unique = name;
    for (let count = 2; names.has(unique); count++) unique = `${name} (${count})`;
    names.add(unique);
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined)
      roots.push({ name: unique, path: real, prefix: folders.length > 1 ? `${unique}/` : "" });
  }
  if (roots.length > 0) return roots;
  throw new WorkspaceError("No folder is open, so there are no files. Ask the user to open one.");
}

/** The root that holds a real path; undefined when none does. */
export function rootAround(path: string, roots: readonly Root[]): Root | undefined {
  return roots
    .filter(
      (root) => path === root.path || path.startsWith(root.path.endsWith(sep) ? root.path : root.path + sep),
    )
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** A path within its root, with `/`; `""` for the root itself. */
export function within(path: string, root: Root): string {
  return path
    .slice(root.path.length)
    .split(sep)
    .filter((name) => name !== "")
    .join("/");
}

/** The absolute path that a name stands for, before any link is followed. */
export function absolutePath(path: string, roots: readonly Root[]): string {
  if (isAbsolute(path)) return resolve(path);
  const [only, ...others] = roots;
  if (only && others.length === 0) return resolve(only.path, path);
  const [first = "", ...rest] = path.replace(/^(?:\.[\\/]+)+/, "").split(sep === "\\" ? /[\\/]/ : "/");
  const named = roots.find(({ name }) => name === first) ?? roots.find(({ name }) => sameName(name, first));
  if (named) return resolve(named.path, ...rest);
  const names = roots.map(({ name }) => `"${name}"`).join(", ");
  throw new WorkspaceError(
    `"${path}" does not begin with one of the workspace's folders. Put one of them first: ${names}.`,
  );
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
