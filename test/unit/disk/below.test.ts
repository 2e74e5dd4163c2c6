import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { isAtOrBelow, isBelow, isWithinAny } from "../../../src/disk/below.ts";
import { makeLinkSync } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

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
    const found = (platform: NodeJS.Platform) => pairs.map(([one, folder]) => isAtOrBelow(one, folder, platform));
    assert.deepEqual(
      { win32: found("win32").slice(0, 3), darwin: found("darwin")[3], linux: found("linux")[3] },
      { win32: [true, true, false], darwin: true, linux: false },
    );
  });

  it("is on another machine as well, with or without a final separator, and has its case in WSL", () => {
    const isIn = (path: string, folder: string) => isAtOrBelow(path, folder, "win32");
    assert.deepEqual(
      {
        share: isIn("//SERVER/Share/shop/a", "\\\\server\\share\\shop"),
        itself: isIn("\\\\server\\share", "\\\\server\\share\\"),
        drive: isIn("C:\\a", "C:\\"),
        sibling: isIn("\\\\server\\share2\\a", "\\\\server\\share"),
        wsl: isIn("\\\\wsl$\\Ubuntu\\home\\shop\\a", "\\\\wsl$\\Ubuntu\\home\\shop"),
        otherName: isIn("\\\\WSL.LOCALHOST\\ubuntu\\home\\shop\\a", "\\\\wsl.localhost\\Ubuntu\\home\\shop"),
        otherCase: isIn("\\\\wsl.localhost\\Ubuntu\\home\\Shop\\a", "\\\\wsl.localhost\\Ubuntu\\home\\shop"),
      },
      { share: true, itself: true, drive: true, sibling: false, wsl: true, otherName: true, otherCase: false },
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

  it("counts as within a folder if it or its folder leads there, or if nothing is known about it", async () => {
    const folder = fs.realpathSync(await newFolder());
    for (const name of ["inside", "outside"]) fs.mkdirSync(path.join(folder, name));
    fs.writeFileSync(path.join(folder, "inside/program"), "");
    fs.writeFileSync(path.join(folder, "outside/program"), "");
    makeLinkSync("../inside/program", path.join(folder, "outside/link"));
    makeLinkSync("../outside/program", path.join(folder, "inside/link"));
    makeLinkSync("inside", path.join(folder, "way"));
    const names = ["inside/program", "outside/program", "outside/link", "way/link", "missing"];
    assert.deepEqual(
      names.map((name) => isWithinAny(path.join(folder, name), [path.join(folder, "inside")])),
      [true, false, true, true, true],
    );
  });
});
