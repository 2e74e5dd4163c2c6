import { constants, copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "./file-errors.ts";
import { ignoreRules } from "./ignore-files.ts";
import { walk } from "./walk.ts";

/**
 * Copies what the agent sees of a folder into a new one, and returns how many files that were: ignored files, installed packages, links
 * and version control stay behind. Throws a sentence when there is something at the new place already.
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<number> {
  if (`${to}/`.startsWith(`${from}/`))
    throw new Error("The new folder lies in the one that would be copied. Choose a place beside it.");
  await mkdir(dirname(to), { recursive: true });
  await mkdir(to).catch((error: unknown) => {
    throw hasCode(error, "EEXIST")
      ? new Error(`There is something at ${to} already. Name a folder that is not there yet.`)
      : error;
  });
  let files = 0;
  const start = { root: from, relative: "", rules: ignoreRules(from) };
  await walk(start, signal, async ({ relative, kind }) => {
    const target = join(to, relative);
    if (kind === "folder") await mkdir(target, { recursive: true });
    if (kind === "file") {
      await copyFile(join(from, relative), target, constants.COPYFILE_FICLONE);
      files += 1;
    }
    return "go on";
  });
  return files;
}
