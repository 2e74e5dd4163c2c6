import assert from "node:assert/strict";
import { join } from "node:path";
import { WorkspaceError } from "../../../src/core/ports.ts";
import { nodeWorkspace } from "../../../src/node/workspace.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

const signal = new AbortController().signal;

describe("a workspace of several folders", () => {
  const tempFolder = tempFolders();
  const open = async () => {
    const home = await tempFolder();
    await plant(home, {
      "one/a.txt": "a",
      "two/b.txt": "b",
      "three/a.txt": "c",
      "one/to-two": { link: "../two/b.txt" },
    });
    const folders = ["one", "two", "three"].map((name) => ({
      name: name === "three" ? "one" : name,
      path: join(home, name),
    }));
    return { home, workspace: nodeWorkspace({ folders }) };
  };

  it("finds files by their folder's name, by their real path, and across folders", async () => {
    const { workspace, home } = await open();
    const paths = [
      "one/a.txt",
      "TWO/b.txt",
      "one (2)/a.txt",
      join(home, "two/b.txt"),
      "./two",
      "one/to-two",
      ".",
    ];
    const places = await Promise.all(paths.map((path) => workspace.locate(path)));
    assert.deepEqual(
      places.map(({ label, kind }) => `${label} ${kind}`),
      [
        "one/a.txt file",
        "two/b.txt file",
        "one (2)/a.txt file",
        "two/b.txt file",
        "two folder",
        "two/b.txt file",
        ". folder",
      ],
    );
  });

  it("lists and searches all of them at once", async () => {
    const { workspace } = await open();
    const everything = await workspace.locate(".");
    assert.deepEqual(
      [
        (await workspace.list(everything, { limit: 9, signal })).labels,
        (await workspace.search(everything, { pattern: "c", regex: false, limit: 9, signal })).matches,
      ],
      [
        ["one (2)/a.txt", "one/a.txt", "one/to-two", "two/b.txt"],
        [{ label: "one (2)/a.txt", line: 1, text: "c" }],
      ],
    );
  });

  it("says which folders there are when a path names none of them", async () => {
    const { workspace } = await open();
    await assert.rejects(workspace.locate("a.txt"), {
      message:
        '"a.txt" does not begin with one of the workspace\'s folders. Put one of them first: "one", "two", "one (2)".',
    });
  });

  it("refuses what lies outside of all, and says when there is none at all", async () => {
    const { workspace } = await open();
    const none = nodeWorkspace({ folders: [{ name: "gone", path: "/nowhere-at-all" }] });
    await assert.rejects(workspace.locate("one/../../x"), WorkspaceError);
    await assert.rejects(none.locate("a.txt"), {
      message: "No folder is open, so there are no files. Ask the user to open one.",
    });
  });
});
