import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renameFile, retryWhileOpen } from "../../../src/disk/rename-file.ts";
import { replaceFile } from "../../../src/disk/replace-file.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { whileOpenElsewhere } from "../../support/faulty-disk.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** Fails so often with a system's error; returns how often it was tried. */
async function countTries(path: string, code: string, failures: number, platform: NodeJS.Platform) {
  let tries = 0;
  const act = () => {
    if (++tries <= failures) throw Object.assign(new Error(`${code}: refused`), { code });
  };
  const error: unknown = await retryWhileOpen(path, act, platform).catch((reason: unknown) => reason);
  return { tries, error: error instanceof Error ? `${Object(error).code} ${error.message}` : "none" };
}

/** Each wait is at least half of its average, and these are a second together. */
const LEAST_WAIT_MS = 450;

describe("what Windows refuses while another program has a file open", () => {
  for (const code of ["EPERM", "EACCES", "EBUSY"])
    it(`is tried again until the file is closed: ${code}`, async () => {
      const path = join(await tempFolder(), "a.txt");
      await writeFile(path, "");
      assert.deepEqual(await countTries(path, code, 3, "win32"), { tries: 4, error: "none" });
    });

  it("fails after about a second, with the likely programs and the next step", async () => {
    const path = join(await tempFolder(), "a.txt");
    await writeFile(path, "");
    const begun = performance.now();
    const { tries, error } = await countTries(path, "EPERM", 99, "win32");
    assert.deepEqual(
      { tries, error, hasWaited: performance.now() - begun > LEAST_WAIT_MS },
      {
        tries: 8,
        error: `EBUSY Another program has ${path} open, such as a virus scanner, a build or an editor. Close the file there, and try again.`,
        hasWaited: true,
      },
    );
  });

  it("is tried once if waiting can't help: other errors, folders and read-only files", async () => {
    const folder = await tempFolder();
    const path = join(folder, "a.txt");
    await writeFile(path, "");
    const other = await countTries(path, "ENOSPC", 1, "win32");
    await mkdir(join(folder, "sub"));
    const onFolder = await countTries(join(folder, "sub"), "EPERM", 1, "win32");
    await chmod(path, 0o444);
    const onReadOnly = await countTries(path, "EPERM", 1, "win32");
    assert.deepEqual(
      { other, onFolder, onReadOnly },
      {
        other: { tries: 1, error: "ENOSPC ENOSPC: refused" },
        onFolder: { tries: 1, error: "EPERM EPERM: refused" },
        onReadOnly: { tries: 1, error: "EPERM EPERM: refused" },
      },
    );
  });

  for (const platform of ["linux", "darwin"] as const)
    it(`is tried once on ${platform}`, async () => {
      const path = join(await tempFolder(), "a.txt");
      assert.deepEqual(await countTries(path, "EACCES", 1, platform), { tries: 1, error: "EACCES EACCES: refused" });
    });

  it("holds for a file that is renamed, and one that is replaced", async () => {
    const folder = await tempFolder();
    const [from, to] = [join(folder, "from.txt"), join(folder, "to.txt")];
    for (const path of [from, to]) await writeFile(path, path);
    const isHeld = (tries: number): boolean => tries <= 2;
    const renamed = await whileOpenElsewhere(/to\.txt$/, () => renameFile(from, to), isHeld);
    const replaced = await whileOpenElsewhere(/to\.txt$/, () => replaceFile(to, "new"), isHeld);
    assert.deepEqual(
      { tries: [renamed.tries, replaced.tries], content: await readFile(to, "utf8"), names: await readdir(folder) },
      { tries: [3, 3], content: "new", names: ["to.txt"] },
    );
  });

  it("holds for a file that the agent edits, and the model reads why it couldn't be", async () => {
    const folder = await tempFolder();
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    await writeFile(join(folder, "a.txt"), "old");
    const edit = async (isHeld: (tries: number) => boolean) => {
      const place = await workspace.locate("a.txt");
      const file = { text: "new", encoding: "utf-8", bom: false, eol: "\n" } as const;
      const write = () => workspace.write(place, file).catch((error: unknown) => String(error));
      return (await whileOpenElsewhere(/a\.txt$/, write, isHeld)).result;
    };
    assert.deepEqual(
      { held: await edit(() => true), freed: await edit((tries) => tries < 3), all: await readAll(folder) },
      {
        held: 'WorkspaceError: "a.txt" is in use by another program, such as a virus scanner, a build or an editor. Try again later, or ask the user to close it there.',
        freed: undefined,
        all: { "a.txt": "new" },
      },
    );
  });
});

async function readAll(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}
