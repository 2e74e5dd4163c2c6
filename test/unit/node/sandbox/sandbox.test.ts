import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { createRunShell, type RunShell } from "../../../../src/node/sandbox/run-shell.ts";
import { findSandboxTool, listSandboxProgramFolders } from "../../../../src/node/sandbox/sandbox.ts";
import { git } from "../../../support/repositories.ts";
import { skipWithout } from "../../../support/skips.ts";

/** Files of a home, of a workspace in it and of another project. They are made outside of /tmp, which the sandbox replaces. */
const FILES = {
  "home/.ssh/id_rsa": "key",
  "home/.docker/config.json": "{}",
  "home/.nvm/nvm.sh": "nvm",
  "home/.cargo/credentials.toml": "key",
  "home/other/.env": "SECRET=3",
  "home/other/notes.txt": "private",
  "beside/notes.txt": "private",
  "home/app/.aws/credentials": "key",
  "home/app/a.txt": "a\n",
  "home/app/.autogptignore": "kept/\n*.kept\n",
  "home/app/kept/plan.txt": "plan",
  "home/app/b.kept": "plan",
  "home/app/.env": "SECRET=1",
  "home/app/src/deep/.env": "SECRET=2",
  "home/app/src/kept/plan.txt": "plan",
  "home/app/src/.autogptignore": "own.txt\n",
  "home/app/src/own.txt": "plan",
  "home/app/src/b.ts": "b",
  "home/app/packages/a/.vscode/tasks.json": "{}",
  "home/app/packages/a/AGENTS.md": "be kind\n",
  "home/app/packages/a/.envrc": "x\n",
  "home/app/odd\n\"name' $(x)/.env": "SECRET=4",
  "home/app/real.txt": "SECRET=5",
};

describe("the sandbox of this system", () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
  });

  interface Place {
    readonly app: string;
    readonly home: string;
    readonly shell: RunShell;
    run(line: string): Promise<{ readonly output: string; readonly notes: readonly string[] }>;
  }

  /** A workspace that is a repository, with a shell in the sandbox; skipped where there is none. */
  async function place(test: Mocha.Context, env: NodeJS.ProcessEnv = {}): Promise<Place> {
    if ((await findSandboxTool()).kind !== "bubblewrap") test.skip();
    const folder = fs.mkdtempSync("/var/tmp/autogpt-test-");
    made.push(folder);
    for (const [name, text] of Object.entries(FILES)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    const home = path.join(folder, "home");
    const app = path.join(home, "app");
    fs.symlinkSync("real.txt", path.join(app, ".env.local"));
    git(app, "init", "-q", "-b", "main");
    git(app, "add", "a.txt");
    git(app, "commit", "-q", "-m", "First commit");
    const shell = await createRunShell(
      { enabled: true, sandbox: "trusted" },
      {
        outputFolder: path.join(folder, "run"),
        redact: (text) => text.replaceAll(/sk-\w+/g, "…"),
        listFolders: () => [app],
        env: { ...process.env, HOME: home, ...env },
      },
    );
    return {
      app,
      home,
      shell,
      async run(line) {
        const { signal } = new AbortController();
        const options = { cwd: app, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
        const { output = "", notes = [] } = (await shell.shell?.run(line, options)) ?? {};
        return { output: output.trim(), notes: notes.map((note) => note.replaceAll(folder, "$T")) };
      },
    };
  }

  for (const [what, line, printed] of [
    ["lets the workspace be read and written", "echo b > b.txt; cat a.txt b.txt", "a\nb"],
    ["keeps the rest of the disk as it is", "(touch /usr/x || echo no; touch /x || echo no) 2>/dev/null", "no\nno"],
    [
      "lets a home be written that is gone afterwards",
      "mkdir -p ~/.cache/x && echo y > ~/.cache/x/y && cat ~/.cache/x/y",
      "y",
    ],
    [
      "keeps git's folder as it is",
      "(echo x >> .git/config; echo x > .git/hooks/y; echo x > .git/config.worktree; echo x > .git/commondir; mkdir -p .git/modules/x; echo x > .git/objects/info/alternates; mv .git .git2; rm -rf .git; git config core.pager x) 2>/dev/null; git log --format=%s; ls -d .git*",
      "First commit\n.git\n.gitattributes\n.githooks\n.github\n.gitmodules",
    ],
    [
      "lets nothing come at the top that steers programs",
      "(mkdir -p .vscode && echo x > .vscode/tasks.json || echo no; echo x > AGENTS.md || echo no) 2>/dev/null",
      "no\nno",
    ],
    [
      "keeps what steers programs further down",
      "(echo x > packages/a/.vscode/tasks.json || echo no; echo x > packages/a/AGENTS.md || echo no; rm packages/a/.envrc || echo no; mv packages/a/.vscode x || echo no) 2>/dev/null",
      "no\nno\nno\nno",
    ],
    [
      "cannot be undone from within, not even by root",
      "(umount .git; umount -l .git; mount -o remount,rw,bind .git; mount -o remount,rw /; unshare -rm sh -c 'umount .git; mount -o remount,rw,bind .git; echo x > .git/x'; echo x > .git/x; cat /proc/1/root/etc/../home/*/*; echo core > /proc/sys/kernel/core_pattern && touch proc) >/dev/null 2>&1; ls .git/x proc ../other 2>/dev/null || echo no",
      "no",
    ],
    [
      "shows no keys and no secrets",
      "cat .env src/deep/.env .env.local real.txt odd*/.env; ls -A .aws; ls -A ~ | sort | tr '\\n' ' '",
      ".nvm app",
    ],
    [
      "shows no other project",
      "ls ~/other ../../beside 2>/dev/null; cat ../other/notes.txt 2>/dev/null || echo no",
      "no",
    ],
    [
      "shows nothing that .autogptignore names",
      "cat b.kept; ls kept; grep -r plan src 2>/dev/null; echo end; cat src/b.ts",
      "end\nb",
    ],
    ["gives the command's exit code back", "bash -c 'exit 3'; echo $?", "3"],
  ] as const) {
    it(what, async function () {
      const { run } = await place(this);
      const { output } = await run(line);
      const lines = output.split("\n").filter((one) => !/^(?:\S*bash|cat|mkdir|touch): /.test(one));
      assert.equal(lines.join("\n"), printed);
    });
  }

  it("hands on what programs need of the environment, and no secret", async function () {
    const { run } = await place(this, {
      GITHUB_TOKEN: "secret1",
      DATABASE_URL: "postgres://u:secret2@h/d",
      MY_SERVICE: "secret3",
      NODE_AUTH_TOKEN: "secret4",
      JAVA_HOME: "/opt/java",
      NODE_OPTIONS: "--x=sk-secret5",
      GOFLAGS: "-x=https://u:secret6@h",
    });
    const { output } = await run("env; cat /proc/*/environ | tr '\\0' '\\n'");
    assert.deepEqual([output.match(/secret\d/g), output.includes("JAVA_HOME=/opt/java")], [null, true]);
  });

  it("has no network, not even to this machine", async function () {
    const server = net.createServer((socket) => socket.end("hello"));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      const { run } = await place(this);
      const { output } = await run(`(cat < /dev/tcp/127.0.0.1/${port}) 2>/dev/null || echo no`);
      assert.equal(output, "no");
    } finally {
      server.close();
    }
  });

  it("leaves nothing behind that was not there, even after a line that was cut off", async function () {
    const { run, app } = await place(this);
    const before = fs.readdirSync(app).sort();
    const { notes } = await run("true; kill -9 $$");
    assert.deepEqual([fs.readdirSync(app).sort(), notes], [before, []]);
  });

  it("says that nothing can be committed in it", async function () {
    const { run } = await place(this);
    const { notes } = await run("echo b > a.txt; git commit -qam b");
    assert.deepEqual(notes, [
      "The sandbox keeps .git as it is, so nothing can be committed or staged from a command line. Leave commits to the user.",
    ]);
  });

  it("moves a repository away that a line made, and has the next line asked about", async function () {
    const { run, app, shell } = await place(this);
    const { notes } = await run("mkdir sub && cd sub && git init -q && git config core.fsmonitor evil");
    assert.deepEqual(
      [fs.existsSync(path.join(app, "sub/.git")), notes, shell.tampering?.what !== undefined],
      [
        false,
        [
          "While it ran in the sandbox, protected files changed: $T/home/app/sub/.git appeared and was moved to $T/run/quarantine/step-1/0-sub-git. The user is asked about the next line.",
        ],
        true,
      ],
    );
    shell.tampering?.accept();
    assert.deepEqual([shell.tampering?.what, (await run("true")).notes], [undefined, []]);
  });

  it("notices what was put in the place of a folder that held such files", async function () {
    const { run } = await place(this);
    const line =
      "mv packages/a x; mkdir -p packages/a/.vscode packages/b; echo y > packages/a/.vscode/tasks.json; echo y > packages/b/.envrc";
    const { notes } = await run(line);
    const [told = ""] = notes;
    assert.deepEqual(
      [
        "packages/a/.vscode appeared and was moved",
        "packages/b/.envrc appeared and was moved",
        "packages/a/AGENTS.md is gone",
      ].map((part) => told.includes(part)),
      [true, true, true],
    );
  });

  for (const [what, line, left] of [
    ["another agent's rules in other letters", "mkdir sub; echo x > sub/Claude.MD", "sub"],
    [
      "a prepared folder with a new name",
      "mkdir -p sub/prep; echo x > sub/prep/settings.json; mv sub/prep sub/.vscode",
      "sub",
    ],
    ["a further name of a file", "mkdir sub; echo x > sub/x; ln sub/x sub/.envrc; ln -s x sub/.npmrc", "sub sub/x"],
    ["a link in git's place", "mkdir sub; echo 'gitdir: ../x' > sub/x; ln -s x sub/.git", "sub sub/x"],
    [
      "a repository without a working tree whose head is a link",
      "mkdir -p sub/refs sub/objects; echo x > sub/config; ln -s refs/heads/x sub/HEAD",
      "sub sub/objects sub/refs",
    ],
    ["a folder with hooks", "mkdir -p sub/.husky; echo x > sub/.husky/pre-commit", "sub"],
    [
      "git's folder in a package",
      "mkdir -p sub/vendor/x; echo x > sub/vendor/x/.gitattributes; git init -q sub/vendor/x",
      "sub sub/vendor sub/vendor/x sub/vendor/x/.gitattributes",
    ],
  ] as const)
    it(`moves away what a line made that steers programs: ${what}`, async function () {
      const { run, app, shell } = await place(this);
      await run(line);
      const there = fs.readdirSync(path.join(app, "sub"), { recursive: true }).map((name) => `sub/${name}`);
      assert.deepEqual([["sub", ...there].sort().join(" "), shell.tampering?.what === undefined], [left, false]);
    });

  for (const [what, line, left] of [
    [
      "behind thousands of other files",
      "mkdir -p n/n sub/deep/deeper; for i in $(seq 200); do mkdir n/$i; touch n/$i/{1..60}; done; git init -q sub/deep/deeper; mkdir sub/deep/.vscode; echo x > sub/deep/.vscode/settings.json",
      "sub sub/deep sub/deep/deeper",
    ],
    ["in a folder with thousands of others", "mkdir sub; (cd sub; touch f{1..10500}; echo x > .envrc; rm f*)", "sub"],
    ["below a name that isn't UTF-8", "mkdir -p sub/$'\\xff'; git init -q sub/$'\\xff'", "sub sub/\ufffd"],
    [
      "in a published package",
      "mkdir -p sub/node_modules/@a/b/.git; echo x > sub/node_modules/@a/b/.git/config; echo x > sub/node_modules/@a/b/.npmrc",
      "sub sub/node_modules sub/node_modules/@a sub/node_modules/@a/b sub/node_modules/@a/b/.npmrc",
    ],
  ] as const)
    it(`finds what a line made that steers programs ${what}`, async function () {
      this.timeout(30_000);
      const { run, app, shell } = await place(this);
      await run(line);
      const there = fs.readdirSync(path.join(app, "sub"), { recursive: true }).map((name) => `sub/${name}`);
      assert.deepEqual([["sub", ...there].sort().join(" "), shell.tampering?.what === undefined], [left, false]);
    });

  it("disturbs no ordinary work that makes files", async function () {
    this.timeout(30_000);
    const { run, shell } = await place(this);
    const { notes } = await run(
      "python3 -m venv --without-pip .venv; mkdir -p dist/assets node_modules/x; echo {} > package-lock.json; echo x > node_modules/x/.npmrc; touch .gitignore .editorconfig dist/assets/id_map.js README.md; cp a.txt sub.txt; mv a.txt b.txt",
    );
    assert.deepEqual([notes, shell.tampering?.what], [[], undefined]);
  });

  it("hides secrets whose names aren't UTF-8, and leaves nothing behind", async function () {
    const { run, app } = await place(this);
    execFileSync("bash", ["-c", "echo SECRET=7 > $'\\xff.env'; mkdir $'\\xfe'; echo SECRET=8 > $'\\xfe/.env'"], {
      cwd: app,
    });
    const before = fs.readdirSync(app, "latin1").sort();
    const { output } = await run("cat $'\\xff.env' $'\\xfe/.env' 2>/dev/null; echo end");
    assert.deepEqual([output, fs.readdirSync(app, "latin1").sort()], ["end", before]);
  });

  it("doesn't take what others write while a line runs for the line's doing, as long as the line couldn't do it", async function () {
    const { run, app, shell } = await place(this);
    fs.mkdirSync(path.join(app, ".autogpt"));
    const running = run("touch started; until [ -e go ]; do sleep 0.05; done");
    while (!fs.existsSync(path.join(app, "started"))) await new Promise((resolve) => setTimeout(resolve, 20));
    const files = {
      ".autogpt/runs/1/1.txt": "output",
      "packages/a/.vscode/tasks.json": "{ }",
      ".git/hooks/pre-commit": "x",
    };
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(app, name)), { recursive: true });
      fs.writeFileSync(path.join(app, name), text);
    }
    git(app, "config", "user.name", "Jane");
    git(app, "commit", "-q", "--allow-empty", "-m", "Second commit");
    fs.rmSync(path.join(app, "packages/a/.envrc"));
    fs.writeFileSync(path.join(app, "go"), "");
    assert.deepEqual([(await running).notes, shell.tampering?.what], [[], undefined]);
  });

  it("notices a change by another name of the same file", async function () {
    const { run, app } = await place(this);
    fs.writeFileSync(path.join(app, "AGENTS.md"), "be kind\n");
    fs.linkSync(path.join(app, "AGENTS.md"), path.join(app, "notes.md"));
    const { notes } = await run("echo evil > notes.md; rm notes.md");
    assert.match(notes[0] ?? "", /AGENTS\.md changed/);
  });

  it("keeps git's folder as it is among hundreds of other files that steer programs", async function () {
    const { run, app } = await place(this);
    for (let at = 0; at < 400; at++) fs.writeFileSync(path.join(app, `${at}.prompt.md`), "x");
    const { output } = await run("(echo x >> .git/config || echo no) 2>/dev/null");
    assert.equal(output, "no");
  });

  it("notices a repository without a working tree", async function () {
    const { run } = await place(this);
    const { notes } = await run("mkdir bare && git init -q --bare bare");
    assert.match(notes[0] ?? "", /bare\/HEAD appeared/);
  });

  it("moves a repository away that took the place of another, which stays", async function () {
    const { run, app } = await place(this);
    fs.mkdirSync(path.join(app, "lib/sub"), { recursive: true });
    git(path.join(app, "lib/sub"), "init", "-q");
    const { notes } = await run(
      "mv lib moved; mkdir -p lib/sub; cd lib/sub; git init -q; git config core.fsmonitor evil",
    );
    assert.deepEqual(
      [
        fs.existsSync(path.join(app, "lib/sub/.git")),
        fs.existsSync(path.join(app, "moved/sub/.git/config")),
        notes[0]?.includes("lib/sub/.git appeared and was moved"),
      ],
      [false, true, true],
    );
  });

  it("keeps what steers git in a repository without a working tree", async function () {
    const { run, app } = await place(this);
    fs.mkdirSync(path.join(app, "fixtures/bare"), { recursive: true });
    git(path.join(app, "fixtures/bare"), "init", "-q", "--bare");
    const { output, notes } = await run(
      "cd fixtures/bare; (git config core.fsmonitor evil || echo no; echo x > hooks/update || echo no; echo x > commondir) 2>/dev/null",
    );
    assert.deepEqual([output, notes[0]?.includes("fixtures/bare/commondir appeared")], ["no\nno", true]);
  });

  for (const [what, line] of [
    ["a folder", "mv plans x; ls -A x/secret"],
    ["a folder that another one replaces", "mv plans x; mkdir -p plans/secret; ls -A x/secret"],
    ["a link", "mv .env.local x; cat real.txt 2>/dev/null"],
  ] as const) {
    it(`has the next line asked about when ${what} was renamed that kept something hidden`, async function () {
      const { run, app, shell } = await place(this);
      fs.appendFileSync(path.join(app, ".autogptignore"), "plans/secret/\n");
      fs.mkdirSync(path.join(app, "plans/secret"), { recursive: true });
      fs.writeFileSync(path.join(app, "plans/secret/plan.txt"), "plan");
      const { output } = await run(line);
      assert.deepEqual([output, shell.tampering?.what?.includes("is no longer hidden")], ["", true]);
    });
  }

  it("asks about nothing when folders are renamed in which all stays hidden", async function () {
    const { run, shell } = await place(this);
    await run("mv odd* even; echo SECRET=6 > even/.env.test");
    assert.equal(shell.tampering?.what, undefined);
  });

  it("knows at once what a process in the background has renamed", async function () {
    const { shell, app } = await place(this);
    fs.appendFileSync(path.join(app, ".autogptignore"), "plans/secret/\n");
    fs.mkdirSync(path.join(app, "plans/secret"), { recursive: true });
    await shell.processes?.start("mv plans x; sleep 30", { cwd: app, step: 1 });
    for (let turn = 0; turn < 100 && !fs.existsSync(path.join(app, "x")); turn++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const what = shell.tampering?.what;
    await shell.processes?.endAll("all");
    assert.match(what ?? "", /plans\/secret is no longer hidden/);
  });

  it("has git work in a further working tree of a repository", async function () {
    const { app, home, run } = await place(this);
    fs.renameSync(app, path.join(home, "main"));
    git(path.join(home, "main"), "worktree", "add", "-q", app);
    assert.deepEqual(
      (await run("git log --format=%s; cat ../main/a.txt 2>/dev/null || echo no")).output,
      "First commit\nno",
    );
  });

  it("works where links and pipes have the names of files that steer programs, and notices when one is replaced", async function () {
    const { app, run } = await place(this);
    fs.symlinkSync("../../beside/notes.txt", path.join(app, "CLAUDE.md"));
    fs.symlinkSync("nowhere", path.join(app, ".mcp.json"));
    fs.symlinkSync("src/b.ts", path.join(app, "AGENTS.md"));
    execFileSync("env", ["mkfifo", path.join(app, ".envrc")]);
    const { output, notes } = await run("rm CLAUDE.md; echo x > CLAUDE.md; (echo x > src/b.ts || echo no) 2>/dev/null");
    assert.deepEqual([output, notes[0]?.includes("CLAUDE.md changed")], ["no", true]);
  });

  it("watches a process in the background until it ends", async function () {
    const { shell, app } = await place(this);
    const line = "mkdir late && sleep 0.2 && echo x > late/.envrc";
    await shell.processes?.start(line, { cwd: app, step: 1 });
    await shell.processes?.read(1, 5000, new AbortController().signal);
    await shell.processes?.endAll("all");
    for (let turn = 0; turn < 100 && shell.tampering?.what === undefined; turn++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.match(shell.tampering?.what ?? "", /late\/\.envrc appeared/);
  });

  it("holds thousands of protected files, and stays fast in a large tree", async function () {
    this.timeout(30_000);
    const { run, app } = await place(this);
    for (let at = 0; at < 600; at++) {
      fs.mkdirSync(path.join(app, "packages", `p${at}`));
      fs.writeFileSync(path.join(app, "packages", `p${at}`, ".env"), `SECRET=${at}`);
      if (at < 100) fs.writeFileSync(path.join(app, "packages", `p${at}`, ".npmrc"), "x");
    }
    const { output } = await run(
      "cat packages/p*/.env 2>/dev/null | wc -c; (echo y >> packages/p99/.npmrc) 2>/dev/null || echo no",
    );
    assert.equal(output, "0\nno");
  });

  it("shows the folders on the search path that this user can reach, with the libraries beside them", () => {
    skipWithout("a POSIX shell and its programs");
    const folders = listSandboxProgramFolders({ PATH: "/nowhere/bin:/usr/bin:relative:/proc/self:/" }, "/home/u");
    assert.deepEqual(folders, ["/usr/bin", "/usr"]);
  });

  it("is reported where there is none", async () => {
    const tool = await findSandboxTool("win32");
    assert.deepEqual(tool, {
      kind: "none",
      why: "This system has no sandbox that can be used: there is none for this system, so commands run without one and ask as usual.",
    });
  });
});
