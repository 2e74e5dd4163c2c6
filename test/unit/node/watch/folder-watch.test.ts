import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { WatchReport } from "../../../../src/core/ports/folder-watch.ts";
import { WORKERS } from "../../../../src/headless/workers.ts";
import { normalizeSlashes } from "../../../../src/node/files/real-path.ts";
import { FolderHandles } from "../../../../src/node/watch/folder-handles.ts";
import { NodeFolderWatch } from "../../../../src/node/watch/folder-watch.ts";
import { WatchedTree } from "../../../../src/node/watch/watched-tree.ts";
import { makeLink, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const tempFolder = tempFolders();
const watches = new NodeFolderWatch(WORKERS.watch);

/** A watched folder, and what is reported of it: relative paths, in order of names. */
async function watched(tree: Readonly<Record<string, string>>) {
  const root = await tempFolder();
  await plant(root, tree);
  const reports: WatchReport[] = [];
  const folder = await watches.watch(root, (report) => reports.push(report));
  assert.ok(folder);
  return {
    root,
    folder,
    /** What was reported until now, and forgets it. */
    reported: async () => {
      assert.equal(await folder.waitUntilReported(), true);
      const all = reports.splice(0);
      if (all.some(({ kind }) => kind === "lost")) return "lost";
      const paths = all.flatMap((report) => (report.kind === "changed" ? report.paths : []));
      return [...new Set(paths.map((path) => normalizeSlashes(relative(root, path))))].sort();
    },
  };
}

describe("a watched folder", () => {
  after(() => watches.close());

  it("reports what was created, changed and deleted at any depth, at once", async () => {
    const { root, reported } = await watched({ "a.txt": "a", "sub/deep/b.txt": "b", "gone.txt": "x" });
    await appendFile(join(root, "a.txt"), "more");
    await writeFile(join(root, "sub/deep/b.txt"), "b2");
    await writeFile(join(root, "sub/new.txt"), "new");
    await rm(join(root, "gone.txt"));
    assert.deepEqual(await reported(), ["a.txt", "gone.txt", "sub/deep/b.txt", "sub/new.txt"]);
  });

  it("follows new, moved and replaced folders, each of which represents what is below it", async () => {
    skipWithout("watches that follow a renamed folder");
    const { root, reported } = await watched({ "old/deep/a.txt": "a", "twin/b.txt": "b" });
    await mkdir(join(root, "new/x"), { recursive: true });
    await rename(join(root, "old"), join(root, "moved"));
    await rm(join(root, "twin"), { recursive: true });
    await plant(join(root, "twin"), { "c.txt": "c" });
    // A quick watch also sees what is made in a folder right after it.
    const soon = new Set(["new/x", "twin/c.txt"]);
    const folders = [...(await reported())].filter((path) => !soon.has(path));
    await appendFile(join(root, "new/x/late.txt"), "late");
    await appendFile(join(root, "moved/deep/a.txt"), "more");
    await appendFile(join(root, "twin/c.txt"), "more");
    assert.deepEqual(
      [folders, await reported()],
      [
        ["moved", "new", "old", "twin", "twin/b.txt"],
        ["moved/deep/a.txt", "new/x/late.txt", "twin/c.txt"],
      ],
    );
  });

  it("leaves out ignored files, installed packages, version control and the targets of links", async () => {
    const { root, reported } = await watched({
      ".gitignore": "*.log\nout/\n",
      ".git/x": "",
      "out/x": "",
      "node_modules/a/x": "",
      "sub/x": "",
    });
    const elsewhere = await tempFolder();
    await makeLink(elsewhere, join(root, "link"));
    await reported();
    for (const name of [".git/x", "out/x", "node_modules/a/x", "sub/a.log", "sub/x"])
      await appendFile(join(root, name), "more");
    await writeFile(join(elsewhere, "x"), "");
    assert.deepEqual(await reported(), ["sub/x"]);
  });

  it("reports that anything may have changed with the ignore rules, and follows the new ones", async () => {
    const { root, reported } = await watched({ ".gitignore": "out/\n", "out/x": "" });
    await writeFile(join(root, ".gitignore"), "\n");
    const rules = await reported();
    await appendFile(join(root, "out/x"), "more");
    assert.deepEqual([rules, await reported()], ["lost", ["out/x"]]);
  });

  it("reports that reports were lost when more came at once than the system keeps", async () => {
    skipWithout("Linux");
    const root = await tempFolder();
    const reports: WatchReport[] = [];
    const handles = new FolderHandles(() => tree.handleLostReports());
    const tree = new WatchedTree(root, handles, (report) => reports.push(report));
    await tree.start();
    // This thread hears nothing while it waits for the shell.
    execFileSync("/bin/sh", ["-c", "for i in $(seq 1 9000); do : > $i; done"], { cwd: root });
    const settled = [await tree.waitUntilReported()];
    await appendFile(join(root, "1"), "more");
    settled.push(await tree.waitUntilReported());
    tree.close();
    assert.deepEqual(
      [settled, reports.map((report) => (report.kind === "changed" ? report.paths.length : report.kind))],
      [
        [true, true],
        ["lost", 1],
      ],
    );
  });

  it("reports a root that was replaced as lost, and watches the new one", async () => {
    skipWithout("watches that follow a renamed folder");
    const { root, reported } = await watched({ "a.txt": "a" });
    await rename(root, `${root}-old`);
    await plant(root, { "a.txt": "new" });
    const replaced = await reported();
    await appendFile(join(root, "a.txt"), "more");
    const later = await reported();
    await rm(`${root}-old`, { recursive: true });
    assert.deepEqual([replaced, later], ["lost", ["a.txt"]]);
  });
});

describe("the watch of folders", () => {
  it("is shared by its users until the last one closes it", async () => {
    const own = new NodeFolderWatch(WORKERS.watch);
    const root = await tempFolder();
    const heard: string[] = [];
    const [one, other] = await Promise.all(["one", "other"].map((name) => own.watch(root, () => heard.push(name))));
    await writeFile(join(root, "a.txt"), "a");
    await one?.waitUntilReported();
    one?.close();
    await writeFile(join(root, "b.txt"), "b");
    const settled = [await one?.waitUntilReported(), await other?.waitUntilReported()];
    await own.close();
    assert.deepEqual(
      [heard, settled],
      [
        ["one", "other", "other", "other"],
        [false, true],
      ],
    );
  });

  it("remembers moments of a folder again after its history was forgotten", async () => {
    const own = new NodeFolderWatch(WORKERS.watch, 0);
    const root = await tempFolder();
    const watched = await own.watch(root, () => undefined);
    const found: unknown[] = [];
    for (const name of ["a", "b", "c"]) {
      const moment = await own.remember(root, []);
      await writeFile(join(root, name), name);
      found.push((await moment?.collectChanges())?.map(({ path }) => normalizeSlashes(relative(root, path))));
      // The timer of the history is due before this one.
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (name === "b") watched?.close();
    }
    await own.close();
    assert.deepEqual(found, [["a"], ["b"], ["c"]]);
  });

  it("says that a folder can't be watched, and that nothing is known once its thread has ended", async () => {
    const own = new NodeFolderWatch(WORKERS.watch);
    const root = await tempFolder();
    const reports: WatchReport[] = [];
    const missing = await own.watch(join(root, "missing"), () => undefined);
    const folder = await own.watch(root, (report) => reports.push(report));
    await own.close();
    assert.deepEqual([missing, reports, await folder?.waitUntilReported()], [undefined, [{ kind: "lost" }], false]);
  });
});
