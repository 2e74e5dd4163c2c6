import { lstat, rename } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { hasCode } from "./error-codes.ts";

/** The average waits between attempts, in milliseconds: about a second together. */
const WAITS_MS = [10, 20, 40, 80, 150, 300, 400];

/** Renames a file or folder, and replaces a file. Waits while another program has it open; see `retryWhileOpen`. */
export function renameFile(from: string, to: string, platform = process.platform): Promise<void> {
  return retryWhileOpen(to, () => rename(from, to), platform);
}

/**
 * Does something that replaces, moves or deletes the file at a path. Windows refuses that while another program has it open, so it's tried
 * again for about a second. If the file is still open then, throws an error with the code `EBUSY` that says so.
 */
export async function retryWhileOpen<T>(
  path: string,
  act: () => T | Promise<T>,
  platform: NodeJS.Platform = process.platform,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (platform !== "win32" || !hasCode(error, "EACCES", "EBUSY", "EPERM") || !(await mayBeReplaced(path)))
        throw error;
      const waitMs = WAITS_MS[attempt];
      if (waitMs === undefined) throw createOpenFileError(path, error);
      // Several that wait for each other would otherwise all try again at the same moment.
      await pause(waitMs * (0.5 + Math.random()));
    }
  }
}

/** False for a folder and for a read-only file, which Windows never replaces. */
async function mayBeReplaced(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats === undefined || (!stats.isDirectory() && (stats.mode & 0o200) !== 0);
}

function createOpenFileError(path: string, cause: unknown): Error {
  const message = `Another program has ${path} open, such as a virus scanner, a build or an editor. Close the file there, and try again.`;
  return Object.assign(new Error(message, { cause }), { code: "EBUSY" });
}
