import assert from "node:assert/strict";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findFoldersToOwn, replaceBorrowedFolders } from "../../../../src/isolation/walls/own-folders.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const newFolder = tempFolders();

describe("the folders that a run without writable layers gets of its own", () => {
  const borrowed = ["node_modules", ".venv", "target", "vendor"].map((name) => ({
    origin: `/w/${name}`,
    path: `/c/app/${name}`,
  }));

  it("are made through no link that the run has put above them", async () => {
    const top = await newFolder();
    const [home, outside] = [join(top, "home"), join(top, "outside")];
    for (const folder of [home, outside]) await mkdir(folder);
    await makeLink("/", join(outside, "node_modules"));
    await makeLink(outside, join(home, "sub"));
    const one = { origin: join(top, "none"), path: join(home, "sub/node_modules") };
    const copy = { run: "r", home, folders: [], visible: [home], borrowed: [one], objects: [], notes: [] };
    const { signal } = new AbortController();
    const notes = await replaceBorrowedFolders(copy, [one], { quotaBytes: 1e6, signal });
    const isLeft = (await lstat(join(outside, "node_modules"))).isSymbolicLink();
    assert.deepEqual([isLeft, notes.length], [true, 1]);
  });

  for (const [line, names] of [
    ["npm install left-pad", "node_modules"],
    ["cd web && pnpm add x", "node_modules"],
    [".venv/bin/pip install six", ".venv"],
    ["uv sync && cargo build", ".venv target"],
    ["composer update", "vendor"],
    ["npm test", ""],
    ["pip list", ""],
    ["ls node_modules", ""],
    ["node --test", ""],
  ] as const)
    it(`are for ${line}: ${names || "none"}`, () => {
      const found = findFoldersToOwn(line, borrowed).map(({ path }) => path.slice("/c/app/".length));
      assert.equal(found.join(" "), names);
    });
});
