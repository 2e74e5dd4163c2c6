import assert from "node:assert/strict";
import {
  listFilesChangedSince,
  listLastCommits,
  listOtherBranches,
} from "../../../../src/runtime/review/change-choices.ts";
import { openReadRepository } from "../../../../src/runtime/review/change-set.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const { signal } = new AbortController();

describe("what can be chosen for a review", () => {
  const tempFolder = tempFolders();

  async function repository() {
    const folder = await tempFolder();
    makeRepository(folder, { "a.txt": "one\n", "b.txt": "two\n" });
    return { folder, read: await openReadRepository(folder, signal) };
  }

  it("are the other branches, those of remotes, too, and not the names that only lead to others", async () => {
    const { folder, read } = await repository();
    git(folder, "branch", "other");
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD");
    git(folder, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
    assert.deepEqual([...(await listOtherBranches(read))].sort(), ["origin/main", "other"]);
  });

  it("are the last commits, and none before the first", async () => {
    const { folder, read } = await repository();
    git(folder, "commit", "-q", "--allow-empty", "-m", "Second commit");
    const empty = await tempFolder();
    git(empty, "init", "-q");
    const none = await listLastCommits(await openReadRepository(empty, signal));
    assert.deepEqual(
      { commits: (await listLastCommits(read)).map(({ subject, author }) => [subject, author]), none },
      {
        commits: [
          ["Second commit", "Ada"],
          ["First commit", "Ada"],
        ],
        none: [],
      },
    );
  });

  it("are shown in the files of today only as far as those are as they were", async () => {
    const { folder, read } = await repository();
    writeFiles(folder, { "a.txt": "changed since\n" });
    assert.deepEqual([...(await listFilesChangedSince(read, "HEAD"))].filter(Boolean), ["a.txt"]);
  });
});
