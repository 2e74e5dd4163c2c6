import assert from "node:assert/strict";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFilesByPath } from "../../../../src/node/search/indexed-files.ts";
import { NodeFolderWatch } from "../../../../src/node/watch/folder-watch.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { testFiles } from "../../../support/test-ripgrep.ts";
import { plant, type Tree } from "../../../support/trees.ts";
import { NO_WATCH } from "../../../support/undo-bench.ts";

const signal = new AbortController().signal;

describe("the list of a workspace's files", () => {
  const tempFolder = tempFolders();
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** The same folder, listed and searched with kept lists and by walking. */
  async function planted(tree: Tree) {
    const folder = await tempFolder();
    await plant(folder, tree);
    const watch = new NodeFolderWatch(new URL("../../../../src/node/watch/watch-worker.ts", import.meta.url));
    const files = testFiles({ watch, leftOut: (path) => path.endsWith(".env") });
    closing.push(
      () => files.close(),
      () => watch.close(),
    );
    const options = {
      folders: [{ name: "project", path: folder }],
      leftOut: (path: string) => path.endsWith(".env"),
    };
    const [kept, walked] = [createNodeWorkspace({ ...options, files }), createNodeWorkspace(options)];
    const both = async (where: string, glob?: string) => {
      const wanted = { ...(glob === undefined ? {} : { glob }), limit: 999, signal };
      return Promise.all([kept, walked].map(async (one) => one.list(await one.locate(where), wanted)));
    };
    const notes = async (where: string) => {
      const query = { pattern: "nothing like it", regex: false, limit: 9, signal };
      return Promise.all([kept, walked].map(async (one) => (await one.search(await one.locate(where), query)).note));
    };
    return { folder, both, notes };
  }

  const TREE: Tree = {
    ".gitignore": "*.log\nout/\n",
    "a/b/c.txt": "c",
    "a/.autogptignore": "own*\n",
    "a/own.txt": "",
    "a/x.log": "",
    "a/.env": "",
    "big.txt": "x".repeat(2 * 1024 * 1024 + 1),
    "out/x.txt": "",
    "out/deep/.env": "",
    link: { link: "a" },
    "only-ignored/x.log": "",
  };

  it("is what a walk finds: empty folders and links too, and the same number of omissions", async () => {
    const { folder, both, notes } = await planted(TREE);
    await mkdir(join(folder, "empty"));
    for (const [where, glob] of [["."], ["a"], ["out"], [".", "*.txt"], [".", "empty"]] as const) {
      const [kept, walked] = await both(where, glob);
      assert.deepEqual(kept, walked);
    }
    const [kept, walked] = await notes(".");
    assert.deepEqual(
      [kept, kept],
      [walked, "1 file was left out, because it may contain secrets. 4 ignored or excluded entries were left out."],
    );
  });

  it("follows every change at once", async () => {
    const { folder, both, notes } = await planted(TREE);
    await both(".");
    const changes: (() => Promise<unknown>)[] = [
      () => plant(folder, { "new/deep/file.txt": "", "a/b/added.txt": "", "a/b/added.log": "" }),
      () => rename(join(folder, "new"), join(folder, "a/renamed")),
      () => rm(join(folder, "a/b"), { recursive: true }),
      () => rm(join(folder, "big.txt")),
      () => writeFile(join(folder, "a/renamed/deep/file.txt"), "x".repeat(3_000_000)),
      () => plant(folder, { "a/b": "a file now" }),
      () => makeLink("a", join(folder, "another-link")),
      () => writeFile(join(folder, ".gitignore"), "renamed/\n"),
      () => rm(join(folder, "a/.autogptignore")),
    ];
    for (const change of changes) {
      await change();
      const [kept, walked] = await both(".");
      const [note, walkedNote] = await notes(".");
      assert.deepEqual([kept, note], [walked, walkedNote], String(change));
    }
  });

  it("is listed again each time where changes can't be watched", async () => {
    const folder = await tempFolder();
    await plant(folder, { "a.txt": "" });
    const files = testFiles({ watch: NO_WATCH });
    closing.push(() => files.close());
    const names = async () => (await files.loadFolders(folder, signal))?.get("")?.names;
    const before = await names();
    await plant(folder, { "b.txt": "" });
    assert.deepEqual([before, await names()], [["a.txt"], ["a.txt", "b.txt"]]);
  });

  it("gives the files whose path has a text, the shortest first, and no links", async () => {
    const folder = await tempFolder();
    await plant(folder, {
      ".gitignore": "out/\n",
      "Deep/below/one.txt": "",
      "deep.md": "",
      "out/deep.txt": "",
      "deep-link": { link: "deep.md" },
      "other.txt": "",
    });
    const files = testFiles();
    const walked = testFiles({ ripgrep: async () => undefined });
    const found = [];
    for (const [from, text, most] of [
      [files, "deep", 9],
      [files, "DEEP", 1],
      [files, "w/on", 9],
      [files, "", 2],
      [walked, "deep", 9],
    ] as const)
      found.push(await findFilesByPath(from, folder, text, most, signal));
    assert.deepEqual(found, [
      ["deep.md", "Deep/below/one.txt"],
      ["deep.md"],
      ["Deep/below/one.txt"],
      ["deep.md", "other.txt"],
      ["deep.md", "Deep/below/one.txt"],
    ]);
  });

  it("names the file that a missing one most likely means, however deep it is", async () => {
    const folder = await tempFolder();
    await plant(folder, {
      "src/app/main.ts": "",
      "src/a/b/c/d/settings.json": "",
      "docs/guide.md": "",
      ".autogptignore": "secret.md\n",
      "secret.md": "",
    });
    for (const files of [testFiles(), undefined]) {
      const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }], files });
      const near = [];
      for (const label of ["main.ts", "src/ap/main2.ts", "setting.jsn", "secret.md", "nothing-like-it"])
        near.push(await workspace.findNearestFile?.(label, signal));
      assert.deepEqual(near, ["src/app/main.ts", "src/app/main.ts", "src/a/b/c/d/settings.json", undefined, undefined]);
    }
  });

  it("is given up for a while when ripgrep fails, and the folder is walked", async () => {
    const folder = await tempFolder();
    await plant(folder, { "a.txt": "" });
    const files = testFiles({ ripgrep: async () => join(folder, "missing") });
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }], files });
    assert.deepEqual(
      [
        await files.loadFolders(folder, signal),
        (await workspace.list(await workspace.locate("."), { limit: 9, signal })).labels,
      ],
      [undefined, ["a.txt"]],
    );
  });
});
