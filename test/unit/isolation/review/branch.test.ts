import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../../src/disk/sha256.ts";
import { keepAsBranch } from "../../../../src/isolation/review/branch.ts";
import { git } from "../../../support/repositories.ts";
import { ReviewBench, treeOf } from "../../../support/review-bench.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const temp = tempFolders();
const { signal } = new AbortController();
const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/** A bench whose workspace is a repository. */
async function repository(files: Readonly<Record<string, string>>): Promise<ReviewBench> {
  const one = await ReviewBench.make(await temp(), files);
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["config", "user.name", "Ada"],
    ["config", "user.email", "ada@example.com"],
    ["add", "-A"],
    ["commit", "-q", "-m", "First."],
  ])
    git(one.work, ...args);
  return one;
}

/** Everything that a commit to another branch must leave alone. */
async function untouched(one: ReviewBench): Promise<readonly unknown[]> {
  const { ".git/index": _index, ...rest } = await treeOf(one.work);
  const files = Object.entries(rest).filter(([name]) => !name.startsWith(".git/"));
  return [
    files,
    git(one.work, "rev-parse", "HEAD"),
    git(one.work, "symbolic-ref", "HEAD"),
    sha256(await readFile(join(one.work, ".git/index"))),
  ];
}

async function keep(one: ReviewBench, name = "run", labels?: readonly string[]) {
  return keepAsBranch(await one.review(), {
    name,
    message: "Changes of the run\n",
    signal,
    ...(labels ? { labels } : {}),
  });
}

describe("keeping the changes of an isolated run on a branch", () => {
  it("commits nothing that has changed since the review", async () => {
    const one = await repository({ "a.txt": LINES });
    await plant(one.copied, { "a.txt": "harmless\n" });
    const review = await one.review();
    await plant(one.copied, { "a.txt": "harm\n" });
    await assert.rejects(
      keepAsBranch(review, { name: "run", message: "Changes\n", signal }),
      /has changed since this was shown/,
    );
    assert.equal(git(one.work, "branch", "--list", "run"), "");
  });

  it("commits them without touching files, index or HEAD, and without running hooks or filters", async () => {
    const one = await repository({
      "a.txt": LINES,
      "b.txt": LINES,
      "gone.txt": "x\n",
      "tool.sh": "x\n",
      ".gitattributes": "*.bin filter=lfs\n*.crlf text eol=crlf\n",
    });
    const canary = join(one.runHome, "..", "canary");
    git(one.work, "config", "filter.lfs.clean", `touch ${canary}`);
    await plant(join(one.work, ".git/hooks"), {
      "post-commit": `#!/bin/sh\ntouch ${canary}\n`,
      "reference-transaction": `#!/bin/sh\ntouch ${canary}\n`,
    });
    for (const hook of ["post-commit", "reference-transaction"]) await chmod(join(one.work, ".git/hooks", hook), 0o755);
    await plant(one.copied, {
      "a.txt": LINES.replace("two", "run"),
      "new/deep.crlf": "1\r\n2\r\n",
      "large.bin": "large",
    });
    await rm(join(one.copied, "gone.txt"));
    await chmod(join(one.copied, "tool.sh"), 0o755);
    await makeLink("a.txt", join(one.copied, "link"));
    await plant(one.work, { "a.txt": LINES.replace("six", "uncommitted"), "untracked.txt": "mine\n" });
    git(one.work, "add", "untracked.txt");
    const before = await untouched(one);
    await keep(one);
    const show = (path: string) => git(one.work, "show", `run:${path}`);
    assert.deepEqual(
      {
        untouched: await untouched(one),
        files: git(one.work, "ls-tree", "-r", "--format=%(objectmode) %(path)", "run").trim().split("\n"),
        a: show("a.txt"),
        crlf: show("new/deep.crlf"),
        pointer: show("large.bin"),
        object: await readFile(
          join(one.work, ".git/lfs/objects", sha256("large").slice(0, 2), sha256("large").slice(2, 4), sha256("large")),
          "utf8",
        ),
        log: git(one.work, "log", "--format=%an %s", "run").trim().split("\n"),
        canary: await readFile(canary, "utf8").catch(() => "not touched"),
      },
      {
        untouched: before,
        files: [
          "100644 .gitattributes",
          "100644 a.txt",
          "100644 b.txt",
          "100644 large.bin",
          "120000 link",
          "100644 new/deep.crlf",
          "100755 tool.sh",
        ],
        a: LINES.replace("two", "run"),
        crlf: "1\n2\n",
        pointer: `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256("large")}\nsize 5\n`,
        object: "large",
        log: ["Ada Changes of the run", "Ada First."],
        canary: "not touched",
      },
    );
  });

  it("puts only the run's changes on top of what was committed meanwhile", async () => {
    const one = await repository({ "a.txt": LINES, "b.txt": LINES });
    await plant(one.copied, { "a.txt": LINES.replace("two", "run"), "b.txt": LINES.replace("two", "run") });
    await plant(one.work, { "a.txt": LINES.replace("six", "user"), "b.txt": LINES.replace("two", "user") });
    git(one.work, "commit", "-qam", "Second.");
    await keep(one, "kept/run", ["a.txt"]);
    assert.deepEqual(
      ["a.txt", "b.txt"].map((name) => git(one.work, "show", `kept/run:${name}`)),
      [LINES.replace("two", "run").replace("six", "user"), LINES.replace("two", "user")],
    );
  });

  it("commits what was accepted before, too", async () => {
    const one = await repository({ "a.txt": LINES });
    await plant(one.copied, { "a.txt": LINES.replace("two", "run"), "new.txt": "run\n" });
    await one.acceptAll();
    await keep(one);
    assert.deepEqual(
      ["a.txt", "new.txt"].map((name) => git(one.work, "show", `run:${name}`)),
      [LINES.replace("two", "run"), "run\n"],
    );
  });

  it("works below the top of a repository, and before its first commit", async () => {
    const folder = await temp();
    git(folder, "init", "-q", "-b", "main");
    git(folder, "config", "user.name", "Ada");
    git(folder, "config", "user.email", "ada@example.com");
    const one = await ReviewBench.make(folder, {});
    await plant(one.copied, { "a.txt": "run\n" });
    await keep(one);
    assert.deepEqual(git(folder, "ls-tree", "-r", "--name-only", "run"), "work/a.txt\n");
  });

  it("says why it can't, and leaves no branch", async () => {
    const one = await repository({ "a.txt": LINES, ".gitattributes": "*.secret filter=crypt\n" });
    git(one.work, "config", "filter.crypt.clean", "cat");
    git(one.work, "branch", "taken");
    await plant(one.copied, { "a.txt": "run\n" });
    await assert.rejects(keep(one, "taken"), /The branch name taken is taken or conflicts/);
    await assert.rejects(keep(one, "taken/below"), /The branch name taken\/below is taken or conflicts/);
    await assert.rejects(keep(one, "a..b"), /a\.\.b isn't a valid branch name/);
    await assert.rejects(keep(one, "--all"), /--all isn't a valid branch name/);
    await plant(one.copied, { "x.secret": "run\n" });
    await assert.rejects(keep(one), /Committing x\.secret needs the git filter crypt/);
    await rm(join(one.copied, "x.secret"));
    await mkdir(join(one.work, "nested"));
    git(join(one.work, "nested"), "init", "-q");
    await plant(one.copied, { "nested/b.txt": "run\n" });
    await assert.rejects(keep(one), /nested\/b\.txt is in a submodule or another repository/);
    await rm(join(one.work, ".git"), { recursive: true });
    await writeFile(join(one.copied, "a.txt"), "again\n");
    await assert.rejects(keep(one), /work isn't in a git repository/);
  });
});
