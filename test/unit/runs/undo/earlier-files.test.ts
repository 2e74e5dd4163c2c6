import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyFolder } from "../../../../src/node/search/folder-contents.ts";
import { listEarlierStates, makeEarlier } from "../../../../src/runs/undo/earlier-files.ts";
import { createPreImages } from "../../../../src/runs/undo/pre-images.ts";
import { onCaselessDisk } from "../../../support/caseless-disk.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();
const { signal } = new AbortController();

/** A folder in which the agent wrote, changed, moved and deleted, in this order, with the user in between. */
async function workedOn() {
  const root = await tempFolder();
  const [work, run] = [join(root, "work"), join(root, "run")];
  await mkdir(work);
  await writeFile(join(work, "old.txt"), "old\n");
  await writeFile(join(work, ".gitignore"), "kept-out/\n");
  await mkdir(join(work, "kept-out"));
  await writeFile(join(work, "kept-out/big.bin"), "big");
  const bench = new UndoBench(work, run);
  await bench.write("new.txt", "first\n");
  await bench.write("new.txt", "second\n");
  await bench.act("move_file", { source: "old.txt", destination: "moved.txt" });
  await bench.write("deep/er/file.txt", "deep\n");
  return { root, work, run, bench };
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(
      async (file) => [file.slice(folder.length + 1).replaceAll("\\", "/"), await readFile(file, "utf8")] as const,
    ),
  );
  return Object.fromEntries(texts.toSorted());
}

describe("a copy of a folder as it was after a step", () => {
  it("has the files of that step, without what git ignores", async () => {
    const { root, work, run, bench } = await workedOn();
    const copy = join(root, "copy");
    const files = await copyFolder(work, copy, signal);
    const states = listEarlierStates(await bench.journal.read(), 1);
    const lost = await makeEarlier(states, { from: work, copy, kept: createPreImages(run) });
    assert.deepEqual(
      { files, lost, found: await filesIn(copy) },
      {
        files: 4,
        lost: [],
        found: { ".gitignore": "kept-out/\n", "new.txt": "first\n", "old.txt": "old\n" },
      },
    );
  });

  it("has a name in its earlier case, where the disk ignores case", async () => {
    const root = await tempFolder();
    const [work, run, copy] = [join(root, "work"), join(root, "run"), join(root, "copy")];
    await mkdir(work);
    await writeFile(join(work, "A.txt"), "a");
    const bench = new UndoBench(work, run);
    await onCaselessDisk(async () => {
      await bench.act("move_file", { source: "A.txt", destination: "a.txt" });
      await copyFolder(work, copy, signal);
      const states = listEarlierStates(await bench.journal.read(), 0);
      await makeEarlier(states, { from: work, copy, kept: createPreImages(run) });
    });
    assert.deepEqual(await filesIn(copy), { "A.txt": "a" });
  });

  it("says which file cannot be made as it was", async () => {
    const { root, work, run, bench } = await workedOn();
    await rename(join(run, "pre-images"), join(run, "gone"));
    const copy = join(root, "copy");
    await copyFolder(work, copy, signal);
    const states = listEarlierStates(await bench.journal.read(), 1);
    assert.deepEqual(await makeEarlier(states, { from: work, copy, kept: createPreImages(run) }), [
      "new.txt",
      "old.txt",
    ]);
  });

  it("is not made over something, nor inside what is copied", async () => {
    const { root, work } = await workedOn();
    await assert.rejects(copyFolder(work, root, signal), { message: /something at/ });
    await assert.rejects(copyFolder(work, join(work, "in"), signal), { message: /lies in the one/ });
  });
});

describe("undoing all steps after one, in place", () => {
  it("makes the files as they were then", async () => {
    const { work, bench } = await workedOn();
    await bench.undo.undo({ after: 1 });
    assert.deepEqual(await filesIn(work), {
      ".gitignore": "kept-out/\n",
      "kept-out/big.bin": "big",
      "new.txt": "first\n",
      "old.txt": "old\n",
    });
  });
});
