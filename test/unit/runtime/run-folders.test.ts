import assert from "node:assert/strict";
import { selectRunFolders } from "../../../src/node/files/roots.ts";
import { createRunFolderLister, describeFolderChanges } from "../../../src/runtime/run-folders.ts";
import type { WorkspaceFolder } from "../../../src/schema/run-values.ts";
import { testHost } from "../../support/test-host.ts";

const APP = { name: "app", path: "/home/app" };
const LIB = { name: "lib", path: "/home/lib" };

/** The folders of a run in an editor whose folders may change. */
function inEditor(open: WorkspaceFolder[]) {
  const { workspace } = testHost({ data: "", models: {} as never });
  return createRunFolderLister(
    {
      workspace: {
        ...workspace,
        listFolders: (folder, named) => selectRunFolders(folder, open, named),
        isOpen: (folder) => open.some(({ path }) => path === folder),
      },
    },
    APP.path,
    [APP, LIB],
  );
}

describe("the folders of a run that is at work", () => {
  it("are those that are open now", () => {
    const open = [APP];
    const folders = inEditor(open);
    const first = folders();
    open.push(LIB, { name: "lib", path: "/elsewhere/lib" });
    assert.deepEqual([first, folders()], [[APP], [APP, LIB, { name: "lib (2)", path: "/elsewhere/lib" }]]);
  });

  it("keep their names while others of the same name come and go", () => {
    const open = [APP, LIB];
    const folders = inEditor(open);
    const other = { name: "lib", path: "/elsewhere/lib" };
    open.push(other);
    folders();
    open.splice(1, 1);
    const alone = folders();
    open.push(LIB);
    assert.deepEqual(
      [alone, folders()],
      [
        [APP, { ...other, name: "lib (2)" }],
        [APP, { ...other, name: "lib (2)" }, LIB],
      ],
    );
  });

  it("are none once its own was closed, and come back with it", () => {
    const open = [APP, LIB];
    const folders = inEditor(open);
    folders();
    open.shift();
    const closed = folders();
    open.push(APP);
    assert.deepEqual([closed, folders()], [[], [APP, LIB]]);
  });

  it("are its own alone where it never was open, as in the demo", () => {
    assert.deepEqual(inEditor([LIB])(), [APP]);
  });

  it("are reported to the model where they differ from its prompt", () => {
    const docs = { name: 'd"\u202ex', path: "/docs" };
    assert.deepEqual(
      [
        describeFolderChanges([APP, LIB], [APP, LIB]),
        describeFolderChanges([APP, LIB], [APP, { ...LIB, path: "/other" }]),
        describeFolderChanges([APP, LIB], [APP, docs]),
      ],
      [
        undefined,
        'The folder "lib" is at /other now: use this path wherever its old one was used.',
        'The user added the folder "d\\"⟨U+202E⟩x" (/docs) to the workspace: you can use it. The user removed the folder "lib" from the workspace: you can\'t use its files any more.',
      ],
    );
  });
});
