import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, lstat, mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { normalizeSlashes } from "../../../../src/node/files/real-path.ts";
import { FolderHandles } from "../../../../src/node/watch/folder-handles.ts";
import { FolderHistory } from "../../../../src/node/watch/folder-history.ts";
import { WatchedTree } from "../../../../src/node/watch/watched-tree.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { grown, plant, type Tree } from "../../../support/trees.ts";

const tempFolder = tempFolders();
const trees: WatchedTree[] = [];

/** A folder's history in this thread, which hears nothing while it waits for a program. */
async function historyOf(files: Tree, handles?: (root: string) => FolderHandles) {
  const root = await tempFolder();
  await plant(root, files);
  const own = handles?.(root) ?? new FolderHandles(() => tree.handleLostReports());
  const tree = new WatchedTree(root, own, () => undefined);
  trees.push(tree);
  const history = await FolderHistory.read(tree);
  let moment = 0;
  return {
    root,
    /** The names that change during an act. */
    changes: async (act: () => unknown): Promise<readonly string[] | undefined> => {
      moment += 1;
      await history.remember(moment, []);
      await act();
      const changes = await history.collectChanges(moment);
      return changes?.map(({ path, before, now }) => {
        const how = before === undefined ? "+" : now === undefined ? "-" : "";
        return `${how}${normalizeSlashes(relative(root, path))}`;
      });
    },
  };
}

describe("a folder's history", () => {
  afterEach(() => {
    for (const tree of trees.splice(0)) tree.close();
  });

  it("knows every change when more were reported at once than the system keeps", async () => {
    skipWithout("Linux");
    const { root, changes } = await historyOf({ "a/1.txt": "1", "b/2.txt": "2", "c/3.txt": "3" });
    const line = "for i in $(seq 1 9000); do : > a/$i; done; rm -rf a; echo >> b/2.txt; rm c/3.txt; mkdir a d";
    const burst = await changes(() => execFileSync("/bin/bash", ["-c", line], { cwd: root }));
    const later = await changes(() => appendFile(join(root, "b/2.txt"), "more"));
    assert.deepEqual([burst, later], [["-a/1.txt", "b/2.txt", "-c/3.txt", "+d"], ["b/2.txt"]]);
  });

  it("is known by a walk where the folder can't be watched", async () => {
    const unwatchable = () =>
      Object.assign(new FolderHandles(() => undefined), {
        watch: () => {
          throw new Error("ENOSPC");
        },
      });
    const { root, changes } = await historyOf({ "a/1.txt": "1", "2.txt": "2" }, unwatchable);
    const found = await changes(async () => {
      await rename(join(root, "a"), join(root, "b"));
      await rm(join(root, "2.txt"));
    });
    assert.deepEqual(found, ["-2.txt", "-a", "-a/1.txt", "+b", "+b/1.txt"]);
  });

  it("knows changes of a file that keep its size and its time", async () => {
    const { root, changes } = await historyOf({ "a.txt": "1234" });
    const found = await changes(async () => {
      const { atime, mtime } = await lstat(join(root, "a.txt"));
      await writeFile(join(root, "a.txt"), "5678");
      await utimes(join(root, "a.txt"), atime, mtime);
    });
    assert.deepEqual(found, ["a.txt"]);
  });

  it("leaves out a file that is back by the end", async () => {
    const { root, changes } = await historyOf({ "a/b/1.txt": "1" });
    const found = await changes(async () => {
      await writeFile(join(root, "new"), "x");
      await rm(join(root, "new"));
      await rename(join(root, "a"), join(root, "moved"));
      await rename(join(root, "moved"), join(root, "a"));
    });
    assert.deepEqual(found, []);
  });

  it("names exactly the differences after any acts", async () => {
    skipWithout("watches that follow a renamed folder");
    const random = seeded(7);
    const { root, changes } = await historyOf({ "a/1": "", "a/b/2": "", "c/3": "", "4": "" });
    for (let round = 0; round < 25; round++) {
      const before = await namesBelow(root);
      const written = new Set<string>();
      const found = await changes(async () => {
        for (let act = 0; act < 6; act++) await actAtRandom(root, random, written);
      });
      const after = await namesBelow(root);
      const gone = [...before].filter((name) => !after.has(name)).map((name) => `-${name}`);
      const made = [...after].filter((name) => !before.has(name)).map((name) => `+${name}`);
      const reported = new Set(found);
      const missed = [...gone, ...made].filter((name) => !reported.has(name) && !reported.has(name.slice(1)));
      const unreported = [...written].filter((name) => before.has(name) && after.has(name) && !reported.has(name));
      const invented = [...reported].filter((name) => /^[+-]/.test(name) && ![...gone, ...made].includes(name));
      assert.deepEqual({ round, missed, unreported, invented }, { round, missed: [], unreported: [], invented: [] });
    }
  });
});

async function namesBelow(root: string): Promise<ReadonlySet<string>> {
  const files = Object.keys(await grown(root)).map((name) => name.replace(/\/$/, ""));
  const all = files.flatMap((name) => [name, ...foldersAbove(name)]);
  return new Set(all);
}

function foldersAbove(name: string): readonly string[] {
  const folder = dirname(name);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

/** Writes, moves or removes something. `written` has the names of files whose content has changed. */
async function actAtRandom(root: string, random: () => number, written: Set<string>): Promise<void> {
  const name = () => ["a", "b", "c", "a/b", "a/x", "b/x", "a/b/x", "c/x/y", "z"][Math.floor(random() * 9)] ?? "z";
  const [one, other] = [name(), name()];
  const which = random();
  if (which < 0.5) {
    const path = `${one}/${Math.floor(random() * 3)}`;
    await mkdir(dirname(join(root, path)), { recursive: true }).catch(() => undefined);
    const done = await appendFile(join(root, path), "more").then(
      () => true,
      () => false,
    );
    if (done) written.add(path);
  } else if (which < 0.8) {
    const done = await rename(join(root, one), join(root, other)).then(
      () => true,
      () => false,
    );
    if (done) for (const path of [...written]) if (path.startsWith(one) || path.startsWith(other)) written.delete(path);
  } else {
    await rm(join(root, one), { recursive: true, force: true });
    for (const path of [...written]) if (path.startsWith(one)) written.delete(path);
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
