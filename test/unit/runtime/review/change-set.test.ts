import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ChangeTarget,
  loadChanges,
  openReadRepository,
  REVIEW_LIMITS,
} from "../../../../src/runtime/review/change-set.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const { signal } = new AbortController();

describe("the changes of a repository", () => {
  const tempFolder = tempFolders();

  async function repository(files: Readonly<Record<string, string>> = { "a.txt": "one\ntwo\n" }): Promise<string> {
    const folder = await tempFolder();
    makeRepository(folder, files);
    return folder;
  }

  /** The changed files, each in a line: its name, kind, figures, and its lines or why they are hidden. */
  async function changes(
    folder: string,
    target: ChangeTarget = { kind: "uncommitted" },
    limits: Partial<typeof REVIEW_LIMITS> = {},
  ): Promise<readonly string[]> {
    const read = await loadChanges(await openReadRepository(folder, signal), target, { ...REVIEW_LIMITS, ...limits });
    return read.map(({ file, was, kind, added, removed, hunks, hidden }) => {
      const lines = hunks.flatMap((hunk) => hunk.lines);
      const texts = lines.map(
        (line) => `${line.line}${{ added: "+", removed: "-", same: " " }[line.kind]}${line.text}`,
      );
      const name = was === undefined ? file : `${was} → ${file}`;
      return [name, kind, `+${added}-${removed}`, hidden ?? texts.join("|")].join(" ");
    });
  }

  it("are what isn't committed, staged or not, with files that are new to git", async () => {
    const folder = await repository();
    writeFiles(folder, { "a.txt": "one\nTwo\nthree\n", "b.txt": "staged\n", "new/c.txt": "new\r\nlines\r\n" });
    git(folder, "add", "b.txt");
    assert.deepEqual(await changes(folder), [
      "a.txt edited +2-1 1 one|2-two|2+Two|3+three",
      "b.txt created +1-0 1+staged",
      "new/c.txt created +2-0 1+new|2+lines",
    ]);
  });

  it("are only what is staged for the next commit", async () => {
    const folder = await repository();
    writeFiles(folder, { "a.txt": "one\nTwo\n", "b.txt": "staged\n" });
    git(folder, "add", "b.txt");
    assert.deepEqual(await changes(folder, { kind: "staged" }), ["b.txt created +1-0 1+staged"]);
  });

  it("can be read before the first commit", async () => {
    const folder = await tempFolder();
    git(folder, "init", "-q");
    writeFiles(folder, { "a.txt": "one\n", "b.txt": "two\n" });
    git(folder, "add", "a.txt");
    assert.deepEqual(
      { staged: await changes(folder, { kind: "staged" }), all: await changes(folder) },
      { staged: ["a.txt created +1-0 1+one"], all: ["a.txt created +1-0 1+one", "b.txt created +1-0 1+two"] },
    );
  });

  it("against a branch are those since it was left, committed or not, on a detached head, too", async () => {
    const folder = await repository();
    git(folder, "checkout", "-q", "--detach");
    writeFiles(folder, { "b.txt": "mine\n" });
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", "Mine");
    git(folder, "branch", "-q", "mine");
    git(folder, "checkout", "-q", "main");
    writeFiles(folder, { "theirs.txt": "theirs\n" });
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", "Theirs");
    git(folder, "checkout", "-q", "--detach", "mine");
    writeFiles(folder, { "c.txt": "later\n" });
    assert.deepEqual(await changes(folder, { kind: "branch", name: "main" }), [
      "b.txt created +1-0 1+mine",
      "c.txt created +1-0 1+later",
    ]);
  });

  it("of one commit can be read, of the first one, too", async () => {
    const folder = await repository();
    writeFiles(folder, { "a.txt": "one\n" });
    git(folder, "commit", "-q", "-a", "-m", "Less");
    writeFiles(folder, { "a.txt": "not committed\n" });
    assert.deepEqual(
      {
        last: await changes(folder, { kind: "commit", name: "HEAD" }),
        first: await changes(folder, { kind: "commit", name: "HEAD~1" }),
      },
      { last: ["a.txt edited +0-1 1 one|2-two"], first: ["a.txt created +2-0 1+one|2+two"] },
    );
  });

  it("name renamed files, and those with unusual names and encodings", async () => {
    skipWithout("files as POSIX has them");
    const text = "line one\nline two\nline three\nline four\n";
    const folder = await repository({ "old.txt": text, 'sch"ön\tü.txt': "a\n", "latin.txt": "x\n" });
    renameSync(join(folder, "old.txt"), join(folder, "new name.txt"));
    writeFileSync(join(folder, "new name.txt"), text.replace("four", "4"));
    writeFileSync(join(folder, 'sch"ön\tü.txt'), "b\n");
    writeFileSync(join(folder, "latin.txt"), Buffer.from("Gr\xfc\xdfe aus K\xf6ln, sch\xf6ne Gr\xfc\xdfe\n", "latin1"));
    git(folder, "add", "-A");
    assert.deepEqual(await changes(folder, { kind: "staged" }, { context: 0 }), [
      "latin.txt edited +1-1 1-x|1+Grüße aus Köln, schöne Grüße",
      "old.txt → new name.txt edited +1-1 4-line four|4+line 4",
      'sch"ön\tü.txt edited +1-1 1-a|1+b',
    ]);
  });

  it("leave out the lines of binary, generated, secret and long files, of links and of other repositories", async () => {
    skipWithout("links");
    const folder = await repository({
      "data.bin": "\0\0\x01",
      ".gitattributes": "*.gen.ts linguist-generated\nplain.dat -diff\n",
    });
    mkdirSync(join(folder, "nested"));
    git(join(folder, "nested"), "init", "-q");
    writeFiles(folder, {
      "data.bin": "\0\x02\x03",
      "plain.dat": "text\n",
      "package-lock.json": "{}\n",
      "api.gen.ts": "export {};\n",
      ".env": "KEY=secret\n",
      "long.txt": "x\n".repeat(50),
      "short.txt": "y\n",
      "nested/a.txt": "z\n",
    });
    symlinkSync("/etc/passwd", join(folder, "link"));
    assert.deepEqual(await changes(folder, { kind: "uncommitted" }, { mostLines: 20 }), [
      ".env created +0-0 secret",
      "api.gen.ts created +1-0 generated",
      "data.bin edited +0-0 binary",
      "link created +0-0 binary",
      "long.txt created +50-0 large",
      "nested/ created +0-0 repository",
      "package-lock.json created +0-0 generated",
      "plain.dat created +1-0 1+text",
      "short.txt created +1-0 1+y",
    ]);
  });

  it("leave out the longest files first", async () => {
    const folder = await repository({ "a.txt": "", "b.txt": "", "c.txt": "" });
    writeFiles(folder, { "a.txt": "x\n".repeat(15), "b.txt": "x\n", "c.txt": "x\n".repeat(8) });
    const read = await changes(folder, { kind: "uncommitted" }, { mostLines: 10 });
    assert.deepEqual(
      read.map((line) => line.split("|")[0]),
      ["a.txt edited +15-0 large", "b.txt edited +1-0 1+x", "c.txt edited +8-0 1+x"],
    );
  });

  it("name a submodule that moved, and can be read in it and in a linked working tree", async () => {
    const [folder, other] = [await repository(), await repository({ "lib.txt": "lib\n" })];
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "lib");
    git(folder, "commit", "-q", "-m", "Library");
    git(join(folder, "lib"), "commit", "-q", "--allow-empty", "-m", "Moved");
    writeFiles(folder, { "lib/lib.txt": "changed\n" });
    const tree = join(await tempFolder(), "tree");
    git(folder, "worktree", "add", "-q", tree);
    writeFiles(tree, { "a.txt": "one\n" });
    assert.deepEqual(
      { outer: await changes(folder), inner: await changes(join(folder, "lib")), tree: await changes(tree) },
      {
        outer: ["lib edited +1-1 repository"],
        inner: ["lib.txt edited +1-1 1-lib|1+changed"],
        tree: ["a.txt edited +0-1 1 one|2-two"],
      },
    );
  });

  it("hide no lines by attributes that they set themselves, except those of files that aren't text", async () => {
    const folder = await repository({ "a.js": "old();\n", "b.py": "old()\n", "c.bin": "\0\n" });
    writeFiles(folder, {
      ".gitattributes": "*.js linguist-generated\n*.py binary\n",
      "a.js": "evil();\n",
      "b.py": "evil()\n",
      "c.bin": "\0\x01\n",
    });
    git(folder, "add", "-A");
    assert.deepEqual(await changes(folder, { kind: "staged" }, { context: 0 }), [
      ".gitattributes created +2-0 1+*.js linguist-generated|2+*.py binary",
      "a.js edited +1-1 1-old();|1+evil();",
      "b.py edited +1-1 1-old()|1+evil()",
      "c.bin edited +0-0 binary",
    ]);
  });

  it("name files with merge conflicts without their lines", async () => {
    const folder = await repository();
    git(folder, "checkout", "-q", "-b", "other");
    writeFiles(folder, { "a.txt": "one\ntheirs\n", "b.txt": "merged\n" });
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", "Theirs");
    git(folder, "checkout", "-q", "main");
    writeFiles(folder, { "a.txt": "one\nmine\n" });
    git(folder, "commit", "-q", "-a", "-m", "Mine");
    assert.throws(() => git(folder, "merge", "-q", "other"));
    assert.deepEqual(
      (await changes(folder, { kind: "staged" })).map((line) =>
        line
          .split(" ")
          .filter((word) => !/^[+]/.test(word))
          .slice(0, 3)
          .join(" "),
      ),
      ["a.txt edited conflict", "b.txt created 1+merged"],
    );
  });

  it("are shown whatever the settings of git are, and no program of the repository runs", async () => {
    skipWithout("a POSIX shell and its programs");
    const folder = await repository({ "a.txt": "one\n", ".gitattributes": "*.txt diff=loud filter=loud\n" });
    const mark = join(folder, ".git", "ran");
    const program = `sh -c 'touch ${mark}; cat'`;
    for (const [key, value] of [
      ["diff.external", program],
      ["diff.loud.textconv", program],
      ["diff.loud.command", program],
      ["filter.loud.clean", program],
      ["core.fsmonitor", program],
      ["core.pager", program],
      ["diff.noprefix", "true"],
      ["diff.mnemonicPrefix", "true"],
      ["diff.suppressBlankEmpty", "true"],
      ["color.diff", "always"],
      ["diff.context", "0"],
    ] as const)
      git(folder, "config", key, value);
    writeFiles(folder, { "a.txt": "one\n\ntwo\n" });
    const read = await changes(folder);
    assert.deepEqual({ read, ran: existsSync(mark) }, { read: ["a.txt edited +2-0 1 one|2+|3+two"], ran: false });
  });

  for (const [name, act, error] of [
    [
      "no branch",
      (folder: string) => changes(folder, { kind: "branch", name: "--output=x" }),
      /There's no branch --output=x here/,
    ],
    [
      "no commit",
      (folder: string) => changes(folder, { kind: "commit", name: "HEAD~9" }),
      /There's no commit HEAD~9 here/,
    ],
  ] as const)
    it(`are refused in a sentence where a name means ${name}`, async () => {
      await assert.rejects(act(await repository()), error);
    });

  it("are refused in a sentence outside of repositories", async () => {
    await assert.rejects(changes(await tempFolder()), /There's no git repository in/);
  });

  it("aren't read from a history that a planted file names in another place", async () => {
    const other = await repository({ "private.txt": "private\n" });
    const folder = await tempFolder();
    writeFiles(folder, { ".git": `gitdir: ${join(other, ".git")}\n`, "private.txt": "x\n" });
    await assert.rejects(changes(folder), /takes its history from .*, which isn't in its folder/);
  });
});
