import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readTrackedFiles } from "../../../../src/node/git/git-index.ts";
import { createPolicyDisk } from "../../../../src/node/policy-disk.ts";
import { readShellFacts } from "../../../../src/safety/policy/shell-facts.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";
import { readerOf } from "../readers.ts";

const USUAL = `[core]
	repositoryformatversion = 0
	filemode = true
	fsmonitor = true
	hooksPath = .husky
[remote "origin"]
	url = https://example.org/a.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[clean]
	requireForce = false
[branch "main"]
	remote = origin
	merge = refs/heads/main
`;

/** A repository as git makes it, without its settings and its index. */
const EMPTY = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/objects/info/.keep": "",
  ".git/refs/heads/.keep": "",
};

describe("git, where it only reads,", () => {
  const tempFolder = tempFolders();

  /** Why a line would not run unasked in a folder of this tree; "" when it would. */
  async function trouble(
    line: string,
    tree: Tree,
    at = "",
    { env = {}, workspace = "" }: { readonly env?: NodeJS.ProcessEnv; readonly workspace?: string } = {},
  ): Promise<string> {
    const folder = await tempFolder();
    await plant(folder, tree);
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const ground = { folder: join(folder, at), folders: [join(folder, workspace)], platform: process.platform };
    const { PATH = "" } = process.env;
    const path = env.PATH?.replaceAll("$W", folder) ?? PATH;
    const { notReadOnly = "" } = await readShellFacts(line, knowledge, ground, createPolicyDisk({ PATH: path }));
    return writeInEnglish(notReadOnly).replaceAll(folder, "$W");
  }

  it("runs unasked with a repository's usual settings, and without a repository", async () => {
    skipWithout("git");
    assert.deepEqual(
      [await trouble("git status", { ...EMPTY, ".git/config": USUAL }), await trouble("git status", { "a.txt": "" })],
      ["", ""],
    );
  });

  /** The index of a repository with these files, in a version of git's format. */
  async function index(version: number, ...names: readonly string[]): Promise<Buffer> {
    const folder = await tempFolder();
    await plant(folder, Object.fromEntries(names.map((name) => [name, "x"])));
    skipWithout("git");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
    git("init", "-q");
    git("add", "-f", ".");
    git("update-index", "--index-version", String(version));
    return (await import("node:fs/promises")).readFile(join(folder, ".git/index"));
  }

  for (const version of [2, 3, 4])
    it(`knows what a repository tracks (version ${version} of its index)`, async () => {
      const names = [".env", "a/b/c.txt", "a/b/cd.txt", "z".repeat(200)];
      const folder = await tempFolder();
      await plant(folder, { index: await index(version, ...names) });
      const entries = await readTrackedFiles(join(folder, "index"));
      assert.deepEqual(
        entries?.map(({ name }) => name),
        names,
      );
    });

  it("asks where it would show a tracked file that is protected, and only there", async () => {
    const tree = {
      ...EMPTY,
      ".git/config": USUAL,
      ".git/index": await index(2, ".env", "a.txt"),
      ".env": "x",
    };
    const clean = { ...EMPTY, ".git/config": USUAL, ".git/index": await index(2, "a.txt"), ".env": "x" };
    const showing = ["git diff", "git show", "git grep x", "git log -p", "git stash show -p"].concat(
      ["git diff -- .", "git log -p -- ./", "git diff -- ':!a.txt'"],
      ["git grep x -- .", "git diff --exit-code", "git log --check", "git show HEAD -- '*'"],
    );
    const brief = ["git status", "git log --oneline", "git diff --stat", "git show --name-only"].concat([
      "git diff -- a.txt",
      "git diff -- src",
      "git grep x -- '*.ts'",
      "git log -p -- 'src/**'",
    ]);
    const told = async (lines: readonly string[], where: Tree): Promise<string[]> => [
      ...new Set(await Promise.all(lines.map((line) => trouble(line, where)))),
    ];
    assert.deepEqual(
      [await told(showing, tree), await told(brief, tree), await told([...showing, ...brief], clean)],
      [["It may show .env, which is protected."], [""], [""]],
    );
  });

  it("asks where the repository that it looks at lies around the workspace and tracks what is protected", async () => {
    const files = await index(2, "app/.env", "b.txt");
    const tree = { ...EMPTY, ".git/config": USUAL, ".git/index": files, "app/src/a.txt": "" };
    const told = (line: string): Promise<string> => trouble(line, tree, "app", { workspace: "app" });
    assert.deepEqual(
      [await told("git diff"), await told("git diff -- src"), await told("git diff -- .")],
      ["It may show app/.env, which is protected.", "", "It may show app/.env, which is protected."],
    );
  });

  it("asks where an index cannot be read, or says that another one holds the rest", async () => {
    const whole = await index(2, "a.txt");
    const split = Buffer.concat([whole.subarray(0, -20), Buffer.from("link\0\0\0\0"), whole.subarray(-20)]);
    const told = await Promise.all(
      ["DIRC and nothing more", split].map((bytes) =>
        trouble("git diff", { ...EMPTY, ".git/config": USUAL, ".git/index": bytes }),
      ),
    );
    assert.deepEqual(
      told.map((why) => why.startsWith("Git says: ")),
      [true, true],
    );
  });

  it("and any other program asks when it would be run from the workspace", async () => {
    skipWithout("a POSIX shell and its programs");
    const tree = { "bin/ls": "#!/bin/sh\n", "bin/wc": "#!/bin/sh\n", "a.txt": "" };
    const env = { env: { PATH: `$W/bin:${process.env.PATH}` } };
    const relative = { env: { PATH: `bin:${process.env.PATH}` } };
    assert.deepEqual(
      [
        await trouble("ls", tree, "", env),
        await trouble("ls", tree, "", relative),
        await trouble("find . -name a.txt | xargs wc -l", tree, "", env),
        await trouble("cat a.txt", tree, "", env),
      ],
      [
        "It would run the program ls from the workspace: $W/bin/ls.",
        "It would run the program ls from the workspace: $W/bin/ls.",
        "It would run the program wc from the workspace: $W/bin/wc.",
        "",
      ],
    );
  });

  it("asks about a workspace's echo where it's a program, behind a wrapper", async () => {
    skipWithout("a POSIX shell and its programs");
    const tree = { "bin/echo": "#!/bin/sh\n", "a.txt": "" };
    const env = { env: { PATH: `$W/bin:${process.env.PATH}` } };
    const behind = ["timeout 5 echo hi", "env LC_ALL=C echo hi", "find . -name a.txt -exec echo {} ';'"];
    const asked = await Promise.all(["echo hi", ...behind].map((line) => trouble(line, tree, "", env)));
    const expected = "It would run the program echo from the workspace: $W/bin/echo.";
    assert.deepEqual(asked, ["", expected, expected, expected]);
  });
});
