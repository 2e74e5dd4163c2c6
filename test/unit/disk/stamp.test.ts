import assert from "node:assert/strict";
import { chmod, lstat, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { formatContentStamp, formatStamp, readRegularStamp } from "../../../src/disk/stamp.ts";
import { makeLink, skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** Longer than a tick of the clock of any file system here. */
const TICK_MS = 20;

describe("the stamp of a file", () => {
  const tempFolder = tempFolders();
  const readBoth = async (path: string) => {
    const stats = await lstat(path, { bigint: true });
    return { whole: formatStamp(stats), content: formatContentStamp(stats) };
  };

  it("begins with that of its content, which begins with its bytes", async () => {
    const path = join(await tempFolder(), "a.txt");
    await writeFile(path, "12345");
    const { whole, content } = await readBoth(path);
    assert.deepEqual([content.startsWith("5 "), whole.startsWith(`${content} `)], [true, true]);
  });

  it("changes with content of the same size whose time is set back, and with another file in its place", async () => {
    const folder = await tempFolder();
    const path = join(folder, "a.txt");
    await writeFile(path, "one");
    await utimes(path, 1, 1);
    const stamps = [(await readBoth(path)).whole];
    await wait(TICK_MS);
    await writeFile(path, "two");
    await utimes(path, 1, 1);
    stamps.push((await readBoth(path)).whole);
    await writeFile(join(folder, "b.txt"), "six");
    await utimes(join(folder, "b.txt"), 1, 1);
    await rename(join(folder, "b.txt"), path);
    stamps.push((await readBoth(path)).whole);
    assert.equal(new Set(stamps).size, 3);
  });

  it("of its content alone stays with other permissions", async () => {
    skipWithout("files as POSIX has them");
    const path = join(await tempFolder(), "a.txt");
    await writeFile(path, "one");
    const before = await readBoth(path);
    await wait(TICK_MS);
    await chmod(path, 0o600);
    const after = await readBoth(path);
    assert.deepEqual([before.content === after.content, before.whole === after.whole], [true, false]);
  });

  it("is there for a regular file of a size that's allowed", async () => {
    skipWithout("files as POSIX has them");
    const folder = await tempFolder();
    const path = join(folder, "a.txt");
    await writeFile(path, "12345");
    await makeLink("a.txt", join(folder, "link"));
    const found = [
      await readRegularStamp(path, 5),
      await readRegularStamp(path, 4),
      await readRegularStamp(join(folder, "link"), 5),
      await readRegularStamp(folder, 5),
      await readRegularStamp(join(folder, "missing"), 5),
    ];
    assert.deepEqual(found, [(await readBoth(path)).whole, ...Array(4).fill(undefined)]);
  });
});
