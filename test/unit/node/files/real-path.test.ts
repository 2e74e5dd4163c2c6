import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { StaleFileError } from "../../../../src/core/ports/workspace.ts";
import { runInFolder } from "../../../../src/node/files/held-folder.ts";
import { listLinksAlong, mayExist, resolveRealPath } from "../../../../src/node/files/real-path.ts";
import { makeLinkSync } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const newFolder = tempFolders();

describe("a real path", () => {
  it("follows links, also for names that do not exist yet", async () => {
    const folder = fs.realpathSync(await newFolder());
    fs.mkdirSync(path.join(folder, "real"));
    makeLinkSync("real", path.join(folder, "link"));
    makeLinkSync("missing/deep", path.join(folder, "dangling"));
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
    makeLinkSync("b", path.join(folder, "a"));
    makeLinkSync("a", path.join(folder, "b"));
    const code = (error: NodeJS.ErrnoException): boolean => error.code === "ELOOP";
    await assert.rejects(resolveRealPath(path.join(folder, "a")), code);
    await assert.rejects(listLinksAlong(path.join(folder, "a")), code);
  });
});

describe("a path on a drive that doesn't exist", () => {
  it("is real as it is, so that it counts as outside the workspace", async () => {
    const missing = async () => {
      throw Object.assign(new Error("ENOENT: no such drive"), { code: "ENOENT" });
    };
    const { realpath, lstat } = fs.promises;
    Object.assign(fs.promises, { realpath: missing, lstat: missing });
    syncBuiltinESMExports();
    const real = await resolveRealPath("/x/src/a.ts").finally(() => {
      Object.assign(fs.promises, { realpath, lstat });
      syncBuiltinESMExports();
    });
    assert.equal(real, path.normalize("/x/src/a.ts"));
  });
});

describe("an operation in a folder that can't be held open", () => {
  const resolveIn = (folder: string) => runInFolder(folder, async (at) => at("a.txt"), "win32");

  it("runs if the folder is still itself, with or without a final separator", async () => {
    const folder = fs.realpathSync(await newFolder());
    assert.deepEqual(
      [await resolveIn(folder), await resolveIn(`${folder}/`)],
      [path.join(folder, "a.txt"), path.join(folder, "a.txt")],
    );
  });

  it("is refused if a link took its place", async () => {
    const folder = fs.realpathSync(await newFolder());
    makeLinkSync(".", path.join(folder, "link"));
    await assert.rejects(resolveIn(path.join(folder, "link")), StaleFileError);
  });
});

describe("the links along a path", () => {
  it("are each with the names after it, in their order", async () => {
    const folder = fs.realpathSync(await newFolder());
    fs.mkdirSync(path.join(folder, "x", "y"), { recursive: true });
    makeLinkSync("x", path.join(folder, "one"));
    makeLinkSync(path.join(folder, "x", "y"), path.join(folder, "x", "two"));
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
    makeLinkSync("missing", path.join(folder, "dangling"));
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
