import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git as gitIn } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { NO_WATCH, UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();
const BINARY = Buffer.from([0, 255, 10, 13, 10, 200, 0]);
/** Files that are as old as those of a user are clean to git without a look into them. */
const LONG_AGO = new Date("2026-01-02T03:04:05Z");

/** A repository with some files of the user's own, all committed. */
async function repository(files: Readonly<Record<string, string | Buffer>>) {
  const root = await tempFolder();
  const work = join(root, "work");
  await mkdir(work);
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(work, name), content);
    if (name.endsWith(".sh")) await chmod(join(work, name), 0o755);
    await utimes(join(work, name), LONG_AGO, LONG_AGO);
  }
  const git = (...args: readonly string[]) => gitIn(work, ...args);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All of it");
  const bench = new UndoBench(work, join(root, "run"), undefined, NO_WATCH);
  return { work, git, bench, shell: (line: string) => bench.act("execute_shell", { command_line: line }) };
}

describe("a user's own file that a command line changes", () => {
  if (process.platform === "win32") return;

  it("is restored by undo where git has it: changed, deleted, binary, executable", async () => {
    const { work, git, bench, shell } = await repository({
      "a.txt": "as it was\n",
      "b.bin": BINARY,
      "c.sh": "echo c\n",
    });
    const before = git("ls-files", "--stage");
    await shell("echo more >> a.txt; echo x > b.bin; rm c.sh");
    const { conflicts } = await bench.undo.undo({});
    const executable = ((await stat(join(work, "c.sh"))).mode & 0o100) !== 0;
    assert.deepEqual(
      {
        conflicts,
        a: await readFile(join(work, "a.txt"), "utf8"),
        b: await readFile(join(work, "b.bin")),
        executable,
        index: git("ls-files", "--stage") === before,
        status: git("status", "--porcelain"),
      },
      { conflicts: [], a: "as it was\n", b: BINARY, executable: true, index: true, status: "" },
    );
  });

  it("is restored as it was before, even if the command commits the change", async () => {
    const { work, git, bench, shell } = await repository({ "a.txt": "as it was\n" });
    await shell("echo more >> a.txt && git -c user.name=A -c user.email=a@b -c commit.gpgsign=false commit -qam more");
    const head = git("rev-parse", "HEAD");
    await bench.undo.undo({});
    assert.deepEqual([await readFile(join(work, "a.txt"), "utf8"), git("rev-parse", "HEAD")], ["as it was\n", head]);
  });

  it("is restored with the changes that weren't committed, tracked or not", async () => {
    const { work, bench, shell } = await repository({ "a.txt": "as it was\n" });
    await writeFile(join(work, "a.txt"), "the user's\n");
    await writeFile(join(work, "new.txt"), "the user's, too\n");
    const outcome = await shell("echo more >> a.txt; rm new.txt");
    const { conflicts } = await bench.undo.undo({});
    assert.deepEqual(
      {
        said: outcome.status === "done" && outcome.output.includes("can't be undone"),
        conflicts,
        a: await readFile(join(work, "a.txt"), "utf8"),
        new: await readFile(join(work, "new.txt"), "utf8"),
      },
      { said: false, conflicts: [], a: "the user's\n", new: "the user's, too\n" },
    );
  });

  it("is left alone where git keeps it in another form than it has on the disk", async () => {
    const { work, git, bench, shell } = await repository({ ".gitattributes": "*.txt text eol=crlf\n" });
    await writeFile(join(work, "a.txt"), "one\r\ntwo\r\n");
    await utimes(join(work, "a.txt"), LONG_AGO, LONG_AGO);
    git("add", "--all");
    await shell("echo more >> a.txt");
    const { conflicts } = await bench.undo.undo({});
    assert.deepEqual([conflicts.length, await readFile(join(work, "a.txt"), "utf8")], [1, "one\r\ntwo\r\nmore\n"]);
  });
});
