import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FolderWorkspace } from "../../../src/node/workspace.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { createUnsavedWorkspace } from "../../../src/runtime/unsaved-workspace.ts";
import { complaint } from "../../contract/workspace-under-test.ts";
import { FakeEditors } from "../../support/fake-editors.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

interface Edited {
  readonly folder: string;
  readonly editors: FakeEditors;
  readonly workspace: FolderWorkspace;
}

describe("a workspace with texts that aren't saved", () => {
  const tempFolder = tempFolders();

  /** A workspace with a file `a.txt`, a link to it, and editors without edits. */
  async function edited(): Promise<Edited> {
    const folder = await tempFolder();
    await plant(folder, { "a.txt": "disk\n", "link.txt": { link: "a.txt" } });
    const editors = new FakeEditors();
    const base = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    return { folder, editors, workspace: createUnsavedWorkspace(base, editors) };
  }

  it("reads the text in the editor, under any name of the file, and says so", async () => {
    const { folder, editors, workspace } = await edited();
    editors.type(join(folder, "a.txt"), "typed ü\n", { encoding: "windows-1252" });

    const place = await workspace.locate("link.txt");
    const read = await workspace.read(place);

    assert.deepEqual(
      {
        place: { label: place.label, kind: place.kind, version: place.version, unsaved: place.unsaved },
        text: read.kind === "text" && read.file.text,
        bytes: Buffer.from(await workspace.readBytes(place)).toString("latin1"),
      },
      {
        place: { label: "a.txt", kind: "file", version: "editor:typed ü\n", unsaved: true },
        text: "typed ü\n",
        bytes: "typed ü\n",
      },
    );
  });

  it("reads the disk where nothing is edited", async () => {
    const { workspace } = await edited();
    const place = await workspace.locate("a.txt");
    const read = await workspace.read(place);
    assert.deepEqual([place.unsaved, read.kind === "text" && read.file.text], [undefined, "disk\n"]);
  });

  it("changes the text in the editor, and not the disk", async () => {
    const { folder, editors, workspace } = await edited();
    const path = join(folder, "a.txt");
    editors.type(path, "typed\n");

    const place = await workspace.locate("a.txt");
    await workspace.write(place, { text: "changed\n", encoding: "utf-8", bom: false, eol: "\n" });

    assert.deepEqual(
      { editor: editors.texts.get(path)?.text, disk: await readFile(path, "utf8") },
      { editor: "changed\n", disk: "disk\n" },
    );
  });

  it("finds a file that is gone from the disk but not from its editor", async () => {
    const { folder, editors, workspace } = await edited();
    const path = join(folder, "gone.txt");
    editors.type(path, "typed\n");

    const place = await workspace.locate("gone.txt");
    await workspace.write(place, { text: "changed\n", encoding: "utf-8", bom: false, eol: "\n" });

    assert.deepEqual(
      { kind: place.kind, editor: editors.texts.get(path)?.text },
      { kind: "file", editor: "changed\n" },
    );
  });

  it("changes nothing if the text was typed in, saved or begun since it was located", async () => {
    const { folder, editors, workspace } = await edited();
    const path = join(folder, "a.txt");
    const file = { text: "changed\n", encoding: "utf-8", bom: false, eol: "\n" } as const;
    const clean = await workspace.locate("a.txt");
    editors.type(path, "typed\n");
    const dirty = await workspace.locate("a.txt");
    editors.type(path, "typed more\n");

    const typed = await complaint(workspace.write(dirty, file));
    const begun = await complaint(workspace.write(clean, file));
    editors.texts.clear();
    const saved = await complaint(workspace.write(dirty, file));

    assert.deepEqual(
      { typed, begun, saved, disk: await readFile(path, "utf8") },
      {
        typed: '"a.txt" was edited in the editor in the meantime, so nothing was written. Look at it again.',
        begun: '"a.txt" was edited in the editor in the meantime, so nothing was written. Look at it again.',
        saved: '"a.txt" was saved or closed in the editor in the meantime, so nothing was written. Look at it again.',
        disk: "disk\n",
      },
    );
  });

  it("refuses characters that a save would lose", async () => {
    const { folder, editors, workspace } = await edited();
    const path = join(folder, "a.txt");
    editors.type(path, "typed\n", { encoding: "windows-1252" });

    const place = await workspace.locate("a.txt");
    const said = await complaint(workspace.write(place, { text: "日本\n", encoding: "utf-8", bom: false, eol: "\n" }));

    assert.deepEqual(
      { said: said.split(", so ")[0], editor: editors.texts.get(path)?.text },
      { said: 'The file is in windows-1252, which has no "日"', editor: "typed\n" },
    );
  });
});
