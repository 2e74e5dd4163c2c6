import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { addBorrowedFiles } from "../../../src/runtime/isolated/isolated-host.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

async function write(text: string, ...names: readonly string[]): Promise<void> {
  const path = join(...(names as [string]));
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
}

describe("file commands in folders that a copy borrows", () => {
  it("read the layer first and the workspace after it, follow no link out, and change nothing", async () => {
    const [copy, origin, upper] = [await tempFolder(), await tempFolder(), await tempFolder()];
    await mkdir(join(copy, "node_modules"));
    await write("own", copy, "own.txt");
    await write("lent", origin, "a", "index.js");
    await write("old", origin, "b", "index.js");
    await write("changed", upper, "b", "index.js");
    await write("secret", copy, "..", "outside.txt");
    await makeLink(join(copy, "..", "outside.txt"), join(upper, "out.txt"));
    const borrowed = [{ origin, path: join(copy, "node_modules") }];
    const base = createNodeWorkspace({ folders: [{ name: "app", path: copy }] });
    const files = addBorrowedFiles(base, { borrowed }, () => upper);
    const read = async (path: string) => {
      const place = await files.locate(path);
      const { kind, label } = place;
      const content = kind === "file" ? await files.read(place) : undefined;
      return [kind, label, content?.kind === "text" ? content.file.text : undefined];
    };
    const place = await files.locate("node_modules/a/index.js");
    const refused = await files.remove(place).then(String, (error: Error) => error.message);
    assert.deepEqual(
      {
        own: await read("own.txt"),
        lent: await read("node_modules/a/index.js"),
        changed: await read("node_modules/b/index.js"),
        missing: await read("node_modules/c.js"),
        linked: await read("node_modules/out.txt"),
        path: place.path,
        refused: refused.slice(0, 26),
      },
      {
        own: ["file", "own.txt", "own"],
        lent: ["file", "node_modules/a/index.js", "lent"],
        changed: ["file", "node_modules/b/index.js", "changed"],
        missing: ["missing", "node_modules/c.js", undefined],
        linked: ["missing", "node_modules/out.txt", undefined],
        path: join(copy, "node_modules", "a", "index.js"),
        refused: '"node_modules/a/index.js" ',
      },
    );
  });
});
