import assert from "node:assert/strict";
import { realpath, rename } from "node:fs/promises";
import { join, relative, win32 } from "node:path";
import { WorkspaceError } from "../../../src/core/ports/workspace.ts";
import { isAtOrBelow } from "../../../src/disk/below.ts";
import {
  findRootAround,
  getPathInRoot,
  type PathSystem,
  resolveAbsolutePath,
  resolveRootsElsewhere,
  selectRunFolders,
} from "../../../src/node/files/roots.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import type { WorkspaceFolder } from "../../../src/schema/run-values.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

const signal = new AbortController().signal;

describe("the folders of a run", () => {
  const [app, lib, tools] = ["app", "lib", "tools"].map((name) => ({ name, path: `/home/${name}` }));
  assert.ok(app && lib && tools);
  const other = { name: "lib", path: "/elsewhere/lib" };

  const cases: readonly [string, string, readonly WorkspaceFolder[], readonly WorkspaceFolder[], object][] = [
    ["begin with its own", lib.path, [app, lib, tools], [], [lib, app, tools]],
    ["have names of their own", app.path, [app, lib, other], [], [app, lib, { ...other, name: "lib (2)" }]],
    [
      "keep the names in its prompt",
      app.path,
      [other, app, lib],
      [app, lib],
      [app, lib, { ...other, name: "lib (2)" }],
    ],
    ["are without those that were closed", app.path, [app, tools], [app, lib, tools], [app, tools]],
    ["are its own alone if it is not open", "/tmp/demo", [app, lib], [], [{ name: "demo", path: "/tmp/demo" }]],
  ];
  for (const [name, folder, open, told, expected] of cases)
    it(name, () => assert.deepEqual(selectRunFolders(folder, open, told), expected));
});

describe("the folders of a run on other machines, from Windows", () => {
  const paths: PathSystem = {
    isAbsolute: win32.isAbsolute,
    resolve: win32.resolve,
    isAtOrBelow: (path, folder) => isAtOrBelow(path, folder, "win32"),
    splitNames: (path) => path.split(/[\\/]/),
    mayExist: async () => false,
    listEntries: async () => [],
  };
  /** Where a path leads: its root's name and the path in it. */
  async function resolveIn(folders: readonly string[], path: string): Promise<string> {
    const roots = await resolveRootsElsewhere(
      folders.map((folder, at) => ({ name: `folder ${at + 1}`, path: folder })),
      paths,
    );
    const absolute = await resolveAbsolutePath(path, roots, "new", paths);
    const root = findRootAround(absolute, roots, paths);
    return root ? `${root.name}: ${getPathInRoot(absolute, root, paths)}` : `outside: ${absolute}`;
  }
  const FOLDERS = ["\\\\server\\share\\shop", "\\\\wsl$\\Ubuntu\\home\\jane", "\\\\nas\\all\\"];

  for (const [path, found] of [
    ["src\\a.ts", "folder 1: src/a.ts"],
    ["\\\\SERVER\\share\\Shop\\src\\a.ts", "folder 1: src/a.ts"],
    ["//server/share/shop/src/a.ts", "folder 1: src/a.ts"],
    ["\\\\wsl$\\Ubuntu\\home\\jane\\a.ts", "folder 2: a.ts"],
    ["\\\\nas\\all\\a.ts", "folder 3: a.ts"],
    ["\\\\nas\\all", "folder 3: "],
    ["..\\a.ts", "outside: \\\\server\\share\\a.ts"],
    ["\\\\server\\share\\shop\\..\\..\\..\\a.ts", "outside: \\\\server\\share\\a.ts"],
    ["\\\\wsl$\\Ubuntu\\home\\Jane\\a.ts", "outside: \\\\wsl$\\Ubuntu\\home\\Jane\\a.ts"],
  ] as const)
    it(`contain what is below them: ${path}`, async () => {
      assert.equal(await resolveIn(FOLDERS, path), found);
    });
});

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
    return { home, workspace: createNodeWorkspace({ folders }) };
  };

  it("finds files by their folder's name, by their real path, and across folders", async () => {
    const { workspace, home } = await open();
    const paths = ["one/a.txt", "TWO/b.txt", "one (2)/a.txt", join(home, "two/b.txt"), "./two", "one/to-two", "."];
    const places = await Promise.all(paths.map((path) => workspace.locate(path)));
    assert.deepEqual(
      places.map(({ label, kind }) => `${label} ${kind}`),
      [
        "a.txt file",
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
      [["a.txt", "one (2)/a.txt", "to-two", "two/b.txt"], [{ label: "one (2)/a.txt", line: 1, text: "c" }]],
    );
  });

  const bare: readonly [string, string, "existing" | "new", string][] = [
    ["is in the run's own folder, which comes first", "a.txt", "existing", "a.txt file"],
    ["is in another folder if only that one has it", "b.txt", "existing", "two/b.txt file"],
    ["is in the run's own folder if no folder has it", "d/e.txt", "existing", "d/e.txt missing"],
    ["is in the run's own folder if it is made, whatever the others have", "b.txt", "new", "b.txt missing"],
    ["is in the folder that it names, even if it is made", "two/new.txt", "new", "two/new.txt missing"],
  ];
  for (const [name, path, use, expected] of bare)
    it(`${name}: ${path}, ${use}`, async () => {
      const { workspace } = await open();
      const { label, kind } = await workspace.locate(path, use);
      assert.equal(`${label} ${kind}`, expected);
    });

  it("asks which one is meant when several other folders have it", async () => {
    const { workspace, home } = await open();
    await plant(home, { "three/b.txt": "another" });
    await assert.rejects(workspace.locate("b.txt"), {
      message:
        '"b.txt" is not in the folder "one", but in several others: "two/b.txt", "one (2)/b.txt". Say which one.',
    });
  });

  it("calls a folder by its path where the run's own folder has something of its name", async () => {
    const { workspace, home } = await open();
    await plant(home, { "one/two/c.txt": "own" });
    const real = await realpath(home);
    const places = await Promise.all(
      ["two/c.txt", "two/b.txt", "two/new.txt", join(home, "two/b.txt")].map((path) => workspace.locate(path)),
    );
    assert.deepEqual(
      places.map(({ label, path }) => [label, relative(real, path)]),
      [
        ["two/c.txt", "one/two/c.txt"],
        [`${real}/two/b.txt`, "two/b.txt"],
        ["two/new.txt", "one/two/new.txt"],
        [`${real}/two/b.txt`, "two/b.txt"],
      ],
    );
  });

  it("finds each file again by the name that it was given", async () => {
    const { workspace, home } = await open();
    const { labels } = await workspace.list(await workspace.locate("."), { limit: 9, signal });
    const places = await Promise.all(labels.map((label) => workspace.locate(label)));
    const real = await realpath(home);
    assert.deepEqual(
      places.map(({ path }) => relative(real, path)),
      ["one/a.txt", "three/a.txt", "two/b.txt", "two/b.txt"],
    );
  });

  it("follows folders that are added and removed, and takes no other one for its own", async () => {
    const home = await tempFolder();
    await plant(home, { "one/a.txt": "a", "two/b.txt": "b" });
    const [one, two] = ["one", "two"].map((name) => ({ name, path: join(home, name) }));
    assert.ok(one && two);
    const open = [one];
    const workspace = createNodeWorkspace({ folders: () => open });
    const label = (path: string) =>
      workspace.locate(path).then(
        (place) => place.label,
        (error: unknown) => error instanceof WorkspaceError,
      );
    const labels: unknown[] = [await label("two/b.txt"), await label(two.path)];
    open.push(two);
    labels.push(await label("two/b.txt"), await label(two.path));
    await rename(one.path, join(home, "moved"));
    labels.push(await label("b.txt"));
    assert.deepEqual(labels, ["two/b.txt", true, "two/b.txt", "two", true]);
  });

  it("refuses what lies outside of all, and says when there is none at all", async () => {
    const { workspace } = await open();
    const none = createNodeWorkspace({ folders: [{ name: "gone", path: "/nowhere-at-all" }] });
    await assert.rejects(workspace.locate("one/../../x"), WorkspaceError);
    await assert.rejects(none.locate("a.txt"), {
      message:
        "The run's folder isn't open or doesn't exist any more, so there are no files. Ask the user to open it again.",
    });
  });
});
