import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findLockHolder, takeProcessLock } from "../../../../src/node/processes/process-lock.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

const seal = (text: string): string => createHash("sha256").update(`key ${text}`).digest("hex");

/** Writes the lock of a process on another machine. */
async function writeForeignLock(path: string): Promise<void> {
  const holder = { token: path, pid: 17, host: "other-machine pid:[1]", started: "b 1", kind: "editor" };
  await writeFile(path, JSON.stringify({ ...holder, seal: seal(JSON.stringify(holder)) }));
}

const FOREIGN = (token: string) => ({ token, pid: 17, kind: "editor", machine: "other-machine" });

/** Lets each look at the clock pass this much time, until the test ends. */
function passTime(stepMs: number): () => void {
  const { now } = performance;
  let passed = 0;
  performance.now = () => {
    passed += stepMs;
    return now.call(performance) + passed;
  };
  return () => {
    performance.now = now;
  };
}

describe("the lock of a process", function () {
  this.timeout(30_000);
  let restoreClock = (): void => undefined;
  afterEach(() => restoreClock());

  it("stays with a process on another machine that gives signs of life, whatever its clock says", async () => {
    const path = join(await tempFolder(), "owner.json");
    await writeForeignLock(path);
    const times = [1_000, 4_000_000_000, 7, 3_000];
    const beat = setInterval(() => void utimes(path, 1, times.shift() ?? Math.random() * 1_000), 300);
    restoreClock = passTime(3_000);
    const taken = await takeProcessLock(path, seal);
    clearInterval(beat);
    assert.deepEqual(taken, { by: FOREIGN(path) });
  });

  it("is taken from a process on another machine once that has been silent for long enough, not at once", async () => {
    const path = join(await tempFolder(), "owner.json");
    await writeForeignLock(path);
    await utimes(path, 1, 1);
    const first = await findLockHolder(path, seal);
    restoreClock = passTime(4_000);
    const taken = await takeProcessLock(path, seal);
    const isTaken = "token" in taken;
    if (isTaken) await taken.release();
    assert.deepEqual(
      { first, isTaken, after: await findLockHolder(path, seal) },
      {
        first: FOREIGN(path),
        isTaken: true,
        after: undefined,
      },
    );
  });

  it("isn't taken because this machine slept for hours between two looks", async () => {
    const path = join(await tempFolder(), "owner.json");
    await writeForeignLock(path);
    await findLockHolder(path, seal);
    restoreClock = passTime(3 * 3_600_000);
    assert.deepEqual(await findLockHolder(path, seal), FOREIGN(path));
  });

  it("stays with a living process of this machine that has been silent for days", async () => {
    skipWithout("Linux");
    const path = join(await tempFolder(), "owner.json");
    const taken = await takeProcessLock(path, seal, { kind: "commandLine" });
    await utimes(path, 1, 1);
    restoreClock = passTime(4_000);
    const other = await takeProcessLock(path, seal);
    if ("token" in taken) await taken.release();
    const { token: _token, ...by } = "by" in other ? other.by : { token: "" };
    assert.deepEqual(by, { pid: process.pid, kind: "commandLine" });
  });

  it("reports its loss to the holder, and is written again if its file was deleted", async () => {
    const path = join(await tempFolder(), "owner.json");
    const beats: boolean[] = [];
    const taken = await takeProcessLock(path, seal, { handleBeat: (isLost) => beats.push(isLost) });
    await rm(path);
    while (beats.length === 0) await wait(50);
    const again = (await findLockHolder(path, seal))?.pid;
    await writeForeignLock(path);
    while (!beats.includes(true)) await wait(50);
    if ("token" in taken) await taken.release();
    assert.deepEqual(
      { again, beats: [beats[0], beats.at(-1)], left: await findLockHolder(path, seal) },
      { again: process.pid, beats: [false, true], left: FOREIGN(path) },
    );
  });
});
