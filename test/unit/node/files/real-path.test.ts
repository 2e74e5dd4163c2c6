import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {
  isAtOrBelow,
  isBelow,
  listLinksAlong,
  mayExist,
  resolveRealPath,
} from "../../../../src/node/files/real-path.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const newFolder = tempFolders();

describe("a path in a folder", () => {
  it("is below it by whole names, and not the folder itself", () =>
    assert.deepEqual(
      {
        child: isBelow("/a/b/c", "/a/b"),
        self: isBelow("/a/b", "/a/b"),
        sibling: isBelow("/a/bc", "/a/b"),
        root: isBelow("/a", "/"),
        above: isBelow("/a", "/a/b"),
      },
      { child: true, self: false, sibling: false, root: true, above: false },
    ));

  it("is compared as its system does: without case and with both separators on Windows, without case on macOS", () => {
    const pairs = [
      ["C:\\work\\shop\\a", "c:\\Work\\shop"],
      ["C:\\work\\shop/a", "C:/work/shop"],
      ["C:\\work\\shop2\\a", "C:\\work\\shop"],
      ["/Users/jane/Cafe\u0301/a", "/users/jane/caf\u00e9"],
    ] as const;
    const found = (platform: NodeJS.Platform) =>
      pairs.map(([one, folder]) => isAtOrBelow(one, folder, platform));
    assert.deepEqual(
      { win32: found("win32").slice(0, 3), darwin: found("darwin")[3], linux: found("linux")[3] },
      { win32: [true, true, false], darwin: true, linux: false },
    );
  });

  it("is at or below it with the folder itself", () =>
    assert.deepEqual(
      {
        child: isAtOrBelow("/a/b/c", "/a/b"),
        self: isAtOrBelow("/a/b", "/a/b"),
        sibling: isAtOrBelow("/a/bc", "/a/b"),
      },
      { child: true, self: true, sibling: false },
    ));
});

describe("a real path", () => {
  it("follows links, also for names that do not exist yet", async () => {
    const folder = fs.realpathSync(await newFolder());
    fs.mkdirSync(path.join(folder, "real"));
    fs.symlinkSync("real", path.join(folder, "link"));
    fs.symlinkSync("missing/deep", path.join(folder, "dangling"));
    assert.deepEqual(
      {
        there: await resolveRealPath(path.join(folder, "link")),
        missing: await resolveRealPath(path.join(folder, "link", "new", "a.txt")),
        dangling: await resolveRealPath(path.join(folder, "dangling", "b")),
      },
      {
        there: path.join(folder, "real"),
        missing: path.join(folder, "real", "new", "a.txt"),
        dangling: path.join(folder, "missing", "deep", "b"),
      },
    );
  });

  it("is refused for links in a circle", async () => {
    const folder = fs.realpathSync(await newFolder());
    fs.symlinkSync("b", path.join(folder, "a"));
    fs.symlinkSync("a", path.join(folder, "b"));
    const code = (error: NodeJS.ErrnoException): boolean => error.code === "ELOOP";
    await assert.rejects(resolveRealPath(path.join(folder, "a")), code);
    await assert.rejects(listLinksAlong(path.join(folder, "a")), code);
  });
});

describe("the links along a path", () => {
  it("are each with the names after it, in their order", async () => {
    const folder = fs.realpathSync(await newFolder());
    fs.mkdirSync(path.join(folder, "x", "y"), { recursive: true });
    fs.symlinkSync("x", path.join(folder, "one"));
    fs.symlinkSync(path.join(folder, "x", "y"), path.join(folder, "x", "two"));
    assert.deepEqual(await listLinksAlong(path.join(folder, "one", "two", "c.txt"), folder), [
      path.join(folder, "one", "two", "c.txt"),
      path.join(folder, "x", "two", "c.txt"),
    ]);
  });
});

describe("a file that may exist", () => {
  it("is any but one that is certainly missing", async () => {
    const folder = fs.realpathSync(await newFolder());
    fs.writeFileSync(path.join(folder, "a"), "");
    fs.symlinkSync("missing", path.join(folder, "dangling"));
    assert.deepEqual(
      {
        there: await mayExist(path.join(folder, "a")),
        dangling: await mayExist(path.join(folder, "dangling")),
        missing: await mayExist(path.join(folder, "b")),
        belowFile: await mayExist(path.join(folder, "a", "b")),
        tooLong: await mayExist(path.join(folder, "x".repeat(300))),
      },
      { there: true, dangling: true, missing: false, belowFile: false, tooLong: false },
    );
  });
});
