import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { mkdtemp, open, realpath, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A folder for one line that only the user can look into. It exists while the line runs. */
export interface LineFolder {
  /** Real path, of letters that mean the same in every shell. */
  readonly path: string;
  /** Writes a new file in it that only the user can read. */
  write(name: string, text: string): Promise<void>;
  /** Creates pipes in it. */
  createPipes(...names: readonly string[]): Promise<void>;
  /** Deletes a file, so that nothing can read it from now on. */
  withdraw(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** True for a path of characters that no shell gives a meaning. */
function isPlainPath(path: string): boolean {
  return /^[\w./@%+=:-]+$/.test(path);
}

/** Makes the folder below the system's for temporary files, or below `/tmp` where that has an unusual name. */
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
