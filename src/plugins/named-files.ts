import { stat } from "node:fs/promises";
import { join } from "node:path";
import { openLinkedFile, readBounded } from "../plain-file.ts";
import { sha256 } from "../sha256.ts";

/** Files that decide what a tool runs. */
const MANIFESTS: readonly (readonly [tool: RegExp, name: string])[] = [
  [/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/, "package.json"],
  [/^g?make$/, "Makefile"],
  [/^just$/, "justfile"],
  [/^(?:uv|poetry|tox|nox|hatch)$/, "pyproject.toml"],
];

/** Names of files that decide what a tool runs, beside the words of its command line. */
export function manifestsOf(tool: string): readonly string[] {
  return MANIFESTS.filter(([known]) => known.test(tool)).map(([, name]) => name);
}

/** Names that Node and Python take for the program of a folder, and the endings that they add to a name. */
const OF_FOLDER = ["package.json", "index.js", "index.mjs", "index.cjs", "__init__.py", "__main__.py"];
const ENDINGS = [".js", ".mjs", ".cjs", ".json", ".ts", ".py"];

/** The files that a path stands for where it is run: the file itself, those of a folder, or the name with its ending. */
export async function filesFor(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return [path];
  const possible = found?.isDirectory()
    ? OF_FOLDER.map((name) => join(path, name))
    : ENDINGS.map((ending) => `${path}${ending}`);
  const there = await Promise.all(possible.map((one) => stat(one).catch(() => undefined)));
  return possible.filter((_one, index) => there[index]?.isFile());
}

const MAX_SCRIPT_BYTES = 20_000_000;

/** A hash of a file's content; of a large or unreadable one, of what is known about it. */
export async function contentHash(path: string): Promise<string> {
  try {
    const file = await openLinkedFile(path);
    try {
      const { size, mtimeMs } = await file.stat();
      return size > MAX_SCRIPT_BYTES ? `${size} ${mtimeMs}` : sha256(await readBounded(file));
    } finally {
      await file.close();
    }
  } catch {
    return "unreadable";
  }
}
