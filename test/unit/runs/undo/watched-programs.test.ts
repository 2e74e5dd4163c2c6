import assert from "node:assert/strict";
import { chmod, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FolderWatch } from "../../../../src/core/ports/folder-watch.ts";
import { WORKERS } from "../../../../src/headless/workers.ts";
import { NodeFolderWatch } from "../../../../src/node/watch/folder-watch.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { git as gitIn } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { grown, plant, type Tree } from "../../../support/trees.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();
const BINARY = Buffer.from([0, 255, 10, 13, 10, 200, 0]);
/** Files that are as old as those of a user are clean to git without a look into them. */
const LONG_AGO = new Date("2026-01-02T03:04:05Z");
/** More than is copied before each program. */
const LARGE = "x".repeat(2_000_001);
const IDENTITY = "-c user.name=A -c user.email=a@b -c commit.gpgsign=false";

const watches = new NodeFolderWatch(WORKERS.watch);

/** Writes files that are old. */
async function plantOld(folder: string, tree: Tree): Promise<void> {
  await plant(folder, tree);
  for (const name of Object.keys(tree)) await utimes(join(folder, name), LONG_AGO, LONG_AGO);
}

/** A watched repository, with all files committed, as if it were too large for snapshots. */
async function repository(files: Tree, watch: FolderWatch = watches) {
  const root = await tempFolder();
  const work = join(root, "work");
  await plantOld(work, files);
  const git = (...args: readonly string[]) => gitIn(work, ...args);
  git("init", "--quiet", "-b", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All of it");
  const bench = new UndoBench(work, join(root, "run"), undefined, watch, true);
  const shell = async (line: string): Promise<string> => {
    const outcome = await bench.act("execute_shell", { command_line: line });
    return outcome.status === "done" ? (outcome.output.split("\n\n")[1] ?? "") : outcome.status;
  };
  const undone = async () => {
    const { conflicts } = await bench.undo.undo({});
    const { ".git": _, ...tree } = await withoutGit(work);
    return { conflicts: conflicts.map(({ file, why }) => `${file}: ${writeInEnglish(why)}`), tree };
  };
  return { work, git, bench, shell, undone };
}

async function withoutGit(work: string): Promise<Tree> {
  const all = Object.entries(await grown(work));
  return Object.fromEntries(all.filter(([name]) => !/(?:^|\/)\.git\//.test(name)));
}

describe("a command line in a folder that is too large for snapshots", () => {
  if (process.platform === "win32") return;
  after(() => watches.close());

  it("is known to have changed, created and deleted files, which are restored from git", async () => {
    const files = { "a.txt": "a\n", "b.bin": BINARY.toString("latin1"), "sub/c.sh": "echo c\n" };
    const { work, git, shell, undone } = await repository({ ...files, "b.bin": BINARY });
    await chmod(join(work, "sub/c.sh"), 0o755);
    git("add", "--all");
    const before = git("ls-files", "--stage");
    const said = await shell("echo more >> a.txt; echo x > b.bin; rm sub/c.sh; mkdir new; echo x > new/d.txt");
    const { conflicts, tree } = await undone();
    const mode = (await stat(join(work, "sub/c.sh"))).mode & 0o777;
    assert.deepEqual(
      { said, conflicts, tree, mode, index: git("ls-files", "--stage") === before },
      {
        said: "Files that it changed: a.txt, b.bin, new/d.txt (new), sub/c.sh (deleted).",
        conflicts: [],
        tree: files,
        mode: 0o755,
        index: true,
      },
    );
  });

  it("is undone after moved, replaced and removed folders", async () => {
    const files = { "a/deep/1.txt": "1", "a/2.txt": "2", "b/3.txt": "3", "c/4.txt": "4", "d/5.txt": "5" };
    const { shell, undone } = await repository(files);
    await shell("mv a moved && rm -rf b && mv c tmp && mv d c && mv tmp d && echo x > d");
    await shell("mkdir -p b/new && echo 3 > b/3.txt && echo 6 >> moved/deep/1.txt");
    assert.deepEqual(await undone(), { conflicts: [], tree: files });
  });

  it("is undone after git has checked out, stashed, reset or committed", async () => {
    const files = { "a.txt": "main\n", "b/c.txt": "c\n" };
    const { work, git, shell, undone } = await repository(files);
    git("checkout", "--quiet", "-b", "other");
    await writeFile(join(work, "a.txt"), "other\n");
    await plant(work, { "e/f.txt": "f\n" });
    git("add", "--all");
    git("commit", "--quiet", "--message", "Other");
    git("checkout", "--quiet", "main");
    await writeFile(join(work, "b/c.txt"), "not committed\n");
    const head = git("rev-parse", "HEAD");
    await shell(`git ${IDENTITY} stash --quiet && git checkout --quiet other`);
    await shell(`echo more >> a.txt && git ${IDENTITY} commit --quiet --all --message More`);
    await shell("git reset --quiet --hard main");
    const { conflicts, tree } = await undone();
    assert.deepEqual(
      { conflicts, tree, head: git("rev-parse", "main") },
      { conflicts: [], tree: { "a.txt": "main\n", "b/c.txt": "not committed\n" }, head },
    );
  });

  it("is undone for files that the user hasn't committed, as they were right before it", async () => {
    const { work, shell, undone } = await repository({ "a.txt": "a\n", ".gitignore": "out/\n" });
    await shell("true");
    await plant(work, { "a.txt": "mine\n", "b.txt": "mine, too\n" });
    await shell("echo more >> a.txt; echo more >> b.txt");
    await shell("rm a.txt b.txt");
    const { conflicts, tree } = await undone();
    assert.deepEqual([conflicts, tree], [[], { ".gitignore": "out/\n", "a.txt": "mine\n", "b.txt": "mine, too\n" }]);
  });

  it("is reported at once as irreversible where the old content was not kept, and the file is left alone", async () => {
    const { work, shell, undone } = await repository({ "a.txt": "a\n" });
    await writeFile(join(work, "a.txt"), LARGE);
    const said = await shell("echo more >> a.txt; ln -s a.txt link");
    const { conflicts, tree } = await undone();
    assert.deepEqual(
      { said, conflicts: conflicts.length, kept: String(tree["a.txt"]).length - LARGE.length },
      {
        said: "Files that it changed: a.txt, link (new).\nChanged, can't be undone: a.txt, link.",
        conflicts: 2,
        kept: 5,
      },
    );
  });

  it("is not undone for a file that the user has saved meanwhile", async () => {
    const { work, bench, shell, undone } = await repository({ "a.txt": "a\n", "b.txt": "b\n" });
    bench.saved.add(join(work, "a.txt"));
    const said = await shell("echo mine > a.txt; echo more >> b.txt");
    const why = "It isn't as the program left it. It was saved in the editor while the program ran.";
    assert.deepEqual(
      [said, await undone()],
      [
        "Files that it changed: a.txt, b.txt.\nChanged, can't be undone: a.txt.",
        { conflicts: [`a.txt: ${writeInEnglish(why)}`], tree: { "a.txt": "mine\n", "b.txt": "b\n" } },
      ],
    );
  });

  it("does not take the place of what the user has written since", async () => {
    const { work, shell, undone } = await repository({ "a.txt": "a\n", "b.txt": "b\n" });
    await shell("echo more >> a.txt; echo more >> b.txt");
    await writeFile(join(work, "a.txt"), "mine\n");
    assert.deepEqual(await undone(), {
      conflicts: ["a.txt: It was changed afterward."],
      tree: { "a.txt": "mine\n", "b.txt": "b\n" },
    });
  });
});

describe("a file of a large folder that looks as git knows it", () => {
  if (process.platform === "win32") return;
  after(() => watches.close());

  it("is not restored from git if its content was changed but not its time", async () => {
    const { work, shell, undone } = await repository({ "a.txt": "1234\n" });
    await shell("true");
    await plantOld(work, { "a.txt": "mine\n" });
    await shell("echo more >> a.txt");
    assert.deepEqual(await undone(), { conflicts: [], tree: { "a.txt": "mine\n" } });
  });

  it("is not restored from git if a filter keeps it there in another form of the same size", async () => {
    const { git, shell, undone } = await repository({ ".gitattributes": "*.txt filter=upper\n" });
    git("config", "filter.upper.clean", "tr a-z A-Z");
    const work = git("rev-parse", "--show-toplevel").trim();
    await plantOld(work, { "a.txt": "lower\n", "large.txt": LARGE });
    git("add", "--all");
    const said = await shell("echo more >> a.txt; echo more >> large.txt");
    await plant(work, { ".gitattributes": "", "sub/.gitattributes": "*.bin ident\n" });
    await plantOld(work, { "sub/b.bin": LARGE, "sub/c.txt": LARGE });
    git("add", "--all");
    const later = await shell("echo more >> sub/b.bin; echo more >> sub/c.txt");
    const { tree } = await undone();
    assert.deepEqual(
      {
        said: [said, later].map((text) => text.split("\n")[1]),
        a: tree["a.txt"],
        lost: ["large.txt", "sub/b.bin", "sub/c.txt"].map((name) => String(tree[name]).length - LARGE.length),
      },
      {
        said: ["Changed, can't be undone: large.txt.", "Changed, can't be undone: sub/b.bin."],
        a: "lower\n",
        lost: [5, 5, 0],
      },
    );
  });

  it("is seen although it is ignored, if git tracks it", async () => {
    const { work, git, shell, undone } = await repository({ ".gitignore": "out/\n*.log\n" });
    await plantOld(work, { "out/kept.txt": "kept\n", "a.log": "log\n", "out/other.txt": "x" });
    git("add", "--force", "out/kept.txt", "a.log");
    const said = await shell("echo more >> out/kept.txt; echo more >> a.log; echo more >> out/other.txt");
    const { tree } = await undone();
    assert.deepEqual(
      [said, tree["out/kept.txt"], tree["a.log"], tree["out/other.txt"]],
      ["Files that it changed: a.log, out/kept.txt.", "kept\n", "log\n", "xmore\n"],
    );
  });

  it("is restored from the nested repository that it is in", async () => {
    const { work, shell, undone } = await repository({ "a.txt": "a\n" });
    const inner = join(work, "inner");
    await plantOld(inner, { "b.txt": "b\n", "large.txt": LARGE });
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      ["commit", "-qm", "Inner"],
    ])
      gitIn(inner, ...args);
    const said = await shell("rm inner/b.txt; echo more >> inner/large.txt");
    const { conflicts, tree } = await undone();
    assert.deepEqual(
      [said, conflicts, tree["inner/b.txt"], tree["inner/large.txt"] === LARGE],
      ["Files that it changed: inner/b.txt (deleted), inner/large.txt.", [], "b\n", true],
    );
  });
});

describe("a large folder whose changes can't be known", () => {
  it("is said to hold what a program has changed, when it's undone", async () => {
    const blind: FolderWatch = { watch: async () => undefined, remember: async () => undefined };
    const { bench, shell, work } = await repository({ "a.txt": "a\n" }, blind);
    await shell("echo more > a.txt");
    const { unseen } = await bench.undo.undo({});
    assert.deepEqual([unseen, await readFile(join(work, "a.txt"), "utf8")], [[1], "more\n"]);
  });
});
