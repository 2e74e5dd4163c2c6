import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { FolderLock } from "../../../../src/memory/store/folder-lock.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

async function lockFile(): Promise<string> {
  return path.join(await tempFolder(), "lock");
}

describe("the lock of a memory folder", () => {
  it("is held by one at a time", async () => {
    const file = await lockFile();
    const [one, other] = [new FolderLock(file), new FolderLock(file)];
    assert.deepEqual(
      [await one.take(), (await other.take())?.pid, await one.isStillHeld(), await other.isStillHeld()],
      [undefined, process.pid, true, false],
    );
  });

  it("can be taken once it was given back", async () => {
    const file = await lockFile();
    const one = new FolderLock(file);
    await one.take();
    await one.release();
    assert.equal(await new FolderLock(file).take(), undefined);
  });
});

describe("a memory folder's lock that someone else has", () => {
  it("is taken from a program that died", async () => {
    const file = await lockFile();
    const { pid } = spawnSync(process.execPath, ["--version"]);
    await fs.writeFile(file, JSON.stringify({ token: "dead", pid, host: os.hostname() }));
    assert.equal(await new FolderLock(file).take(), undefined);
  });

  it("is left to a program on another machine as long as it may live", async () => {
    const file = await lockFile();
    await fs.writeFile(file, JSON.stringify({ token: "far", pid: 1, host: "elsewhere" }));
    assert.deepEqual(await new FolderLock(file).take(), { token: "far", pid: 1, host: "elsewhere" });
  });

  it("is taken from a program on another machine after 20 seconds without a heartbeat", async () => {
    const file = await lockFile();
    await fs.writeFile(file, JSON.stringify({ token: "far", pid: 1, host: "elsewhere" }));
    const { now } = performance;
    let later = 0;
    performance.now = () => now.call(performance) + later;
    try {
      const lock = new FolderLock(file);
      const holders: (string | undefined)[] = [];
      for (const passed of [0, 19_000, 21_000]) {
        later = passed;
        holders.push((await lock.take())?.host);
      }
      assert.deepEqual(holders, ["elsewhere", "elsewhere", undefined]);
    } finally {
      performance.now = now;
    }
  });

  it("is left to a program on this machine for a minute without a heartbeat, as it may be stopped", async () => {
    const file = await lockFile();
    await fs.writeFile(file, JSON.stringify({ token: "near", pid: process.ppid, host: os.hostname() }));
    const { now } = performance;
    let later = 0;
    performance.now = () => now.call(performance) + later;
    try {
      const lock = new FolderLock(file);
      const holders: (string | undefined)[] = [];
      for (const passed of [0, 21_000, 59_000, 61_000]) {
        later = passed;
        holders.push((await lock.take())?.token);
      }
      assert.deepEqual(holders, ["near", "near", "near", undefined]);
    } finally {
      performance.now = now;
    }
  });

  it("is left to whoever is just writing it", async () => {
    const file = await lockFile();
    await fs.writeFile(file, '{"tok');
    assert.deepEqual(await new FolderLock(file).take(), { token: "", pid: 0, host: "" });
  });

  it("is lost when someone else has taken it", async () => {
    const file = await lockFile();
    const lock = new FolderLock(file);
    await lock.take();
    await fs.writeFile(file, JSON.stringify({ token: "other", pid: process.pid, host: os.hostname() }));
    assert.deepEqual([await lock.beat(), await lock.isStillHeld()], [false, false]);
  });

  it("does not remove a lock that is not its own when it is released", async () => {
    const file = await lockFile();
    const lock = new FolderLock(file);
    await lock.take();
    await fs.writeFile(file, "other");
    await lock.release();
    assert.equal(await fs.readFile(file, "utf8"), "other");
  });

  it("goes to one alone when many find it dead at once", async () => {
    const file = await lockFile();
    const { pid } = spawnSync(process.execPath, ["--version"]);
    await fs.writeFile(file, JSON.stringify({ token: "dead", pid, host: os.hostname() }));
    const locks = Array.from({ length: 20 }, () => new FolderLock(file));
    const holders = await Promise.all(locks.map((lock) => lock.take()));
    assert.equal(holders.filter((holder) => holder === undefined).length, 1);
  });
});
