import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { createFilesGrader, listFolderFiles, readFolderText } from "../src/graders.ts";

describe("graders of evals", () => {
  const newFolder = tempFolders();
  let folder: string;

  beforeEach(async () => {
    folder = await newFolder();
    await mkdir(join(folder, ".autogpt", "runs"), { recursive: true });
    await mkdir(join(folder, "docs"));
    await writeFile(join(folder, "a.txt"), "one  \ntwo\n\n");
    await writeFile(join(folder, "docs", "b.txt"), "B");
    await writeFile(join(folder, ".autogpt", "runs", "c.txt"), "C");
  });

  it("compare files without the white space at ends of lines and of the file", async () => {
    assert.deepEqual(await createFilesGrader({ "a.txt": "one\ntwo", "c.txt": null })({ folder }), {
      passed: true,
    });
  });

  it("say which file is missing, is another one, or should not be there", async () => {
    const wanted = [{ "x.txt": "" }, { "docs/b.txt": "C" }, { "a.txt": null }];

    const grades = await Promise.all(wanted.map((files) => createFilesGrader(files)({ folder })));

    assert.deepEqual(
      grades.map(({ why }) => why),
      ["There is no file x.txt.", 'docs/b.txt has "B".', "a.txt should not exist."],
    );
  });

  it("list the files of a folder without the agent's own", async () => {
    assert.deepEqual(
      { files: await listFolderFiles(folder), missing: await readFolderText(folder, "no.txt") },
      { files: ["a.txt", "docs/b.txt"], missing: undefined },
    );
  });
});
