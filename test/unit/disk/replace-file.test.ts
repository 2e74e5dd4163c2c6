import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeTemporaries, replaceFile } from "../../../src/disk/replace-file.ts";
import { DISK_FAULTS, onFaultyDisk } from "../../support/faulty-disk.ts";
import { KILL_MOMENTS } from "../../support/replace-kill.ts";
import { makeLink, skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const PROGRAM = join(import.meta.dirname, "../../support/replace-kill.ts");
const LEFT = "a.json.autogpt-0123456789ab.tmp";
const LONG_AGO = new Date(Date.now() - 2 * 60 * 60 * 1000);

async function createOld(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await tempFolder();
  const path = join(folder, "a.json");
  await writeFile(path, "old");
  return { folder, path };
}

/** Everything in a folder, by name. */
async function readAll(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const entries = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(entries));
}

describe("replacing a file", () => {
  for (const options of [{}, { durable: true }, { private: true, makeFolder: true }])
    it(`leaves the new content alone, with ${JSON.stringify(options)}`, async () => {
      const { folder, path } = await createOld();
      await replaceFile(path, "new", options);
      assert.deepEqual(await readAll(folder), { "a.json": "new" });
    });

  it("takes content in pieces", async () => {
    const { folder, path } = await createOld();
    await replaceFile(
      path,
      (async function* () {
        yield Buffer.from("in ");
        yield Buffer.from("pieces");
      })(),
    );
    assert.deepEqual(await readAll(folder), { "a.json": "in pieces" });
  });

  it("gives a private file and its new folder to the user alone", async () => {
    skipWithout("files as POSIX has them");
    const folder = join(await tempFolder(), "new");
    await replaceFile(join(folder, "a.json"), "new", { private: true, makeFolder: true });
    const modes = await Promise.all([folder, join(folder, "a.json")].map(async (one) => (await stat(one)).mode));
    assert.deepEqual(
      modes.map((mode) => mode & 0o777),
      [0o700, 0o600],
    );
  });

  it("fails where the folder is missing", async () => {
    const { folder } = await createOld();
    await assert.rejects(replaceFile(join(folder, "missing/a.json"), "new"), { code: "ENOENT" });
  });

  it("replaces a link and not the file that it leads to", async () => {
    skipWithout("files as POSIX has them");
    const { folder, path } = await createOld();
    await makeLink("a.json", join(folder, "link"));
    await replaceFile(join(folder, "link"), "new");
    assert.deepEqual([await readFile(path, "utf8"), await readAll(folder)], ["old", { "a.json": "old", link: "new" }]);
  });

  it("leaves the old content if it isn't confirmed, which is asked once the new one is complete", async () => {
    const { folder, path } = await createOld();
    const seen: string[] = [];
    const confirm = async () => {
      seen.push(...Object.values(await readAll(folder)).sort());
      throw new Error("another program writes now");
    };
    await assert.rejects(replaceFile(path, "new", { confirm }), /another program/);
    assert.deepEqual([seen, await readAll(folder)], [["new", "old"], { "a.json": "old" }]);
  });

  it("keeps the first of several that are written at once, if asked to", async () => {
    const folder = await tempFolder();
    const contents = Array.from({ length: 20 }, (_, index) => `content ${index}`);
    const path = join(folder, "a.json");
    await Promise.all(contents.map((content) => replaceFile(path, content, { keepFirst: true })));
    const first = await readAll(folder);
    await replaceFile(path, "late", { keepFirst: true });
    assert.deepEqual([Object.keys(first), await readAll(folder)], [["a.json"], first]);
  });

  it("is safe when many do it at once", async () => {
    const { folder, path } = await createOld();
    const contents = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(10_000));
    await Promise.all(contents.map((content) => replaceFile(path, content, { durable: true })));
    const { "a.json": content = "", ...others } = await readAll(folder);
    assert.deepEqual([contents.includes(content), others], [true, {}]);
  });

  it("removes what ended programs left in the folder, and nothing else", async () => {
    const { folder, path } = await createOld();
    const kept = ["b.json.autogpt-0123456789cd.tmp", "b.tmp", "autogpt.txt", "a.json.0123456789ab.tmp"];
    for (const name of [LEFT, ...kept]) await writeFile(join(folder, name), "");
    for (const name of [LEFT, ...kept.slice(1)]) await utimes(join(folder, name), LONG_AGO, LONG_AGO);
    await mkdir(join(folder, "c.autogpt-0123456789ab.tmp"));
    await replaceFile(path, "new");
    assert.deepEqual((await readdir(folder)).sort(), ["a.json", "c.autogpt-0123456789ab.tmp", ...kept].sort());
  });

  for (const fault of DISK_FAULTS)
    it(`leaves the old content and nothing else on a disk with ${fault}`, async () => {
      const { folder, path } = await createOld();
      await assert.rejects(onFaultyDisk(fault, /a\.json/, () => replaceFile(path, "new", { durable: true })));
      assert.deepEqual(await readAll(folder), { "a.json": "old" });
    });
});

describe("a program that is killed while it replaces a file", () => {
  if (process.platform === "win32") return;
  for (const moment of KILL_MOMENTS)
    it(`${moment} leaves all of the old content or all of the new, and its leftover goes`, async () => {
      const { folder, path } = await createOld();
      const args = [PROGRAM, path, "the new content", moment];
      const killed = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
      const content = await readFile(path, "utf8");
      await removeTemporaries(folder, 0);
      const isNew = KILL_MOMENTS.indexOf(moment) >= KILL_MOMENTS.indexOf("once it is renamed");
      assert.deepEqual(
        { ended: Object(killed).signal, content, names: await readdir(folder) },
        { ended: "SIGKILL", content: isNew ? "the new content" : "old", names: ["a.json"] },
      );
    });
});
