import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createPolicyDisk } from "../../../src/node/policy-disk.ts";
import { cpuTime } from "../../support/cpu-time.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

describe("the disk as the policy sees it", () => {
  const tempFolder = tempFolders();
  const disk = createPolicyDisk();

  async function planted(): Promise<string> {
    const folder = await tempFolder();
    await plant(folder, {
      "a.ts": "a",
      "b.ts": "b",
      ".env": "x",
      "-x.ts": "flag",
      "sub/c.ts": "c",
      "sub/.d": "d",
      link: { link: "sub" },
      gone: { link: "nowhere" },
      "l.ts": { link: "a.ts" },
    });
    return folder;
  }

  it("expands patterns to at least what the shell does, and follows links", async () => {
    const folder = await planted();
    const found = async (pattern: string): Promise<string[]> =>
      ((await disk.resolveRealPaths(join(folder, pattern), true)) ?? ["too many"])
        .map((path) => path.slice(folder.length + 1))
        .sort();
    assert.deepEqual(
      [await found("*.ts"), await found("*/*.ts"), await found(".*"), await found("[ab].ts"), await found("z*")],
      [
        ["-x.ts", "-x.ts", "a.ts", "a.ts", "b.ts", "l.ts"],
        ["link/c.ts", "sub/c.ts", "sub/c.ts"],
        [".env"],
        ["a.ts", "a.ts", "b.ts", "l.ts"],
        [],
      ],
    );
  });

  it("sees files and folders whose names aren't UTF-8", async () => {
    skipWithout("a POSIX shell and its programs");
    const folder = await tempFolder();
    execFileSync("bash", ["-c", "mkdir -p $'d\\xff'; touch $'d\\xff/.env' $'\\xfe.env'; ln -s $'\\xfe.env' link"], {
      cwd: folder,
    });
    const isSecret = (names: readonly string[]): boolean => names.at(-1)?.endsWith(".env") === true;
    const shown = (path: string): string => path.slice(folder.length + 1);
    assert.deepEqual(
      {
        pattern: (await disk.resolveRealPaths(join(folder, "*.env"), true))?.map(shown),
        link: (await disk.resolveRealPaths(join(folder, "link"), false))?.map(shown),
        below: await disk.findBelow(folder, (names) => names.length > 1 && isSecret(names), [folder]),
      },
      { pattern: ["\udcfe.env"], link: ["\udcfe.env", "link"], below: "d\udcff/.env is among them" },
    );
  });

  it("expands patterns with many stars in no time that counts", async () => {
    const folder = await tempFolder();
    const names = Array.from({ length: 20 }, (_, index) => `${"a".repeat(250)}${index}`);
    await plant(folder, Object.fromEntries(names.map((name) => [name, ""])));
    const took = cpuTime();
    const found = await disk.resolveRealPaths(join(folder, `${"a*".repeat(100)}b`), true);
    assert.deepEqual([found, took() < 10_000], [[], true]);
  });

  it("looks below a folder, but not into what others published, and reports links", async () => {
    const folder = await planted();
    await plant(folder, { "node_modules/a/.env": "x", ".git/objects/.env": "x" });
    const found = async (name: string): Promise<string> =>
      (await disk.findBelow(folder, (names) => names.length > 1 && names.at(-1) === name, [folder])) ?? "";
    const link = await disk.findBelow(folder, (_, isLink) => isLink, [folder]);
    assert.deepEqual(
      [await found(".d"), await found(".env"), /^(?:link|gone|l\.ts) is among them$/.test(link ?? "")],
      ["sub/.d is among them", "", true],
    );
  });

  it("says where a path leads and by which links, and that nothing is there", async () => {
    const folder = await planted();
    assert.deepEqual(
      [
        await disk.resolveRealPaths(join(folder, "link/c.ts"), false),
        await disk.resolveRealPaths(join(folder, "missing"), false),
        await disk.resolveRealPaths(join(folder, "gone"), false),
      ],
      [[join(folder, "sub/c.ts"), join(folder, "link/c.ts")], [], [join(folder, "nowhere"), join(folder, "gone")]],
    );
  });

  it("gives up on a pattern that matches very many files", async () => {
    const folder = await tempFolder();
    await Promise.all(Array.from({ length: 2001 }, (_, at) => writeFile(join(folder, `${at}`), "")));
    assert.equal(await disk.resolveRealPaths(join(folder, "*"), true), undefined);
  });

  it("looks for files below a folder by name, without following links", async () => {
    const folder = await planted();
    const below = (wanted: string) => disk.findBelow(folder, (names) => names.join("/") === wanted, [folder]);
    assert.deepEqual([await below("sub/.d"), await below("link/.d")], ["sub/.d is among them", undefined]);
  });

  it("hashes files, reads short ones, and has neither for what is no file", async () => {
    const folder = await planted();
    await writeFile(join(folder, "long"), "x".repeat(1_000_001));
    const sha = createHash("sha256").update("a").digest("hex");
    const each = ["a.ts", "l.ts", "sub", "missing", "long"];
    assert.deepEqual(
      [
        await Promise.all(each.slice(0, 4).map((name) => disk.hash(join(folder, name)))),
        await Promise.all(each.map((name) => disk.readText(join(folder, name)))),
      ],
      [
        [sha, sha, undefined, undefined],
        ["a", "a", undefined, undefined, undefined],
      ],
    );
  });

  it("finds programs as a shell would, from the folder it runs in", async () => {
    const folder = await planted();
    const here = createPolicyDisk({ PATH: `sub:${folder}` });
    assert.deepEqual(
      [
        await here.findProgram("c.ts", folder),
        await here.findProgram("l.ts", "/"),
        await here.findProgram("no", folder),
      ],
      [join(folder, "sub/c.ts"), join(folder, "a.ts"), undefined],
    );
  });
});
