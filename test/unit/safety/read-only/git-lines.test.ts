import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createLineEnvironment } from "../../../../src/node/git/repository-view.ts";
import { createNodeProcesses } from "../../../../src/node/processes/background-processes.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { withoutTimes } from "../../../support/run-times.ts";
import { makeLinkSync } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { type LinePlace, propose } from "../../../support/unasked-lines.ts";

/** A repository under attack. */
interface Attacked {
  /** The workspace, which is the repository. */
  readonly repo: string;
  /** A folder beside it, of another project. */
  readonly other: string;
  /** A program that leaves a mark when it runs. */
  readonly trap: string;
}

interface Attack {
  readonly plant: (attacked: Attacked) => void;
  readonly lines: readonly string[];
  readonly at?: string;
}

const LOOKS = ["git status", "git diff; git log -p; git show; git blame a.txt"];
const ALL = ["git status; git describe --always --dirty; git ls-files -m", "git diff; git log -p; git blame a.txt"];

/** Adds a setting to a file as git itself would. */
function set(file: string, key: string, value: string): void {
  git("/", "config", "--file", file, "--add", key, value);
}

/** Every setting that names a program, written in one go, since a git for each of them takes its time. */
function allSettings(file: string, trap: string): void {
  const settings = Object.entries({
    "core.fsmonitor": trap,
    "core.pager": trap,
    "pager.log": trap,
    "pager.status": trap,
    "core.sshCommand": trap,
    "core.askPass": trap,
    "core.alternateRefsCommand": trap,
    "diff.external": trap,
    "diff.evil.textconv": trap,
    "diff.evil.cachetextconv": "true",
    "filter.evil.clean": trap,
    "filter.evil.process": trap,
    "filter.evil.required": "true",
    "merge.evil.driver": trap,
    "merge.default": "evil",
    "gpg.program": trap,
    "gpg.openpgp.program": trap,
    "gpg.ssh.program": trap,
    "log.showSignature": "true",
    "diff.submodule": "diff",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "uploadpack.packObjectsHook": trap,
    "alias.status": `!${trap}`,
    "alias.whatchanged": `!${trap}`,
    "credential.helper": `!${trap}`,
    "format.pretty": "%G? %s",
  }).map(([key, value]) => {
    const [, section, sub, name] = /^([^.]+)(?:\.(.+))?\.([^.]+)$/.exec(key) ?? [];
    return `[${section}${sub === undefined ? "" : ` "${sub}"`}]\n\t${name} = "${value}"\n`;
  });
  appendFileSync(file, settings.join(""));
}

/** Everything that git can be made to run programs by, each in a place of its own. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  "settings in .git/config": {
    plant: ({ repo, trap }) => allSettings(join(repo, ".git/config"), trap),
    lines: ALL,
  },
  "another program for differences": {
    plant: ({ repo, trap }) => set(join(repo, ".git/config"), "diff.evil.command", trap),
    lines: LOOKS,
  },
  "an include behind another section on the same line": {
    plant({ repo, trap }) {
      set(join(repo, "more.cfg"), "core.fsmonitor", trap);
      set(join(repo, "more.cfg"), "filter.evil.clean", trap);
      appendFileSync(join(repo, ".git/config"), "[core][include]path = ../more.cfg\n");
    },
    lines: ALL,
  },
  "an include for a branch": {
    plant({ repo, trap }) {
      allSettings(join(repo, "more.cfg"), trap);
      set(join(repo, ".git/config"), "includeIf.onbranch:main.path", "../more.cfg");
    },
    lines: ALL,
  },
  "settings of the working tree": {
    plant({ repo, trap }) {
      set(join(repo, ".git/config"), "core.repositoryformatversion", "1");
      set(join(repo, ".git/config"), "extensions.worktreeConfig", "true");
      allSettings(join(repo, ".git/config.worktree"), trap);
    },
    lines: ALL,
  },
  "settings of a folder named by commondir": {
    plant({ repo, trap }) {
      cpSync(join(repo, ".git"), join(repo, "shared"), { recursive: true });
      allSettings(join(repo, "shared/config"), trap);
      writeFiles(repo, { ".git/commondir": "../shared\n" });
    },
    lines: ALL,
  },
  "a .git file": {
    plant({ repo, trap }) {
      cpSync(join(repo, ".git"), join(repo, "kept"), { recursive: true });
      rmSync(join(repo, ".git"), { recursive: true });
      allSettings(join(repo, "kept/config"), trap);
      writeFiles(repo, { ".git": "gitdir: kept\n" });
    },
    lines: ALL,
  },
  "a folder that is a repository itself": {
    plant({ repo, trap }) {
      cpSync(join(repo, ".git"), join(repo, "bare"), { recursive: true });
      allSettings(join(repo, "bare/config"), trap);
      set(join(repo, "bare/config"), "core.worktree", "..");
    },
    lines: ALL,
    at: "bare",
  },
  "settings of a repository within": {
    plant({ repo, trap }) {
      makeRepository(join(repo, "inner"), { "c.txt": "c\n" });
      git(repo, "add", "inner");
      allSettings(join(repo, "inner/.git/config"), trap);
      set(join(repo, "inner/.git/config"), "filter.other.clean", trap);
      writeFiles(repo, { "inner/c.txt": "d\n", "inner/.gitattributes": "* filter=other diff=evil\n" });
      writeFiles(repo, {
        ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = x\n\tignore = none\n',
      });
    },
    lines: ["git status", "git diff", "git diff --submodule=diff", "git describe --always --dirty"],
  },
  "settings of the working tree of a repository within": {
    plant({ repo, trap }) {
      makeRepository(join(repo, "inner"), { "c.txt": "c\n" });
      git(repo, "add", "inner");
      set(join(repo, "inner/.git/config"), "core.repositoryformatversion", "1");
      set(join(repo, "inner/.git/config"), "extensions.worktreeConfig", "true");
      set(join(repo, "inner/.git/config.worktree"), "filter.other.clean", trap);
      set(join(repo, "inner/.git/config.worktree"), "core.fsmonitor", trap);
      writeFiles(repo, { "inner/c.txt": "d\n", "inner/.gitattributes": "* filter=other\n" });
    },
    lines: ["git status", "git diff"],
  },
  hooks: {
    plant({ repo, trap }) {
      for (const hook of ["post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc"])
        cpSync(trap, join(repo, ".git/hooks", hook));
    },
    lines: ALL,
  },
  "hooks elsewhere": {
    plant({ repo, trap }) {
      mkdirSync(join(repo, "own hooks"));
      cpSync(trap, join(repo, "own hooks/post-index-change"));
      set(join(repo, ".git/config"), "core.hooksPath", "own hooks");
    },
    lines: ALL,
  },
  "objects that are missing": {
    plant({ repo, trap }) {
      const config = join(repo, ".git/config");
      set(config, "core.repositoryformatversion", "1");
      set(config, "extensions.partialClone", "origin");
      set(config, "remote.origin.promisor", "true");
      set(config, "remote.origin.url", `ext::${trap}`);
      set(config, "protocol.ext.allow", "always");
      const blob = git(repo, "rev-parse", "HEAD:a.txt").trim();
      rmSync(join(repo, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    },
    lines: ALL,
  },
};

describe("git in lines that run unasked", () => {
  const tempFolder = tempFolders();

  async function attacked(attack: Attack): Promise<Attacked & { readonly marks: string }> {
    const around = await tempFolder();
    const marks = join(around, "marks");
    mkdirSync(marks);
    const repo = join(around, "repo");
    makeRepository(repo, { "a.txt": "one\n", ".gitattributes": "* filter=evil diff=evil merge=evil\n" });
    writeFiles(around, { trap: `#!/bin/sh\necho x >> '${marks}/sprung'\n`, "other/notes.txt": "a secret\n" });
    chmodSync(join(around, "trap"), 0o755);
    const all = { repo, other: join(around, "other"), trap: join(around, "trap"), marks };
    attack.plant(all);
    writeFiles(repo, { "a.txt": "two\n" });
    // A file of another time makes git write its index again, which starts a hook.
    utimesSync(join(repo, ".gitattributes"), 1e9, 1e9);
    return all;
  }

  for (const [name, attack] of Object.entries(ATTACKS))
    it(`starts no program that a repository names: ${name}`, async () => {
      const { repo, marks } = await attacked(attack);
      for (const line of attack.lines) await propose(line, { folder: repo, at: attack.at ?? "." });
      assert.deepEqual(readdirSync(marks), []);
    });

  for (const [name, attack] of Object.entries(ATTACKS))
    it(`would start a program if it ran as it was typed: ${name}`, async () => {
      const { repo, marks } = await attacked(attack);
      const at = join(repo, attack.at ?? ".");
      for (const words of attack.lines.flatMap((line) => line.split("; "))) {
        if (existsSync(join(marks, "sprung"))) break;
        try {
          git(at, ...words.split(" ").slice(1));
        } catch {
          // Some fail because of what was planted.
        }
      }
      assert.deepEqual(readdirSync(marks), ["sprung"]);
    });

  it("runs as it was typed when the user approves it", async () => {
    const { repo, marks } = await attacked({
      plant: ({ repo, trap }) => set(join(repo, ".git/config"), "diff.evil.command", trap),
      lines: [],
    });
    const { asked } = await propose("git diff", { folder: repo, answer: "approve" });
    assert.deepEqual(
      [asked, readdirSync(marks)],
      ["The repository's settings pass differences to another program (diff.evil.command).", ["sprung"]],
    );
  });

  it("starts none of these in the background either", async () => {
    const { repo, marks } = await attacked({
      plant: ({ repo, trap }) => allSettings(join(repo, ".git/config"), trap),
      lines: [],
    });
    const processes = createNodeProcesses({ outputFolder: await tempFolder() });
    const { signal } = new AbortController();
    const line = "git status --short; git blame a.txt";
    await processes.start(line, { cwd: repo, step: 1, harmlessIn: [repo] });
    const printed: string[] = [];
    while (processes.list()[0]?.state === "running" || printed.length === 0)
      printed.push((await processes.read(1, 2000, signal))?.text ?? "");
    assert.deepEqual([printed.join("").includes(" M a.txt"), readdirSync(marks)], [true, []]);
  });

  it("asks if git is too old to read settings from the environment, and if they can't be read anymore", async () => {
    const { repo } = await attacked({ plant: () => undefined, lines: [] });
    const bin = await tempFolder();
    const old = '#!/bin/sh\nunset GIT_CONFIG_COUNT\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n';
    writeFiles(bin, { git: old });
    chmodSync(join(bin, "git"), 0o755);
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    const why = "This git is too old to keep from starting other programs. Install 2.31 or newer.";
    assert.deepEqual(
      [await propose("git status", { folder: repo, env }), await createLineEnvironment([repo], env)],
      [{ asked: why }, `The command line was not run: git can't be restricted in it now. ${why}`],
    );
  });

  it("is not led elsewhere by the environment", async () => {
    const { repo, marks, trap } = await attacked({ plant: () => undefined, lines: [] });
    const names = ["GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR"];
    const env = {
      ...process.env,
      ...Object.fromEntries(names.map((name) => [name, trap])),
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: "/nowhere",
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${trap}'`,
      GIT_CONFIG_GLOBAL: "/nowhere",
      GIT_TRACE: join(marks, "trace"),
    };
    const { outcome } = await propose("git diff", { folder: repo, env });
    assert.deepEqual([outcome?.status, readdirSync(marks)], ["done", []]);
  });

  /** What a line prints where it runs unasked; the reason where it asks. */
  async function printed(line: string, place: LinePlace): Promise<string> {
    const { asked, outcome } = await propose(line, place);
    if (asked !== undefined) return `asks: ${asked}`;
    return outcome?.status === "done"
      ? withoutTimes(outcome.output).replace("Exit code 0.\n", "")
      : JSON.stringify(outcome);
  }

  it("prints the same as usual in an ordinary repository", async () => {
    const folder = await tempFolder();
    makeRepository(folder, { "a.txt": "one\n", "src/b.txt": "one\n", "src/c.md": "one\n" });
    git(folder, "branch", "topic");
    git(folder, "tag", "v1");
    set(join(folder, ".git/config"), "filter.lfs.clean", "git-lfs clean -- %f");
    set(join(folder, ".git/config"), "diff.text.textconv", "tr a-z A-Z");
    set(join(folder, ".git/config"), "alias.st", "status");
    set(join(folder, ".git/config"), "core.hooksPath", ".husky");
    writeFiles(folder, { "a.txt": "two\n", "src/b.txt": "two\n", new: "" });
    const lines = [
      ...["git status", "git status --short", "git log --oneline", "git log -p", "git diff", "git diff --stat"],
      ...[
        "git show",
        "git blame HEAD -- a.txt",
        "git branch -a",
        "git tag -l",
        "git diff -- 'src/*.txt'",
        "git ls-files",
      ],
      ...["git grep one", "git rev-parse HEAD", "git stash list", "git remote -v", "git show HEAD:a.txt"],
      ...["git describe --tags --dirty", "git shortlog -s HEAD", "git config user.name || true", "git reflog"],
      ...["git log --oneline | head -1 && cd src && git status", "git cat-file -t HEAD", "git worktree list"],
    ];
    const told: string[] = [];
    for (const line of lines) told.push(await printed(line, { folder }));
    const typed = lines.map((line) => execFileSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }).trimEnd());
    assert.deepEqual(
      told.map((text) => (text === "It printed nothing." ? "" : text)),
      typed,
    );
  });

  describe("asks where it would show", () => {
    for (const [what, plant, line, reason] of [
      [
        "another project's history, by a .git file",
        ({ repo, other }: Attacked) => {
          makeRepository(other, { "notes.txt": "a secret\n" });
          rmSync(join(repo, ".git"), { recursive: true });
          writeFiles(repo, { ".git": `gitdir: ${other}/.git\n` });
        },
        "git log -p",
        /history is kept in .*other\/\.git, which does not name this folder/,
      ],
      [
        "another project's history, by a link",
        ({ repo, other }: Attacked) => {
          makeRepository(other, { "notes.txt": "a secret\n" });
          rmSync(join(repo, ".git"), { recursive: true });
          makeLinkSync(join(other, ".git"), join(repo, ".git"));
        },
        "git log -p",
        /history is kept in .*other\/\.git, which does not name this folder/,
      ],
      [
        "another project's history, by links in .git",
        ({ repo, other }: Attacked) => {
          makeRepository(other, { "notes.txt": "a secret\n" });
          for (const name of ["objects", "refs"]) {
            rmSync(join(repo, ".git", name), { recursive: true });
            makeLinkSync(join(other, ".git", name), join(repo, ".git", name));
          }
        },
        "git log -p",
        /link/,
      ],
      [
        "another project's file, as what is left of a rebase",
        ({ repo, other }: Attacked) => {
          const head = git(repo, "rev-parse", "HEAD");
          writeFiles(repo, {
            ".git/rebase-merge/interactive": "",
            ".git/rebase-merge/done": "",
            ".git/rebase-merge/onto": head,
            ".git/rebase-merge/head-name": "refs/heads/main\n",
          });
          makeLinkSync(join(other, "notes.txt"), join(repo, ".git/rebase-merge/git-rebase-todo"));
        },
        "git status",
        /reaches .*git-rebase-todo by a link/,
      ],
      [
        "another project's file, as the place of a working tree",
        ({ repo, other }: Attacked) => {
          writeFiles(repo, {
            ".git/worktrees/a/commondir": "../..\n",
            ".git/worktrees/a/HEAD": "ref: refs/heads/main\n",
          });
          makeLinkSync(join(other, "notes.txt"), join(repo, ".git/worktrees/a/gitdir"));
        },
        "git worktree list",
        /reaches .*worktrees\/a\/gitdir by a link/,
      ],
      [
        "another project's reflog",
        ({ repo, other }: Attacked) => {
          makeRepository(other, { "notes.txt": "a secret\n" });
          rmSync(join(repo, ".git/logs/refs/heads/main"), { force: true });
          mkdirSync(join(repo, ".git/logs/refs/heads"), { recursive: true });
          makeLinkSync(join(other, ".git/logs/HEAD"), join(repo, ".git/logs/refs/heads/main"));
        },
        "git reflog main",
        /reaches .*logs\/refs\/heads\/main by a link/,
      ],
      [
        "another project's objects",
        ({ repo, other }: Attacked) => {
          makeRepository(other, { "notes.txt": "a secret\n" });
          writeFiles(repo, { ".git/objects/info/alternates": `${other}/.git/objects\n` });
        },
        "git show",
        /takes objects from other repositories/,
      ],
      [
        "another project's files",
        ({ repo, other }: Attacked) => set(join(repo, ".git/config"), "core.worktree", other),
        "git diff",
        /working tree is .*other/,
      ],
      [
        "a protected file by the name of its content",
        ({ repo }: Attacked) => {
          writeFiles(repo, { ".env": "KEY=1\n" });
          git(repo, "add", "-f", ".env");
        },
        "git cat-file -p 03f2b2d",
        /It may show \.env, which is protected/,
      ],
    ] as const)
      it(what, async () => {
        const { repo } = await attacked({ plant, lines: [] });
        const { asked = "" } = await propose(line, { folder: repo });
        assert.match(asked, reason);
      });
  });

  it("shows no line of a file that a setting names", async () => {
    const { repo, other } = await attacked({
      plant({ repo, other }) {
        for (const key of ["core.attributesFile", "blame.ignoreRevsFile", "mailmap.file", "commit.template"])
          set(join(repo, ".git/config"), key, join(other, "notes.txt"));
      },
      lines: [],
    });
    const all: string[] = [];
    for (const line of ["git blame HEAD -- a.txt", "git check-attr -a a", "git log -1", "git status"])
      all.push(await printed(line, { folder: repo }));
    const asks = `asks: The repository's settings name ${other}/notes.txt, and git may show lines of it.`;
    assert.deepEqual(all, Array(4).fill(asks));
  });

  it("may be a further working tree of a repository, or a repository within another one", async () => {
    const around = await tempFolder();
    makeRepository(join(around, "main"), { "a.txt": "one\n" });
    git(join(around, "main"), "worktree", "add", "-q", "../further");
    git(
      join(around, "main"),
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "-q",
      "add",
      join(around, "main"),
      "sub",
    );
    assert.deepEqual(
      [
        await printed("git status --short --branch", { folder: join(around, "further") }),
        await printed("git log --format=%s", { folder: join(around, "main"), at: "sub" }),
      ],
      ["## further", "First commit"],
    );
  });
});
