import { strict as assert } from "node:assert";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openCopy } from "../../../src/isolation/copy/copy-record.ts";
import { replaceBorrowedFolder } from "../../../src/isolation/walls/own-folders.ts";
import { changesOf, copyOf } from "../../support/copies.ts";
import { writeFiles } from "../../support/repositories.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("Borrowed folders of a copy", () => {
  const newFolder = tempFolders();
  const options = { quotaBytes: 1e9, signal: new AbortController().signal, reportProgress: () => undefined };

  it("become the copy's own, and their files aren't changes", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    writeFiles(project, { "node_modules/x/a.js": "1", "a.js": "a" });
    await makeLink("../x/a.js", join(project, "node_modules/x/link.js"));
    const copy = await copyOf(top, [project]);
    const [borrowed] = copy.borrowed;
    assert.ok(borrowed);
    await replaceBorrowedFolder(copy, borrowed, options);
    await writeFile(join(borrowed.path, "x/a.js"), "2");
    assert.deepEqual(
      {
        borrowed: [copy.borrowed, (await openCopy(copy.home)).borrowed],
        files: await readdir(join(borrowed.path, "x")),
        workspace: await readFile(join(project, "node_modules/x/a.js"), "utf8"),
        changes: await changesOf(copy),
        left: (await readdir(copy.home)).sort(),
      },
      {
        borrowed: [[], []],
        files: ["a.js", "link.js"],
        workspace: "1",
        changes: {},
        left: ["copy.json", "files", "kept", "paths.jsonl", "size"],
      },
    );
  });

  it("aren't put anywhere through a link that a program of the run made", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    writeFiles(project, { "sub/node_modules/x/a.js": "1", "a.js": "a" });
    const copy = await copyOf(top, [project]);
    const [borrowed] = copy.borrowed;
    assert.ok(borrowed);
    const sub = join(copy.folders[0]?.path ?? "", "sub");
    await rm(sub, { recursive: true });
    await mkdir(join(top, "elsewhere"));
    await makeLink(join(top, "elsewhere"), sub);
    await assert.rejects(replaceBorrowedFolder(copy, borrowed, options), /moved or replaced by a link/);
    assert.deepEqual(
      { elsewhere: await readdir(join(top, "elsewhere")), borrowed: copy.borrowed.length },
      { elsewhere: [], borrowed: 1 },
    );
  });
});
