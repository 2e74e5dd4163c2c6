import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { mkdtemp, open, realpath, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A private folder for one line, which exists while the line runs. Only the user can read it. */
export interface LineFolder {
  /** Real path with only characters that mean the same in every shell. */
  readonly path: string;
  /** Writes a new file in it that only the user can read. */
  write(name: string, text: string): Promise<void>;
  /** Creates pipes in it. */
  createPipes(...names: readonly string[]): Promise<void>;
  /** Deletes a file, so that nothing can read it anymore. */
  withdraw(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** True for a path without characters that are special in a shell. */
function isPlainPath(path: string): boolean {
  return /^[\w./@%+=:-]+$/.test(path);
}

/** Creates the folder in the system's folder for temporary files, or in `/tmp` if that path is unusual. */
export async function createLineFolder(isPlain = isPlainPath): Promise<LineFolder> {
  const own = await realpath(tmpdir());
  const path = await mkdtemp(join(isPlain(own) ? own : "/tmp", "autogpt-line-"));
  return {
    path,
    async write(name, text) {
      const { O_WRONLY, O_CREAT, O_EXCL } = constants;
      const file = await open(join(path, name), O_WRONLY | O_CREAT | O_EXCL, 0o600);
      await file.writeFile(text).finally(() => file.close());
    },
    createPipes: async (...names) => {
      await promisify(execFile)("mkfifo", ["-m", "600", ...names.map((name) => join(path, name))]);
    },
    withdraw: (name) => unlink(join(path, name)).catch(() => undefined),
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
