import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StaleFileError } from "../../../src/core/ports/workspace.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const BYTES = Buffer.from([0, 255, 10, 13, 0]);

describe("files that are no text", () => {
  const tempFolder = tempFolders();

  it("are written with the folders on the way, and read as they are", async () => {
    const folder = await tempFolder();
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    await workspace.writeBytes(await workspace.locate("new/deep/a.bin"), BYTES);
    assert.deepEqual(
      [
        await readFile(join(folder, "new/deep/a.bin")),
        await workspace.readBytes(await workspace.locate("new/deep/a.bin")),
      ],
      [BYTES, BYTES],
    );
  });

  it("are not written over what changed in the meantime", async () => {
    const folder = await tempFolder();
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const place = await workspace.locate("a.bin");
    await writeFile(join(folder, "a.bin"), "the user's");
    await assert.rejects(workspace.writeBytes(place, BYTES), StaleFileError);
    assert.equal(await readFile(join(folder, "a.bin"), "utf8"), "the user's");
  });
});
