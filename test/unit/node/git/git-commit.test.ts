import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitFiles, createLooseCommit, listCommittableFiles } from "../../../../src/node/git/commit.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

function git(folder: string, ...args: readonly string[]): string {
  skipWithout("git");
  return execFileSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

/** A repository whose user has staged one file and changed another. */
async function repository(): Promise<string> {
  const folder = await tempFolder();
  git(folder, "init", "-q");
  git(folder, "config", "user.name", "Ann");
  git(folder, "config", "user.email", "ann@example.com");
  for (const name of ["a.txt", "gone.txt", "theirs.txt", "staged.txt"]) writeFileSync(join(folder, name), "old\n");
  writeFileSync(join(folder, ".gitignore"), "ignored.txt\n");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "first");
  writeFileSync(join(folder, "staged.txt"), "staged\n");
  git(folder, "add", "staged.txt");
  writeFileSync(join(folder, "theirs.txt"), "unstaged\n");
  writeFileSync(join(folder, "a.txt"), "the agent's\n");
  writeFileSync(join(folder, "new [1].txt"), "new\n");
  writeFileSync(join(folder, "ignored.txt"), "ignored\n");
  rmSync(join(folder, "gone.txt"));
  return folder;
}

const FILES = ["a.txt", "new [1].txt", "ignored.txt", "gone.txt"];

describe("committing some files", () => {
  it("commits them and nothing else, and leaves what is staged as it is", async () => {
    const folder = await repository();
    const files = await listCommittableFiles(folder, FILES);
    const name = await commitFiles(folder, files, "Subject\n\nBody.");
    assert.deepEqual(
      {
        files: files.toSorted(),
        name,
        committed: git(folder, "show", "--name-status", "--format=%s", "HEAD").split("\n").filter(Boolean),
        left: git(folder, "status", "--porcelain").split("\n"),
      },
      {
        files: ["a.txt", "gone.txt", "new [1].txt"],
        name: git(folder, "rev-parse", "--short", "HEAD"),
        committed: ["Subject", "M\ta.txt", "D\tgone.txt", "A\tnew [1].txt"],
        left: ["M  staged.txt", " M theirs.txt"],
      },
    );
  });

  it("changes nothing when a hook of the user's refuses", async () => {
    if (process.platform === "win32") return;
    const folder = await repository();
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\necho not today >&2\nexit 1\n");
    chmodSync(join(folder, ".git/hooks/pre-commit"), 0o755);
    const before = git(folder, "status", "--porcelain");
    await assert.rejects(commitFiles(folder, ["a.txt", "new [1].txt"], "Subject"), { message: "not today" });
    assert.equal(git(folder, "status", "--porcelain"), before);
  });

  it("starts no filter and no hook of the repository's settings where it lists files, or commits them for later", async () => {
    if (process.platform === "win32") return;
    const folder = await repository();
    const mark = join(folder, ".git", "ran");
    writeFileSync(join(folder, ".gitattributes"), "a.txt filter=loud\n");
    git(folder, "config", "filter.loud.clean", `sh -c 'touch ${mark}; cat'`);
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    writeFileSync(join(folder, ".git/hooks/post-index-change"), `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(folder, ".git/hooks/post-index-change"), 0o755);
    const parent = git(folder, "rev-parse", "HEAD");
    const files = await listCommittableFiles(folder, ["a.txt", "theirs.txt"]);
    const making = { folder, message: "Subject", parent, index: join(await tempFolder(), "index") };
    await assert.rejects(createLooseCommit({ ...making, files: ["a.txt"] }), /needs the git filter loud/);
    const commit = await createLooseCommit({ ...making, files: ["theirs.txt"] });
    assert.deepEqual(
      { files, ran: existsSync(mark), committed: git(folder, "diff", "--name-only", parent, commit) },
      { files: ["a.txt", "theirs.txt"], ran: false, committed: "theirs.txt" },
    );
  });

  it("finds nothing to commit outside a repository, and names files of a folder within one from there", async () => {
    const folder = await repository();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub/b.txt"), "b\n");
    assert.deepEqual(
      [
        await listCommittableFiles(await tempFolder(), ["a.txt"]),
        await listCommittableFiles(join(folder, "sub"), ["b.txt"]),
      ],
      [[], ["b.txt"]],
    );
  });
});
