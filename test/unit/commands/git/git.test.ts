import assert from "node:assert/strict";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { findNodeGit } from "../../../../src/node/git/git.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { makeLinkSync, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

describe("git", () => {
  before(() => skipWithout("git"));
  const planted = plantedBenches();
  const tempFolder = tempFolders();

  async function repository(files: Readonly<Record<string, string>>): Promise<PlantedBench> {
    const made = await planted({}, { git: findNodeGit() });
    makeRepository(made.folder, files);
    return made;
  }

  it("reports the branch and what has changed", async () => {
    const { bench, folder } = await repository({ "a.txt": "one\n", "b.txt": "b\n" });
    const clean = await bench.call("git_status", {});
    writeFiles(folder, { "a.txt": "two\n", "new file.txt": "" });
    git(folder, "add", "a.txt");
    const changed = await bench.call("git_status", { path: "." });
    assert.deepEqual(
      [clean, changed],
      [
        { status: "done", output: "## main\nNothing has changed." },
        { status: "done", output: '## main\nM  a.txt\n?? "new file.txt"' },
      ],
    );
  });

  it("shows what has changed since the last commit, what is staged, and what lies between two commits", async () => {
    const { bench, folder } = await repository({ "a.txt": "one\n", "b.txt": "b\n" });
    writeFiles(folder, { "a.txt": "two\n" });
    git(folder, "add", "a.txt");
    writeFiles(folder, { "b.txt": "c\n" });
    const diffs = [
      await bench.call("git_diff", { file: "a.txt" }),
      await bench.call("git_diff", { cached: true }),
      await bench.call("git_diff", { staged: true, filename: "b.txt" }),
      await bench.call("git_diff", { from: "HEAD", to: "main" }),
    ].map((outcome) => (outcome.status === "done" ? outcome.output.replace(/diff --git[\s\S]*?(?=@@)/, "") : outcome));
    assert.deepEqual(diffs, [
      " a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n@@ -1 +1 @@\n-one\n+two",
      " a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n@@ -1 +1 @@\n-one\n+two",
      "Nothing has changed since the last commit, as it is staged.",
      "Nothing has changed between HEAD and main.",
    ]);
  });

  it("lists commits, those of a file, and those of another branch", async () => {
    const { bench, folder } = await repository({ "a.txt": "one\n" });
    git(folder, "checkout", "-q", "-b", "side");
    writeFiles(folder, { "b.txt": "b\n" });
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", "Second");
    git(folder, "checkout", "-q", "main");
    const [first, second] = [git(folder, "rev-parse", "--short", "main"), git(folder, "rev-parse", "--short", "side")];
    const logs = [
      await bench.call("git_log", {}),
      await bench.call("git_log", { branch: "side", limit: 1 }),
      await bench.call("git_log", { file: "b.txt" }),
    ].map((outcome) => (outcome.status === "done" ? outcome.output : outcome));
    assert.deepEqual(logs, [
      `${first.trim()} 2026-01-02 Ada (HEAD -> main)\n    First commit\n    With a body.`,
      `${second.trim()} 2026-01-02 Ada (side)\n    Second`,
      "No commit changed it.",
    ]);
  });

  it("say so when there is more than they show", async () => {
    const { bench, folder } = await repository({ "a.txt": "one\n" });
    const long = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join("\n");
    git(folder, "commit", "-q", "--allow-empty", "-m", `Long\n\n${long}`);
    writeFiles(folder, Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`f${index}`, ""])));
    const outcomes = [await bench.call("git_log", {}), await bench.call("git_status", {})];
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === "done" && outcome.output.split("\n").at(-1)),
      [
        "[It is longer than this. Ask for fewer commits at a time, or begin with one further back.]",
        "[There is more. Name a folder below.]",
      ],
    );
  });

  it("works before the first commit", async () => {
    const { bench, folder } = await planted({ "a.txt": "one\n" }, { git: findNodeGit() });
    git(folder, "init", "-q", "-b", "main");
    git(folder, "add", "-A");
    const outcomes = [
      await bench.call("git_log", {}),
      await bench.call("git_status", {}),
      await bench.call("git_diff", {}),
    ].map((outcome) => (outcome.status === "done" ? outcome.output.split("\n").at(-1) : outcome));
    assert.deepEqual(outcomes, ["The repository has no commits yet.", "A  a.txt", "+one"]);
  });

  for (const [name, args, error] of [
    ["git_diff", { from: "nowhere" }, 'There is no commit "nowhere". Look with git_log.'],
    ["git_diff", { to: "--output=x" }, 'There is no commit "--output=x". Look with git_log.'],
    ["git_log", { from: "--all" }, 'There is no commit "--all". Look with git_log.'],
    ["git_status", { folder: "a.txt" }, 'There is no folder "a.txt".'],
  ] as const)
    it(`says what is wrong with ${name} ${JSON.stringify(args)}`, async () => {
      const { bench } = await repository({ "a.txt": "one\n" });
      assert.deepEqual(await bench.call(name, args), { status: "failed", error });
    });

  it("says that a folder is in no repository", async () => {
    const { bench } = await planted({}, { git: findNodeGit() });
    assert.match(JSON.stringify(await bench.call("git_status", {})), /"\.\\" is in no git repository/);
  });

  it("is withheld where there is none", async () => {
    const { bench } = await planted({}, { git: findNodeGit({ PATH: "/nowhere" }) });
    assert.deepEqual(
      bench.commands.withheld
        .filter(({ name }) => name.includes("git") || name.includes("clone"))
        .map(({ why }) => why),
      Array(4).fill("Git isn't installed. Install it and start again."),
    );
  });

  it("names each file whose changes it would show, so that the policy can judge them", async () => {
    const { bench, folder } = await repository({ "a.txt": "one\n", ".env": "KEY=1\n", "out.txt": "x" });
    writeFiles(folder, {
      "a.txt": "two\n",
      ".env": "KEY=2\n",
      "out.txt": "y",
      ".autogptignore": "out.txt\n",
    });
    const prepared = await bench.prepare("git_diff", {});
    assert.ok(isPrepared(prepared));
    const outcome = await bench.run(prepared);
    assert.deepEqual(
      [
        prepared.touches,
        JSON.stringify(outcome).includes("out.txt"),
        JSON.stringify(outcome).includes("[1 file out of bounds left out.]"),
      ],
      [[".git", ".env", "a.txt"].map((name) => ({ path: join(folder, name), how: "read" })), false, true],
    );
  });

  it("reads the history of a linked working tree and of a submodule, also of one in another, without a question", async () => {
    const outside = await tempFolder();
    const [main, library, inner] = ["main", "library", "inner"].map((name) => join(outside, name));
    for (const folder of [main, library, inner]) makeRepository(folder ?? "", { "a.txt": "one\n" });
    const allow = ["-c", "protocol.file.allow=always"];
    git(library ?? "", ...allow, "submodule", "--quiet", "add", inner ?? "", "inner");
    git(library ?? "", "commit", "-q", "-m", "With a submodule");
    git(main ?? "", ...allow, "submodule", "--quiet", "add", library ?? "", "sub");
    git(main ?? "", ...allow, "submodule", "--quiet", "update", "--init", "--recursive");
    git(main ?? "", "worktree", "add", "-q", join(outside, "tree"));
    const found: Record<string, unknown> = {};
    for (const name of ["tree", "main/sub", "main/sub/inner"]) {
      const bench = new CommandBench(join(outside, name), await tempFolder(), { git: findNodeGit() });
      const prepared = await bench.prepare("git_status", {});
      assert.ok(isPrepared(prepared));
      const outcome = await bench.run(prepared);
      found[name] = [prepared.touches, outcome.status === "done" && outcome.output.includes("Nothing has changed.")];
    }
    assert.deepEqual(found, { tree: [[], true], "main/sub": [[], true], "main/sub/inner": [[], true] });
  });

  it("asks where a .git file only claims to belong to another repository's working tree or submodule", async () => {
    const outside = await tempFolder();
    const main = join(outside, "main");
    makeRepository(main, { "secret.txt": "s" });
    git(main, "worktree", "add", "-q", join(outside, "tree"));
    const module = join(main, ".git/modules/sub");
    cpSync(join(main, ".git"), join(outside, "copied"), { recursive: true });
    cpSync(join(outside, "copied"), module, { recursive: true });
    const claims: Record<string, readonly string[]> = {};
    for (const gitFolder of [join(main, ".git/worktrees/tree"), module, join(outside, "copied")]) {
      const { bench, folder } = await planted({ ".git": `gitdir: ${gitFolder}\n` }, { git: findNodeGit() });
      // Settings outside of the folder around name the tree: whoever wrote them may have written the file, too.
      git(gitFolder, "config", "--file", join(gitFolder, "config"), "core.worktree", folder);
      const prepared = await bench.prepare("git_log", {});
      assert.ok(isPrepared(prepared));
      claims[gitFolder] = prepared.touches?.map(({ path }) => path) ?? [];
    }
    assert.deepEqual(
      Object.entries(claims).map(([gitFolder, touched]) => touched.includes(gitFolder)),
      [true, true, true],
    );
  });

  it("names a history that lies elsewhere, so that the policy asks", async () => {
    const { bench, folder } = await planted({}, { git: findNodeGit() });
    const elsewhere = await tempFolder();
    makeRepository(elsewhere, { "secret.txt": "s" });
    writeFileSync(join(folder, ".git"), `gitdir: ${elsewhere}/.git\n`);
    const prepared = await bench.prepare("git_log", {});
    assert.ok(isPrepared(prepared));
    assert.deepEqual(prepared.touches, [{ path: join(elsewhere, ".git"), how: "read" }]);
  });

  it("names what git reads by links and alternates, so that the policy asks", async () => {
    const { bench, folder } = await planted({}, { git: findNodeGit() });
    const other = await tempFolder();
    makeRepository(folder, { "a.txt": "one\n" });
    makeRepository(other, { "notes.txt": "theirs\n" });
    rmSync(join(folder, ".git/refs"), { recursive: true });
    makeLinkSync(join(other, ".git/refs"), join(folder, ".git/refs"));
    writeFiles(folder, { ".git/objects/info/alternates": `${other}/.git/objects\n` });
    const prepared = await bench.prepare("git_log", {});
    const named = [join(folder, ".git"), join(other, ".git/objects"), join(other, ".git/refs")];
    assert.ok(isPrepared(prepared));
    assert.deepEqual(
      prepared.touches,
      named.map((path) => ({ path, how: "read" })),
    );
  });

  it("shows where a changed link leads by name, not what is there", async () => {
    const { bench, folder } = await repository({ "a.txt": "inside\n" });
    makeLinkSync("a.txt", join(folder, "link"));
    git(folder, "add", "link");
    const outcome = await bench.call("git_diff", { staged: true });
    assert.match(JSON.stringify(outcome), /new file mode 120000.*\+a\.txt/s);
  });
});
