import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listCopyChanges } from "../../../src/isolation/copy/copy-changes.ts";
import { openCopy } from "../../../src/isolation/copy/copy-record.ts";
import { removeCopy } from "../../../src/isolation/copy/remove-copy.ts";
import { findOnPath } from "../../../src/node/processes/programs.ts";
import { displayText, writeInEnglish } from "../../../src/texts/display-text.ts";
import { onCaselessDisk } from "../../support/caseless-disk.ts";
import { baseTexts, changesOf, copyOf } from "../../support/copies.ts";
import { git, makeRepository, writeFiles } from "../../support/repositories.ts";
import { makeLink, skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("Copies of repositories", () => {
  const newFolder = tempFolders();

  it("have a name as git has it, also on a disk that stores another Unicode form of it", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];
    makeRepository(project, { [`${composed}.txt`]: "one\n", [`${composed}/a.txt`]: "two\n" });
    const copy = await copyOf(top, [project]);
    const path = copy.folders[0]?.path ?? "";
    for (const end of ["", ".txt"]) await rename(join(path, composed + end), join(path, decomposed + end));
    const onItsDisk = await onCaselessDisk(() => changesOf(copy));
    assert.deepEqual(
      { onItsDisk, elsewhere: await changesOf(copy) },
      {
        onItsDisk: {},
        elsewhere: {
          [`${composed}.txt`]: "file → none",
          [`${composed}/a.txt`]: "file → none",
          [`${decomposed}.txt`]: "none → file",
          [`${decomposed}/a.txt`]: "none → file",
        },
      },
    );
  });

  it("have history, branch, staged and unstaged changes, and leave the workspace's repository alone", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, {
      "a.txt": "one\n",
      "b.txt": "two\n",
      "gone.txt": "x\n",
      "sub/c.txt": "three\n",
    });
    git(project, "switch", "-q", "-c", "topic");
    writeFiles(project, { "a.txt": "staged\n" });
    git(project, "add", "a.txt");
    writeFiles(project, { "b.txt": "unstaged\n", "new.txt": "untracked\n" });
    await rm(join(project, "gone.txt"));
    const before = { status: git(project, "status", "--porcelain"), files: await treeOf(project) };
    const copy = await copyOf(top, [project]);
    const path = copy.folders[0]?.path ?? "";
    assert.deepEqual(
      {
        status: git(path, "status", "--porcelain"),
        branch: git(path, "branch", "--show-current").trim(),
        log: git(path, "log", "--format=%s").trim(),
        staged: git(path, "show", ":a.txt"),
        hooks: existsSync(join(path, ".git/hooks")),
        workspace: await treeOf(project),
        notes: copy.notes,
        changes: await changesOf(copy),
      },
      {
        status: before.status,
        branch: "topic",
        log: "First commit",
        staged: "staged\n",
        hooks: false,
        workspace: before.files,
        notes: [],
        changes: {},
      },
    );
  });

  it("show every kind of change, and the content before it", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, {
      ...{
        ".gitignore": "*.log\nout/\n",
        "edit.txt": "committed\n",
        "same.txt": "same\n",
        "mode.sh": "echo\n",
      },
      ...{ "delete.txt": "d\n", "sub/moved.txt": "m\n", "link.txt": "l\n", "sub/dir/deep.txt": "deep\n" },
    });
    writeFiles(project, { "dirty.txt": "before\n", "touched.txt": "t\n" });
    const copy = await copyOf(top, [project]);
    const at = (name: string): string => join(copy.folders[0]?.path ?? "", name);
    await writeFile(at("edit.txt"), "committee\n");
    await writeFile(at("dirty.txt"), "after\n");
    await writeFile(at("touched.txt"), "t\n");
    await chmod(at("mode.sh"), 0o755);
    await rm(at("delete.txt"));
    await rename(at("sub"), at("other"));
    await rm(at("link.txt"));
    await makeLink("/etc/passwd", at("link.txt"));
    writeFiles(at(""), {
      "new/n.txt": "n\n",
      "noise.log": "x",
      "out/built.js": "x",
      "edited/.git/config": "x",
    });
    const old = new Date("2020-01-01");
    await utimes(at("edit.txt"), old, old);
    const changes = await listCopyChanges(copy, new AbortController().signal);
    const contents = await baseTexts(changes);
    assert.deepEqual(
      Object.fromEntries(
        changes.map((change) => [change.file, `${contents.get(change) ?? "none"}→ ${change.now?.kind}`]),
      ),
      {
        "delete.txt": "d\n→ undefined",
        "dirty.txt": "before\n→ file",
        "edit.txt": "committed\n→ file",
        "link.txt": "l\n→ link",
        "mode.sh": "echo\n→ file",
        "new/n.txt": "none→ file",
        "other/dir/deep.txt": "none→ file",
        "other/moved.txt": "none→ file",
        "sub/dir/deep.txt": "deep\n→ undefined",
        "sub/moved.txt": "m\n→ undefined",
      },
    );
  });

  it("leave out secrets and files that the user excludes, unless they are lent", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    const files = { ".env": "KEY=1\n", "certs/server.key": "k\n", "private/plan.txt": "p\n", "a.txt": "a\n" };
    makeRepository(project, { ...files, ".autogptignore": "private/\n" });
    writeFiles(project, { ".autogpt/runs/x/run.jsonl": "{}\n", ".env.test": "T=1\n" });
    const copy = await copyOf(top, [project], { lend: [".env.test"] });
    const path = copy.folders[0]?.path ?? "";
    assert.deepEqual(
      {
        files: (await treeOf(path)).filter((name) => !name.startsWith(".git/")).map((line) => line.split(" ")[0]),
        status: git(path, "status", "--porcelain"),
        changes: await changesOf(copy),
        notes: copy.notes.map(writeInEnglish),
      },
      {
        files: [".autogptignore", ".env.test", "a.txt"],
        status: "?? .env.test\n",
        changes: {},
        notes: [
          "Left out because they may hold secrets: .env and certs/server.key. To share them, add them to autogpt.isolation.lend.",
          "Left out because of .autogptignore: private/plan.txt. To share them, add them to autogpt.isolation.lend.",
        ],
      },
    );
  });

  it("borrow dependency folders, and copy small ignored ones", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, {
      ".gitignore": "node_modules\ntarget/\ndist/\nenv/\n",
      "package.json": "{}\n",
    });
    writeFiles(project, {
      "env/prod.env": "KEY=1",
      "env/readme.txt": "e",
      "node_modules/x/index.js": "1",
      "sub/target/debug/x": "1",
      "dist/out.js": "built",
    });
    const copy = await copyOf(top, [project]);
    const path = copy.folders[0]?.path ?? "";
    await writeFile(join(path, "dist/out.js"), "rebuilt");
    assert.deepEqual(
      {
        borrowed: copy.borrowed.map((one) => [one.origin.slice(project.length), one.path.slice(path.length)]).sort(),
        inPlace: await readdir(join(path, "node_modules")),
        variables: await readdir(join(path, "env")),
        changes: await changesOf(copy),
      },
      {
        borrowed: [
          ["/node_modules", "/node_modules"],
          ["/sub/target", "/sub/target"],
        ],
        inPlace: [],
        variables: ["readme.txt"],
        changes: {},
      },
    );
  });

  it("keep links as links, and lead those into the workspace into the copy", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, { "sub/a.txt": "a\n" });
    await makeLink("sub/a.txt", join(project, "relative"));
    await makeLink(join(project, "sub"), join(project, "absolute"));
    await makeLink("/etc", join(project, "outside"));
    const copy = await copyOf(top, [project]);
    const path = copy.folders[0]?.path ?? "";
    const links = ["relative", "absolute", "outside"].map((name) => readlink(join(path, name)));
    assert.deepEqual(
      { links: await Promise.all(links), changes: await changesOf(copy) },
      { links: ["sub/a.txt", "sub", "/etc"], changes: {} },
    );
  });
});

describe("Copies of folders without a repository", () => {
  const newFolder = tempFolders();

  it("have all their files, and can be opened again until they are removed", async () => {
    skipWithout("files as POSIX has them");
    const top = await newFolder();
    const [one, other] = [join(top, "one"), join(top, "other")];
    writeFiles(one, { "a.txt": "a\n", "node_modules/x/i.js": "1", "sub/b\nc.txt": "b\n" });
    writeFiles(other, { "d.txt": "d\n" });
    await mkdir(join(one, "empty"));
    await copyOf(top, [one, other]);
    const copy = await openCopy(join(top, "copies", "run"));
    await writeFile(join(copy.folders[1]?.path ?? "", "d.txt"), "e\n");
    const files = await treeOf(copy.folders[0]?.path ?? "");
    const changes = await changesOf(copy);
    await removeCopy(copy.home);
    assert.deepEqual(
      {
        files: files.map((line) => line.split(" ")[0]),
        changes,
        borrowed: copy.borrowed.length,
        left: await readdir(join(top, "copies")),
        opened: await openCopy(copy.home).catch((error: Error) => error.message),
      },
      {
        files: ["a.txt", "empty/", "node_modules/", "sub/b\nc.txt"],
        changes: { "d.txt": "file → file" },
        borrowed: 1,
        left: [],
        opened: "The copy of this run is gone.",
      },
    );
  });

  it("leave nothing behind when they would be too large or the user cancels", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    writeFiles(project, { "a.txt": "a".repeat(2_000_000) });
    const cancel = new AbortController();
    cancel.abort(new Error("Canceled."));
    const refused = async (more: Parameters<typeof copyOf>[2]): Promise<string> =>
      copyOf(top, [project], more).then(
        () => "made",
        (error: Error) => error.message,
      );
    assert.deepEqual(
      {
        large: await refused({ quotaBytes: 1024 ** 2 }),
        full: await refused({ quotaBytes: 5 * 1024 ** 2, heldBytes: 4 * 1024 ** 2 }),
        canceled: await refused({ signal: cancel.signal }),
        missing: await copyOf(top, [join(top, "none")]).catch((error: Error) => error.message),
        left: await readdir(join(top, "copies")),
      },
      {
        large: "The copy would take more than 1 MB. Raise autogpt.isolation.quotaMb, or open a smaller folder.",
        full: "There's no room for the copy: other isolated runs take 4 of 5 MB. Discard or delete those that you no longer need, or raise autogpt.isolation.quotaMb.",
        canceled: "Canceled.",
        missing: `The folder ${join(top, "none")} no longer exists. Open it again, then start the run.`,
        left: [],
      },
    );
  });

  it("leave nothing behind when the disk is full", async function () {
    const top = await newFolder();
    writeFiles(join(top, "project"), { "a.txt": "a".repeat(2_000_000) });
    await mkdir(join(top, "copies"));
    const onSmallDisk = (...words: readonly string[]): string =>
      execFileSync(
        findOnPath(["bwrap"]) ?? "",
        ["--dev-bind", "/", "/", "--size", "1000000", "--tmpfs", join(top, "copies"), "--", ...words],
        { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
      );
    try {
      onSmallDisk("true");
    } catch {
      return this.skip();
    }
    const program = `
      const { copyOf } = await import(${JSON.stringify(join(import.meta.dirname, "../../support/copies.ts"))});
      const [top] = process.argv.slice(1);
      const said = await copyOf(top, [top + "/project"]).then(() => "made", (error) => error.message);
      console.log(said, process.getBuiltinModule("fs").readdirSync(top + "/copies").length);`;
    assert.equal(
      onSmallDisk(process.execPath, "--input-type=module", "-e", program, top),
      `${writeInEnglish(displayText("isolation.copy.diskFull"))} 0\n`,
    );
  });

  it("leave out pipes, and say so", async () => {
    skipWithout("files as POSIX has them");
    const top = await newFolder();
    const project = join(top, "project");
    writeFiles(project, { "a.txt": "a\n" });
    execFileSync("mkfifo", [join(project, "pipe")]);
    const copy = await copyOf(top, [project]);
    assert.deepEqual(
      { files: await readdir(copy.folders[0]?.path ?? ""), notes: copy.notes.map(writeInEnglish) },
      { files: ["a.txt"], notes: ["Left out because they aren't regular files: pipe."] },
    );
  });

  it("are gone with a sentence once they were deleted underneath", async () => {
    const top = await newFolder();
    writeFiles(join(top, "project"), { "a.txt": "a\n" });
    const copy = await copyOf(top, [join(top, "project")]);
    await rm(join(copy.home, "files"), { recursive: true });
    const said = (error: Error): string => error.message;
    assert.deepEqual(
      [await openCopy(copy.home).catch(said), await listCopyChanges(copy, new AbortController().signal).catch(said)],
      ["The copy of this run is gone.", "The copy of this run is gone."],
    );
  });
});

/** All paths of a folder with their sizes, modes and times, and empty folders. */
async function treeOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1);
      const { size, mode, mtimeMs } = await lstat(path);
      if (entry.isDirectory()) return (await readdir(path)).length === 0 ? `${name}/` : "";
      return `${name} ${size} ${mode} ${mtimeMs} ${entry.isFile() ? (await readFile(path)).length : ""}`;
    }),
  );
  return lines.filter((line) => line !== "").sort();
}
