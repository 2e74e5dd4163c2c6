import fs from "node:fs/promises";
import path from "node:path";
import { renameFile } from "../disk/rename-file.ts";
import { displayText } from "../texts/display-text.ts";
import { FolderLock } from "./store/folder-lock.ts";
import { convertToDiskError, MemoryError } from "./store/memory-error.ts";

/**
 * Renames a memory's folder, so that the next memory there starts empty and nothing is lost. Resolves with the new path. Throws
 * `MemoryError`, also while a program writes the memory; then nothing has changed.
 */
export async function setMemoryAside(folder: string): Promise<string> {
  const lock = new FolderLock(path.join(folder, "lock"));
  try {
    if ((await fs.lstat(folder)).isSymbolicLink()) throw new MemoryError(displayText("trouble.memoryFolderIsLink"));
    if (await lock.take()) throw new MemoryError(displayText("trouble.memoryInUse"));
    // Our .gitignore leaves out "memory/" alone, so the renamed folder needs its own.
    await fs.writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
    const aside = await findFreePath(`${folder}-earlier`);
    await renameFile(folder, aside);
    await fs.rm(path.join(aside, "lock"), { force: true });
    return aside;
  } catch (error) {
    await lock.release().catch(() => undefined);
    throw convertToDiskError(error);
  }
}

/** The path itself, or else the path with the first unused number. */
async function findFreePath(wanted: string, number = 1): Promise<string> {
  const name = number === 1 ? wanted : `${wanted}-${number}`;
  return (await fs.lstat(name).catch(() => undefined)) ? findFreePath(wanted, number + 1) : name;
}
