import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { trackedEntries } from "../../../src/node/git-index.ts";
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
  '[remote "origin"]\n\turl = ext::sh -c evil\n\tpromisor = true\n',
  "[extensions]\n\tpartialClone = origin\n",
  "[alias]\n\twhatchanged = !evil\n",
  '[core]\n\thooksPath = "hooks"\n',
];

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
    const ground = { folder: join(folder, at), folders: [join(folder, workspace)], platform: "linux" };
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

  it("asks where a hook would be run, wherever hooks lie", async () => {
    const hook = "A hook of its repository starts a program when git looks for changes.";
    const own = { ".git/config": "[core]\n\tbare = false\n", ".git/hooks/post-index-change": "#!/bin/sh\n" };
    const named = { ".git/config": USUAL, ".husky/post-index-change": "#!/bin/sh\n" };
    const none = { ".git/config": "[core]\n\thooksPath = /dev/null\n", ".git/hooks/post-index-change": "" };
    const other = { ".git/config": USUAL, ".git/hooks/post-index-change": "", ".husky/pre-commit": "" };
    assert.deepEqual(
      [
        await trouble("git status", own),
        await trouble("git diff", named),
        await trouble("git diff", other),
        await trouble("git diff", none),
      ],
      [hook, hook, "", ""],
    );
  });

  it("asks where a repository within it has settings that start programs", async () => {
    const within = await indexWithin("sub");
    const tree = { ".git/config": USUAL, ".git/index": within };
    const told = async (inner: Tree): Promise<readonly string[]> => [
      await trouble("git status", { ...tree, ...inner }),
      await trouble("git log --oneline", { ...tree, ...inner }),
    ];
    const linked = { "sub/.git": "gitdir: ../.git/modules/sub\n" };
    const usual = { ...linked, ".git/modules/sub/config": "[core]\n\tworktree = ../../../sub\n" };
    const evil = "In sub: The settings of its repository may start programs.";
    assert.deepEqual(
      [await told({}), await told(usual), await told({ "sub/.git/config": EVIL[0] ?? "" })],
      [
        ["", ""],
        ["", ""],
        [evil, ""],
      ],
    );
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

  /** The index of a repository that has another one in it. */
  async function indexWithin(name: string): Promise<Buffer> {
    const folder = await tempFolder();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
    git("init", "-q");
    git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},${name}`);
    return (await import("node:fs/promises")).readFile(join(folder, ".git/index"));
  }

  for (const version of [2, 3, 4])
    it(`knows what a repository tracks (version ${version} of its index)`, async () => {
      const names = [".env", "a/b/c.txt", "a/b/cd.txt", "z".repeat(200)];
      const folder = await tempFolder();
      await plant(folder, { index: await index(version, ...names) });
      const entries = await trackedEntries(join(folder, "index"));
      assert.deepEqual(
        entries,
        names.map((name) => ({ name, isRepository: false })),
      );
    });

  it("asks where it would show a tracked file that is protected, and only there", async () => {
    const tree = { ".git/config": USUAL, ".git/index": await index(2, ".env", "a.txt"), ".env": "x" };
    const clean = { ".git/config": USUAL, ".git/index": await index(2, "a.txt"), ".env": "x" };
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
    const tree = { ".git/config": USUAL, ".git/index": files, "app/src/a.txt": "" };
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
        trouble("git diff", { ".git/config": USUAL, ".git/index": bytes }),
      ),
    );
    assert.deepEqual([...new Set(told)], ["It may show what its index names, which is protected."]);
  });

  it("and any other program asks when it would be run from the workspace", async () => {
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
        "The program ls would be run from the workspace: $W/bin/ls.",
        "The program ls would be run from the workspace: $W/bin/ls.",
        "The program wc would be run from the workspace: $W/bin/wc.",
        "",
      ],
    );
  });
});
