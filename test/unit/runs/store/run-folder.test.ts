import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { createRunId, ensureHomeFolder, isRunId, shareFolder } from "../../../../src/runs/store/run-folder.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("a run's id", () => {
  it("shows when the run began and what it is about", () => {
    assert.equal(
      createRunId("Crème Brûlée!", new Date(2026, 0, 2, 3, 4, 5), "0a1b"),
      "20260102_030405_creme-brulee_0a1b",
    );
  });

  it("differs between two runs of one second", () => {
    const now = new Date();
    assert.notEqual(createRunId("a", now), createRunId("a", now));
  });

  it("is one, whatever the name", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (name) => isRunId(createRunId(name, new Date()))));
  });

  const others = [
    "",
    "..",
    "20260102_030405_a",
    "20260102_030405_a_0a1b/..",
    "x20260102_030405_a_0a1b",
    "20260102_030405_A_0a1b",
  ];
  for (const other of others) {
    it(`is not ${JSON.stringify(other)}`, () => assert.equal(isRunId(other), false));
  }
});

describe("the folder of ours in a workspace", () => {
  const ignored = async (home: string): Promise<readonly string[] | null> =>
    (await readFile(join(home, ".gitignore"), "utf8")).match(/^[^#\n]+$/gm);

  it("is made without anything but notes for version control, until a profile is saved", async () => {
    const folder = await tempFolder();
    const home = await ensureHomeFolder(folder, "/nowhere");
    const atFirst = await ignored(home);
    await shareFolder(home);
    assert.deepEqual(
      { home, atFirst, later: await ignored(home) },
      {
        home: join(folder, ".autogpt"),
        atFirst: ["*", "!/notes/", "!/notes/*.md"],
        later: ["runs/", "memory/"],
      },
    );
  });

  it("keeps only runs and memories out of version control where the repository has rules or profiles", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, ".autogpt/profiles"), { recursive: true });
    assert.deepEqual(await ignored(await ensureHomeFolder(folder, "/nowhere")), ["runs/", "memory/"]);
  });

  it("leaves a .gitignore that is there alone", async () => {
    const folder = await tempFolder();
    const home = await ensureHomeFolder(folder, "/nowhere");
    await writeFile(join(home, ".gitignore"), "mine");
    await ensureHomeFolder(folder, "/nowhere");
    await shareFolder(home);
    assert.equal(await readFile(join(home, ".gitignore"), "utf8"), "mine");
  });

  it("lies elsewhere when the workspace folder cannot be written", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, ".autogpt"), "a file in its place");
    const fallback = join(folder, "elsewhere");
    assert.equal(await ensureHomeFolder(folder, fallback), fallback);
  });
});
