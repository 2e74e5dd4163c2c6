import { strict as assert } from "node:assert";
import { existsSync, renameSync, rmSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CopyMeter } from "../../../src/isolation/copy/copied-tree.ts";
import type { Copy } from "../../../src/isolation/copy/copy.ts";
import { listCopyChanges } from "../../../src/isolation/copy/copy-changes.ts";
import { copyWholeFolder } from "../../../src/isolation/copy/fork-copy.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { baseTexts, changesOf, copyOf } from "../../support/copies.ts";
import { git, makeRepository, writeFiles } from "../../support/repositories.ts";
import { treeOf } from "../../support/review-bench.ts";
import { makeLinkSync, skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("Copies of unusual repositories", () => {
  const newFolder = tempFolders();
  const { signal } = new AbortController();

  it("have only the opened folder of a repository, and git sees nothing else change", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, { "packages/a/a.txt": "a\n", "packages/b/b.txt": "b\n", "root.txt": "r\n" });
    const copy = await copyOf(top, [join(project, "packages/a")]);
    const path = pathOf(copy);
    await writeFile(join(path, "a.txt"), "changed\n");
    await writeFile(join(path, "../../root.txt"), "new\n");
    assert.deepEqual(
      {
        visible: copy.visible.map((one) => path.slice(one.length)),
        files: existsSync(join(path, "../b")),
        status: git(path, "status", "--porcelain"),
        changes: await listCopyChanges(copy, new AbortController().signal).then((all) =>
          all.map(({ folder, file }) => join(folder.origin, file).slice(project.length)),
        ),
        notes: copy.notes.map(writeInEnglish).map((note) => note.replaceAll(top, "")),
      },
      {
        visible: ["/packages/a"],
        files: false,
        status: " M packages/a/a.txt\n",
        changes: ["/root.txt", "/packages/a/a.txt"],
        notes: ["Only the opened folders of the repository /project are in the copy."],
      },
    );
  });

  it("are made of linked working trees, whose branch and state they have", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, { "a.txt": "a\n" });
    git(project, "worktree", "add", "-q", "-b", "other", join(top, "linked"));
    writeFiles(join(top, "linked"), { "a.txt": "edited\n" });
    const path = pathOf(await copyOf(top, [join(top, "linked")]));
    assert.deepEqual(
      { branch: git(path, "branch", "--show-current"), status: git(path, "status", "--porcelain") },
      { branch: "other\n", status: " M a.txt\n" },
    );
  });

  it("hold nested repositories and submodules as repositories of their own", async () => {
    const top = await newFolder();
    const [project, library] = [join(top, "project"), join(top, "library")];
    makeRepository(library, { "l.txt": "l\n" });
    makeRepository(project, { "a.txt": "a\n" });
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
    git(project, "commit", "-q", "-m", "Submodule");
    makeRepository(join(project, "nested"), { "n.txt": "n\n" });
    const copy = await copyOf(top, [project]);
    const path = pathOf(copy);
    await writeFile(join(path, "lib/l.txt"), "L\n");
    const changes = await listCopyChanges(copy, new AbortController().signal);
    const contents = await baseTexts(changes);
    assert.deepEqual(
      {
        status: git(path, "status", "--porcelain"),
        log: git(join(path, "lib"), "log", "--format=%s"),
        nested: git(join(path, "nested"), "status", "--porcelain"),
        changes: changes.map((change) => `${change.file}: ${contents.get(change)}`),
      },
      {
        status: " M lib\n?? nested/\n",
        log: "First commit\n",
        nested: "",
        changes: ["lib/l.txt: l\n"],
      },
    );
  });

  it("have files as they are on the disk, not as git keeps them", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    const attributes = "*.txt text eol=crlf\n*.bin filter=upper\n";
    makeRepository(project, { ".gitattributes": attributes });
    git(project, "config", "filter.upper.clean", "tr a-z A-Z; touch ../filter-ran");
    writeFiles(project, { "a.txt": "one\r\ntwo\r\n", "b.bin": "abc\n" });
    // Git looks again at files that are as new as its index.
    for (const name of ["a.txt", "b.bin"]) await utimes(join(project, name), 1e9, 1e9);
    git(project, "add", "-A");
    git(project, "commit", "-q", "-m", "Converted");
    await rm(join(top, "filter-ran"), { force: true });
    const copy = await copyOf(top, [project]);
    const path = pathOf(copy);
    const status = git(path, "status", "--porcelain");
    for (const name of ["a.txt", "b.bin"]) await appendFile(join(path, name), "more\r\n");
    const changes = await listCopyChanges(copy, new AbortController().signal);
    const contents = await baseTexts(changes);
    assert.deepEqual(
      {
        status,
        contents: changes.map((change) => String(contents.get(change))),
        ran: existsSync(join(top, "filter-ran")),
      },
      { status: "", contents: ["one\r\ntwo\r\n", "abc\n"], ran: false },
    );
  });

  it("continue a merge, and begin without a commit", async () => {
    const top = await newFolder();
    const [project, empty] = [join(top, "project"), join(top, "empty")];
    makeRepository(project, { "a.txt": "a\n" });
    git(project, "switch", "-q", "-c", "topic");
    writeFiles(project, { "a.txt": "topic\n" });
    git(project, "commit", "-qam", "Topic");
    git(project, "switch", "-q", "main");
    writeFiles(project, { "a.txt": "main\n" });
    git(project, "commit", "-qam", "Main");
    assert.throws(() => git(project, "merge", "-q", "topic"));
    await mkdir(empty);
    git(empty, "init", "-q", "-b", "start");
    const copy = await copyOf(top, [project, empty]);
    const merging = git(pathOf(copy), "status");
    assert.deepEqual(
      {
        merging: /You have unmerged paths/.test(merging),
        empty: git(copy.folders[1]?.path ?? "", "branch", "--show-current"),
      },
      { merging: true, empty: "start\n" },
    );
  });

  for (const [kind, args] of [
    ["SHA-256", ["init", "-q", "-b", "main", "--object-format=sha256"]],
    ["index version 4", ["-c", "index.version=4", "init", "-q", "-b", "main"]],
  ] as const)
    it(`have the state of a repository with ${kind}`, async () => {
      const top = await newFolder();
      const project = join(top, "project");
      writeFiles(project, { "a.txt": "a\n", "sub/b.txt": "b\n" });
      git(project, ...args);
      if (kind !== "SHA-256") git(project, "config", "index.version", "4");
      git(project, "add", "-A");
      git(project, "commit", "-q", "-m", "First");
      writeFiles(project, { "sub/b.txt": "edited\n" });
      const copy = await copyOf(top, [project]);
      await writeFile(join(pathOf(copy), "a.txt"), "A\n");
      const changes = await listCopyChanges(copy, new AbortController().signal);
      assert.deepEqual(
        {
          status: git(pathOf(copy), "status", "--porcelain"),
          contents: [...(await baseTexts(changes)).values()],
        },
        { status: " M a.txt\n M sub/b.txt\n", contents: ["a\n"] },
      );
    });

  it("have what a shallow, sparse clone has", async () => {
    const top = await newFolder();
    const [source, project] = [join(top, "source"), join(top, "project")];
    makeRepository(source, { "in/a.txt": "a\n", "out/b.txt": "b\n" });
    writeFiles(source, { "in/a.txt": "second\n" });
    git(source, "commit", "-qam", "Second");
    git(top, "clone", "-q", "--depth=1", `file://${source}`, project);
    git(project, "sparse-checkout", "set", "in");
    const path = pathOf(await copyOf(top, [project]));
    assert.deepEqual(
      {
        status: git(path, "status", "--porcelain"),
        log: git(path, "log", "--format=%s"),
        files: (await readdir(path)).sort(),
      },
      { status: "", log: "Second\n", files: [".git", "in"] },
    );
  });

  it("have no settings that run programs, and no remotes' addresses", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, { "a.txt": "a\n" });
    git(project, "config", "core.fsmonitor", "touch /tmp/x");
    git(project, "config", "alias.st", "!sh");
    git(project, "config", "user.name", 'A "quoted" \\ name');
    git(project, "config", "remote.origin.url", "https://key@example.com/x.git");
    const path = pathOf(await copyOf(top, [project]));
    assert.deepEqual(
      {
        name: git(path, "config", "user.name"),
        other: /fsmonitor|alias|url|hooks/.exec(await readFile(join(path, ".git/config"), "utf8")),
      },
      { name: 'A "quoted" \\ name\n', other: null },
    );
  });

  it("are forked with their changes, which stay changes", async () => {
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    const first = await copyOf(top, [project]);
    await writeFile(join(pathOf(first), "a.txt"), "A\n");
    await rm(join(pathOf(first), "b.txt"));
    await writeFile(join(pathOf(first), "new.txt"), "n\n");
    const fork = await copyOf(top, [], { run: "fork", home: join(top, "copies", "fork"), from: first });
    assert.deepEqual(
      {
        origin: fork.folders[0]?.origin,
        changes: await changesOf(fork),
        status: git(pathOf(fork), "status", "--porcelain"),
      },
      {
        origin: project,
        changes: { "a.txt": "file → file", "b.txt": "file → none", "new.txt": "none → file" },
        status: " M a.txt\n D b.txt\n?? new.txt\n",
      },
    );
  });

  it("have nothing that links and names in the repository's own folder lead to", async () => {
    skipWithout("files as POSIX has them");
    const top = await newFolder();
    const project = join(top, "project");
    makeRepository(project, { "a.txt": "a\n" });
    const keys = join(top, "keys");
    writeFiles(keys, { exclude: "secret", id: "secret", objects: "secret" });
    await rm(join(project, ".git/info/exclude"), { force: true });
    makeLinkSync(join(keys, "exclude"), join(project, ".git/info/exclude"));
    makeLinkSync(join(keys, "id"), join(project, ".git/MERGE_MSG"));
    makeLinkSync(keys, join(project, ".git/rebase-merge"));
    writeFiles(project, { ".git/objects/info/alternates": `${keys}\n` });
    const copy = await copyOf(top, [project]);
    const own = await treeOf(join(pathOf(copy), ".git"));
    assert.deepEqual(
      {
        stolen: Object.entries(own).flatMap(([name, text]) => (text.includes("secret") ? [name] : [])),
        objects: copy.objects.map((folder) => folder.slice(top.length)),
      },
      { stolen: [], objects: ["/project/.git/objects"] },
    );
  });

  it("are forked without what lies outside of them, even if a program swaps a folder for a link meanwhile", async () => {
    // Elsewhere, a folder is checked right before each use of it.
    skipWithout("Linux");
    const top = await newFolder();
    const copy = join(top, "copy");
    writeFiles(copy, { "flat/key.txt": "own", "deep/in/key.txt": "own" });
    writeFiles(join(top, "outside"), { "key.txt": "secret", "in/key.txt": "secret" });
    const copied = async (name: string, swapAt: string): Promise<Readonly<Record<string, string>>> => {
      const to = join(top, `fork-${name}`);
      const swap = (path: string): boolean => {
        if (path !== join(copy, name, swapAt)) return false;
        renameSync(join(copy, name), join(top, `moved-${name}`));
        makeLinkSync(join(top, "outside"), join(copy, name));
        return false;
      };
      await copyWholeFolder(join(copy, name), to, new CopyMeter(1e9, signal, () => undefined), swap);
      return treeOf(to);
    };
    assert.deepEqual(await copied("flat", "key.txt"), { "key.txt": "own" });
    await assert.rejects(copied("deep", "in"), /moved or replaced by a link/);
    assert.deepEqual(await treeOf(join(top, "fork-deep")), {});
  });

  it("are forked while programs make and delete files in them", async () => {
    const top = await newFolder();
    const copy = join(top, "copy");
    writeFiles(copy, { "a.txt": "a", "b.txt": "b", "folder/c.txt": "c" });
    const remove = (path: string): boolean => {
      rmSync(path, { recursive: !path.endsWith(".txt") });
      return false;
    };
    const meter = new CopyMeter(1e9, signal, () => undefined);
    await copyWholeFolder(copy, join(top, "fork"), meter, (path) => !path.endsWith("a.txt") && remove(path));
    assert.deepEqual(await treeOf(join(top, "fork")), { "a.txt": "a" });
  });
});

function pathOf(copy: Copy): string {
  return copy.folders[0]?.path ?? "";
}
