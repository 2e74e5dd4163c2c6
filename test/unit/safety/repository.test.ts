import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { trackedNames } from "../../../src/node/git-index.ts";
import { policyDisk } from "../../../src/node/policy-disk.ts";
import { shellFacts } from "../../../src/safety/shell-facts.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant, type Tree } from "../../support/trees.ts";
import { readerOf } from "./readers.ts";

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

/** Settings that start a program where git only reads. */
const EVIL: readonly string[] = [
  "[core]\n\tfsmonitor = ./evil\n",
  "[core] fsmonitor=./evil\n",
  "[CORE]\n  FSMonitor = sh -c evil\n",
  "[diff]\n\texternal = ./evil\n",
  '[diff "x"]\n\ttextconv = ./evil\n',
  '[diff "x"]\n\tcommand = ./evil\n',
  '[filter "x"]\n\tclean = ./evil\n',
  '[filter "x"]\n\tprocess = ./evil\n',
  "[log]\n\tshowSignature\n",
  "[gpg]\n\tprogram = ./evil\n",
  "[include]\n\tpath = ../evil\n",
  '[includeIf "gitdir:/"]\n\tpath = ../evil\n',
  "[core]\n\tworktree = /etc\n",
];

describe("git, where it only reads,", () => {
  const tempFolder = tempFolders();

  /** Why a line would not run unasked in a folder of this tree; "" when it would. */
  async function trouble(line: string, tree: Tree, at = "", env: NodeJS.ProcessEnv = {}): Promise<string> {
    const folder = await tempFolder();
    await plant(folder, tree);
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const ground = { folder: join(folder, at), folders: [folder], platform: "linux" };
    const { PATH = "" } = process.env;
    const path = env.PATH?.replaceAll("$W", folder) ?? PATH;
    const { notReadOnly = "" } = await shellFacts(line, knowledge, ground, policyDisk({ PATH: path }));
    return notReadOnly.replaceAll(folder, "$W");
  }

  it("runs unasked with a repository's usual settings, and without a repository", async () => {
    assert.deepEqual(
      [await trouble("git status", { ".git/config": USUAL }), await trouble("git status", { "a.txt": "" })],
      ["", ""],
    );
  });

  it("asks where the repository's settings may start programs, from a folder below, too", async () => {
    const told = await Promise.all(
      EVIL.flatMap((evil) => [
        trouble("git status", { ".git/config": USUAL + evil, "sub/a.txt": "" }),
        trouble("git log --oneline", { ".git/config": evil, "sub/a.txt": "" }, "sub"),
        trouble("git diff --stat", { "sub/.git/config": evil }, "sub"),
      ]),
    );
    assert.deepEqual([...new Set(told)], ["The settings of its repository may start programs."]);
  });

  it("asks where these lie elsewhere and do the same, or are not to be found", async () => {
    const linked = { "sub/.git": "gitdir: ../real/worktrees/sub\n" };
    assert.deepEqual(
      [
        await trouble("git status", { ...linked, "real/config": EVIL[0] ?? "" }, "sub"),
        await trouble("git status", { ...linked, "real/config": USUAL }, "sub"),
        await trouble("git status", linked, "sub"),
      ],
      [
        "The settings of its repository may start programs.",
        "",
        "The settings of its repository cannot be read.",
      ],
    );
  });

  /** The index of a repository with these files, in a version of git's format. */
  async function index(version: number, ...names: readonly string[]): Promise<Buffer> {
    const folder = await tempFolder();
    await plant(folder, Object.fromEntries(names.map((name) => [name, "x"])));
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
      assert.deepEqual(await trackedNames(join(folder, "index")), names);
    });

  it("asks where it would show a tracked file that is protected, and only there", async () => {
    const tree = { ".git/config": USUAL, ".git/index": await index(2, ".env", "a.txt"), ".env": "x" };
    const clean = { ".git/config": USUAL, ".git/index": await index(2, "a.txt"), ".env": "x" };
    const showing = ["git diff", "git show", "git grep x", "git log -p", "git stash show -p"];
    const brief = [
      "git status",
      "git log --oneline",
      "git diff --stat",
      "git diff -- a.txt",
      "git show --name-only",
    ];
    const told = async (lines: readonly string[], where: Tree): Promise<string[]> => [
      ...new Set(await Promise.all(lines.map((line) => trouble(line, where)))),
    ];
    assert.deepEqual(
      [await told(showing, tree), await told(brief, tree), await told([...showing, ...brief], clean)],
      [["It may show .env, which is protected."], [""], [""]],
    );
  });

  it("asks where an index cannot be read", async () => {
    const tree = { ".git/config": USUAL, ".git/index": "DIRC and nothing more" };
    assert.equal(await trouble("git diff", tree), "It may show what its index names, which is protected.");
  });

  it("and any other program asks when it would be run from the workspace", async () => {
    const tree = { "bin/ls": "#!/bin/sh\n", "bin/wc": "#!/bin/sh\n", "a.txt": "" };
    const env = { PATH: `$W/bin:${process.env.PATH}` };
    const relative = { PATH: `bin:${process.env.PATH}` };
    assert.deepEqual(
      [
        await trouble("ls", tree, "", env),
        await trouble("ls", tree, "", relative),
        await trouble("find . -name a.txt | xargs wc -l", tree, "", env),
        await trouble("cat a.txt", tree, "", env),
      ],
      [
        "The program ls would be run from the workspace: $W/bin/ls.",
        "The program ls would be run from the workspace: $W/bin/ls.",
        "The program wc would be run from the workspace: $W/bin/wc.",
        "",
      ],
    );
  });
});
