import { lstat, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Repository } from "../core/machine-ports.ts";
import { fileText } from "../plain-file.ts";

/** The repository around a folder, by the first `.git` on the way up; the same that git itself would find, but for bare ones. */
export async function repositoryAround(folder: string): Promise<Repository | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const gitFolder = await gitFolderIn(at);
    if (gitFolder !== undefined) return { root: at, gitFolder };
    if (dirname(at) === at) return undefined;
  }
}

/** The real folder that holds the history of a work tree: its `.git`, or what its `.git` file leads to. */
async function gitFolderIn(root: string): Promise<string | undefined> {
  const path = join(root, ".git");
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return undefined;
  const named = stats.isFile()
    ? /^gitdir: (.+?)\r?\n?$/.exec(await fileText(path).catch(() => ""))?.[1]
    : path;
  const real = named === undefined ? undefined : await realpath(resolve(root, named)).catch(() => undefined);
  return real !== undefined && (await lstat(join(real, "HEAD")).catch(() => undefined)) ? real : undefined;
}
