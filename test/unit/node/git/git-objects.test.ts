import assert from "node:assert/strict";
import { join } from "node:path";
import { writeBlob, writeCommit, writeTreeObject } from "../../../../src/node/git/objects.ts";
import { git, makeRepository } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** A commit written without git, as git reads it. */
async function written(root: string, gitFolder = join(root, ".git")) {
  const repository = { root, gitFolder };
  const hash = await writeBlob(repository, Buffer.from([0, 10, 255]));
  const again = await writeBlob(repository, Buffer.from([0, 10, 255]));
  const inner = await writeTreeObject(repository, [{ kind: "blob", hash, name: "x" }]);
  const entries = ["b", "a.b", "a-b"].map((name) => ({ kind: "blob" as const, hash, name }));
  const tree = await writeTreeObject(repository, [...entries, { kind: "tree", hash: inner, name: "a" }]);
  const parent = git(root, "rev-parse", "HEAD").trim();
  const made = { tree, parents: [parent], author: "Ada <ada@example.com>", message: "Made." };
  const commit = await writeCommit(repository, made, 1_700_000_000_999);
  return {
    same: hash === again,
    names: git(root, "ls-tree", "-r", "--name-only", commit).trim().split("\n"),
    log:
      git(root, "log", "-1", "--format=%an %ae %ct %s %P", commit).trim() ===
      `Ada ada@example.com 1700000000 Made. ${parent}`,
    problems: git(root, "fsck", "--strict", "--no-dangling"),
  };
}

const WHOLE = { same: true, names: ["a-b", "a.b", "a/x", "b"], log: true, problems: "" };

describe("objects of git that are written without it", () => {
  it("are those that git would write, in a repository, a worktree and one with longer hashes", async () => {
    const top = await tempFolder();
    makeRepository(join(top, "one"), { "note.txt": "old\n" });
    git(join(top, "one"), "worktree", "add", "-q", join(top, "tree"));
    git(top, "init", "-q", "--object-format=sha256", "long");
    git(join(top, "long"), "commit", "-q", "--allow-empty", "-m", "First.");
    assert.deepEqual(
      {
        plain: await written(join(top, "one")),
        worktree: await written(join(top, "tree"), join(top, "one/.git/worktrees/tree")),
        long: await written(join(top, "long")),
      },
      { plain: WHOLE, worktree: WHOLE, long: WHOLE },
    );
  });
});
