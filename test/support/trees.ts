import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What stands at a path: a file's text or bytes, or where a link leads. */
export type Entry = string | Buffer | { readonly link: string };

/** Files below a folder, by path. */
export type Tree = Readonly<Record<string, Entry>>;

/** Writes a tree; folders on the way are made. */
export async function plant(folder: string, tree: Tree): Promise<void> {
  for (const [name, entry] of Object.entries(tree)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    if (typeof entry === "string" || Buffer.isBuffer(entry)) await writeFile(path, entry);
    else await symlink(entry.link, path);
  }
}

/** All that is below a folder now: files by their bytes as Latin-1, links as they are, empty folders with a `/`. */
export async function grown(folder: string): Promise<Record<string, Entry>> {
  const entries: [string, Entry][] = [];
  const names = await readdir(folder, { recursive: true });
  for (const name of names.sort()) {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) entries.push([name, { link: await readlink(path) }]);
    else if (stats.isFile()) entries.push([name, await readFile(path, "latin1")]);
    else if ((await readdir(path)).length === 0) entries.push([`${name}/`, ""]);
  }
  return Object.fromEntries(entries);
}
