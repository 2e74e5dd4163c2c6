import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeLink } from "./skips.ts";

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
    else await makeLink(entry.link, path);
  }
}

/** All that is below a folder now: files by their bytes as Latin-1, links as they are, empty folders with a `/`. */
export async function grown(folder: string): Promise<Record<string, Entry>> {
  return Object.fromEntries(await entriesBelow(folder, ""));
}

async function entriesBelow(folder: string, prefix: string): Promise<[string, Entry][]> {
  const entries: [string, Entry][] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort(byName)) {
    const path = join(folder, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isSymbolicLink()) entries.push([name, { link: await readlink(path) }]);
    else if (entry.isFile()) entries.push([name, await readFile(path, "latin1")]);
    else if (entry.isDirectory()) entries.push(...(await filesOr(path, `${name}/`)));
  }
  return entries;
}

async function filesOr(folder: string, name: string): Promise<[string, Entry][]> {
  const below = await entriesBelow(folder, name);
  return below.length === 0 ? [[name, ""]] : below;
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}
