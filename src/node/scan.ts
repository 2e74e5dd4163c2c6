import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "./file-errors.ts";
import { ignoreRules } from "./ignore-files.ts";
import { walk } from "./walk.ts";

/** Each file's size and time of change, by its path. */
type Scan = ReadonlyMap<string, string>;

/** More files, or more time, than this is not cheap any more. */
const MOST_FILES = 20_000;
const MOST_MS = 500;

/** Looks at all files of some folders again and again, until that has once taken too long. */
export function scanner(folders: () => readonly string[]): () => Promise<Scan | undefined> {
  let tooLong = false;
  return async () => {
    const found = tooLong ? undefined : await scanFolders(folders());
    tooLong = found === undefined;
    return found;
  };
}

/** Looks at all files below some folders that git does not ignore; undefined when that would take too long. */
async function scanFolders(folders: readonly string[]): Promise<Scan | undefined> {
  const found = new Map<string, string>();
  const end = Date.now() + MOST_MS;
  let tooMuch = false;
  const { signal } = new AbortController();
  for (const root of folders) {
    await walk({ root, relative: "", rules: ignoreRules(root) }, signal, async ({ relative, kind }) => {
      tooMuch = found.size >= MOST_FILES || Date.now() > end;
      if (tooMuch) return "stop";
      if (kind === "file") await note(found, join(root, relative));
      return "go on";
    });
    if (tooMuch) return undefined;
  }
  return found;
}

async function note(found: Map<string, string>, path: string): Promise<void> {
  try {
    const { size, mtimeNs, ino } = await lstat(path, { bigint: true });
    found.set(path, `${size} ${mtimeNs} ${ino}`);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "EACCES", "EPERM")) throw error;
  }
}
