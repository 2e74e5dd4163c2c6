import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes folders for the tests around it, and removes them after each. */
export function tempFolders(): () => Promise<string> {
  const made: string[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((folder) => remove(folder)));
  });
  return async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "autogpt-test-")));
    made.push(folder);
    return folder;
  };
}

/** A store may write once more while its folder is removed. */
function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
