import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Disk } from "../../../src/core/ports/disk.ts";
import { createPolicyDisk } from "../../../src/node/policy-disk.ts";
import { readShellFacts } from "../../../src/safety/policy/shell-facts.ts";
import type { ShellDialect } from "../../../src/safety/shell/reading.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { readerOf } from "./readers.ts";
import { emptyDisk } from "./support.ts";

const FIXTURES = path.join(import.meta.dirname, "../../fixtures");

/** Lines by group. */
type Corpus = Readonly<Record<string, readonly string[]>>;

function corpus(name: string): Corpus {
  return JSON.parse(fs.readFileSync(path.join(FIXTURES, name), "utf8"));
}

/** A workspace of ordinary files; with secrets in it and links out of it, where a test is about attacks. */
function workspace(around: string, isAttacked: boolean): string {
  const folder = path.join(around, "app");
  fs.mkdirSync(path.join(folder, "src"), { recursive: true });
  const ordinary = ["README.md", "package.json", "data.csv", "src/app.ts", "src/util.ts", ".env"];
  const secrets = ["id_rsa", "server.key", "credentials.json", "sub/.env", "-o", "x", "a.txt"];
  if (isAttacked) fs.mkdirSync(path.join(folder, "sub"));
  for (const file of [...ordinary, ...(isAttacked ? secrets : [])]) fs.writeFileSync(path.join(folder, file), "x\n");
  if (isAttacked) {
    fs.symlinkSync("/etc", path.join(folder, "outside"));
    fs.symlinkSync("/etc/hostname", path.join(folder, "link.txt"));
    fs.mkdirSync(path.join(around, "out"));
    fs.writeFileSync(path.join(around, "out/secret.txt"), "x\n");
    fs.symlinkSync("../out", path.join(folder, "outlink"));
    fs.symlinkSync(".env", path.join(folder, "envlink"));
  }
  return folder;
}

/** The lines that would run without being asked about where reading is allowed. */
async function unasked(lines: Corpus, dialect: ShellDialect, folder: string, disk: Disk): Promise<string[]> {
  if (dialect !== "powershell") skipWithout("a POSIX shell and its programs");
  const knowledge = { dialect, reader: await readerOf(dialect) };
  const platform = dialect === "powershell" ? "win32" : "linux";
  const run: string[] = [];
  for (const line of Object.values(lines).flat()) {
    const facts = await readShellFacts(line, knowledge, { folder, folders: [folder], platform }, disk);
    if (facts.notReadOnly === undefined) run.push(line);
  }
  return run;
}

describe("command lines where those that only read may run", () => {
  const tempFolder = tempFolders();

  for (const name of ["shell-attacks.json", "shell-attacks-harder.json", "shell-attacks-wider.json"]) {
    it(`never run an attack of ${name} unasked`, async () => {
      const folder = workspace(await tempFolder(), true);
      assert.deepEqual(await unasked(corpus(name), "bash", folder, createPolicyDisk()), []);
    });
  }

  for (const name of ["shell-ordinary.json", "shell-ordinary-harder.json", "shell-ordinary-wider.json"]) {
    it(`run at least 95 of 100 of ${name} unasked`, async () => {
      const lines = corpus(name);
      const folder = workspace(await tempFolder(), false);
      const run = await unasked(lines, "bash", folder, createPolicyDisk());
      const total = Object.values(lines).flat().length;
      assert.ok(run.length >= 0.95 * total, `${run.length} of ${total}`);
    });
  }

  it("run at least 97 of 100 that people typed, and none of theirs that changes something", async () => {
    const { reads = [], changes = [] } = corpus("shell-public.json");
    const folder = workspace(await tempFolder(), false);
    const through = (lines: readonly string[]): Promise<string[]> =>
      unasked({ lines }, "bash", folder, createPolicyDisk());
    const share = (await through(reads)).length / reads.length;
    assert.deepEqual([await through(changes), reads.length >= 300, share >= 0.97], [[], true, true]);
  });

  it("never take a file whose name is a flag for one that is read, nor several files for one", async () => {
    const folder = workspace(await tempFolder(), true);
    fs.mkdirSync(path.join(folder, "-f"));
    fs.writeFileSync(path.join(folder, "-f/a.h"), "x\n");
    const lines = [
      ...["sort *", "grep x *", "grep x [!a]*", "grep x */*.h", "grep x **/*.h", "grep * a.txt", "tail ?o"],
      ...["uniq a*", "uniq {a.txt,x}", "xxd a*", "base64 *", "less a.txt", "cat a.txt | less x"],
      ...["cat a.txt | less -o x", "cat a.txt | more +!ls", "nm --plugin x a.txt", "objdump -S a.txt"],
      ...["find . -name *.c", "find . -name -d*", "sed 's/a/\\/e' a.txt", "sed 's/\\/x/id/e' a.txt"],
    ];
    assert.deepEqual(await unasked({ lines }, "bash", folder, createPolicyDisk()), []);
  });

  it("are held to the same in PowerShell", async () => {
    const { attacks = [], ordinary = [] } = corpus("shell-powershell.json");
    const through = (lines: readonly string[]): Promise<string[]> =>
      unasked({ lines }, "powershell", "C:\\app", emptyDisk);
    const passed = (await through(ordinary)).length;
    assert.deepEqual([await through(attacks), passed >= 0.95 * ordinary.length], [[], true]);
  });
});
