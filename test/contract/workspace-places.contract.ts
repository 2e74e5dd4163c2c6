import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResolvedPath } from "../../src/core/ports/workspace.ts";
import { complaint, type Planted } from "./workspace-under-test.ts";

/** What every `Workspace` promises of paths and where they lead. */
export function placesContract(planted: Planted): void {
  findsPlaces(planted);
  keepsInside(planted);
  knowsIgnored(planted);
}

/** What is told of a place, its version and real path left out. */
function told({ label, kind, link, ignored }: ResolvedPath): object {
  return { label, kind, ...(link === undefined ? {} : { link }), ...(ignored ? { ignored } : {}) };
}

function findsPlaces(planted: Planted): void {
  it("finds files, folders and what is not there yet", async () => {
    const { workspace, folder } = await planted({ "src/app.ts": "x" });
    const names = [".", "src", "src/app.ts", "src/../src/./app.ts", "new/b.ts", join(folder, "src")];
    assert.deepEqual(await Promise.all(names.map(async (path) => told(await workspace.locate(path)))), [
      { label: ".", kind: "folder" },
      { label: "src", kind: "folder" },
      { label: "src/app.ts", kind: "file" },
      { label: "src/app.ts", kind: "file" },
      { label: "new/b.ts", kind: "missing" },
      { label: "src", kind: "folder" },
    ]);
  });

  it("follows links inside, and says that it did", async () => {
    const { workspace } = await planted({
      "real/a.txt": "x",
      "to-file": { link: "real/a.txt" },
      "to-folder": { link: "real" },
      "to-new": { link: "real/new.txt" },
    });
    const names = ["to-file", "to-folder/a.txt", "to-new"];
    assert.deepEqual(await Promise.all(names.map(async (path) => told(await workspace.locate(path)))), [
      { label: "real/a.txt", kind: "file", link: "to-file" },
      { label: "real/a.txt", kind: "file" },
      { label: "real/new.txt", kind: "missing", link: "to-new" },
    ]);
  });

  it("gives a version that changes with the content and with nothing else", async () => {
    const { workspace, folder } = await planted({ "a.txt": "one" });
    const first = await workspace.locate("a.txt");
    await writeFile(join(folder, "a.txt"), "two");
    const second = await workspace.locate("a.txt");
    await writeFile(join(folder, "a.txt"), "one");
    const third = await workspace.locate("a.txt");
    assert.deepEqual([first.version === second.version, first.version === third.version], [false, true]);
  });
}

function keepsInside(planted: Planted): void {
  it("refuses links that lead out, however", async () => {
    const { workspace } = await planted({
      "to-file": { link: "/etc/passwd" },
      "to-folder": { link: "/etc" },
      "to-nothing": { link: "../nothing-there" },
      chain: { link: "to-folder" },
      round: { link: "round" },
    });
    const names = ["to-file", "to-folder/passwd", "to-nothing", "chain/passwd", "round", "round/x"];
    const complaints = await Promise.all(names.map((path) => complaint(workspace.locate(path))));
    assert.deepEqual(
      complaints.map((text) => /outside the workspace|leads nowhere safe/.test(text)),
      names.map(() => true),
    );
  });
}

function knowsIgnored(planted: Planted): void {
  it("reports what git ignores, and refuses what .autogptignore names", async () => {
    const { workspace } = await planted({
      ".gitignore": "dist/\n*.log\n!keep.log\n",
      ".autogptignore": "private/\n",
      "dist/a.js": "",
      "private/diary.txt": "",
      "to-private": { link: "private/diary.txt" },
      "src/.gitignore": "local.txt\n",
      "src/local.txt": "",
      "local.txt": "",
      "keep.log": "",
      "x.log": "",
    });
    const names = ["dist/a.js", "src/local.txt", "local.txt", "keep.log", "x.log"];
    assert.deepEqual(
      [
        ...(await Promise.all(names.map(async (path) => (await workspace.locate(path)).ignored === true))),
        await complaint(workspace.locate("private/diary.txt")),
        await complaint(workspace.locate("to-private")),
      ],
      [
        true,
        true,
        false,
        false,
        true,
        '"private/diary.txt" is out of bounds: the user\'s .autogptignore names it. Work without it, or ask the user.',
        '"private/diary.txt" is out of bounds: the user\'s .autogptignore names it. Work without it, or ask the user.',
      ],
    );
  });
}
