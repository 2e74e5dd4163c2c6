import assert from "node:assert/strict";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { onCaselessDisk } from "../../../support/caseless-disk.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { skipWithout } from "../../../support/skips.ts";
import { grown, plant } from "../../../support/trees.ts";

describe("move_file", () => {
  const planted = plantedBenches();

  it("moves a file, into a folder too, and says which files it touches", async () => {
    const { bench, folder } = await planted({ "a.txt": "a", "lib/b.txt": "b" });
    const prepared = await bench.prepare("move_file", { source: "a.txt", destination: "lib" });
    assert.ok(isPrepared(prepared));
    assert.deepEqual(
      [prepared.preview, prepared.touches, await bench.run(prepared), await grown(folder)],
      [
        { kind: "details", text: 'Move "a.txt" to "lib/a.txt".' },
        [
          { path: join(folder, "a.txt"), how: "delete" },
          { path: join(folder, "lib/a.txt"), how: "write" },
        ],
        { status: "done", output: 'Moved "a.txt" to "lib/a.txt".' },
        { "lib/a.txt": "a", "lib/b.txt": "b" },
      ],
    );
  });

  it("says that a name without an ending isn't a folder, and takes one with a slash for a folder", async () => {
    const { bench, folder } = await planted({ "a.txt": "a", "b.txt": "b" });
    assert.deepEqual(
      [
        await bench.call("move_file", { source: "a.txt", destination: "notes" }),
        await bench.call("move_file", { source: "b.txt", destination: "old/" }),
        await grown(folder),
      ],
      [
        {
          status: "done",
          output:
            'Moved "a.txt" to "notes". There is no folder "notes", so this is the file\'s new name. For a folder, the destination is "notes/a.txt".',
        },
        { status: "done", output: 'Moved "b.txt" to "old/b.txt".' },
        { notes: "a", "old/b.txt": "b" },
      ],
    );
  });

  it("is no longer fresh once something is in the way", async () => {
    const { bench, folder } = await planted({ "a.txt": "a" });
    const prepared = await bench.prepare("move_file", { source: "a.txt", destination: "b.txt" });
    assert.ok(isPrepared(prepared));
    await plant(folder, { "b.txt": "b" });
    assert.equal(await prepared.fresh(), false);
  });

  it("shows a rename that changes only the case, where the disk ignores it, and carries it out", async () => {
    skipWithout("a disk that distinguishes names by case");
    const { bench, folder } = await planted({ "src/a.txt": "a" });
    const seen = await onCaselessDisk(async () => {
      const prepared = await bench.prepare("move_file", { source: "src/a.txt", destination: "src/A.txt" });
      assert.ok(isPrepared(prepared));
      const { preview, touches } = prepared;
      const isFresh = await prepared.fresh();
      return { preview, touches, isFresh, outcome: await bench.run(prepared), files: await grown(folder) };
    });
    assert.deepEqual(seen, {
      preview: { kind: "details", text: 'Move "src/a.txt" to "src/A.txt".' },
      touches: [
        { path: join(folder, "src/a.txt"), how: "delete" },
        { path: join(folder, "src/A.txt"), how: "write" },
      ],
      isFresh: true,
      outcome: { status: "done", output: 'Moved "src/a.txt" to "src/A.txt".' },
      files: { "src/A.txt": "a" },
    });
  });

  it("never moves over another file whose name differs in its case, where the disk doesn't ignore it", async () => {
    skipWithout("a disk that distinguishes names by case");
    const { bench, folder } = await planted({ "a.txt": "a", "A.txt": "b" });
    const refused = await bench.call("move_file", { source: "a.txt", destination: "A.txt" });
    await bench.call("move_file", { source: "a.txt", destination: "B.txt" });
    await bench.call("move_file", { source: "B.txt", destination: "b.txt" });
    assert.deepEqual(
      { refused, files: await grown(folder) },
      {
        refused: {
          status: "failed",
          error: '"A.txt" already exists, and nothing is overwritten. Choose another name, or delete it first.',
        },
        files: { "A.txt": "b", "b.txt": "a" },
      },
    );
  });

  /** What is moved where, and what the model is told. */
  const REFUSED: readonly (readonly [string, string, string])[] = [
    ["a.txt", "b.txt", '"b.txt" already exists, and nothing is overwritten. Choose another name, or delete it first.'],
    ["c.txt", "d.txt", 'There is no file "c.txt". Nearest: "a.txt".'],
    ["lib", "src", '"lib" is not a file. Move files one by one, or a whole folder with execute_shell (mv).'],
    ["link", "d.txt", '"link" is a symbolic link to "a.txt". Move "a.txt" itself, or the link with execute_shell.'],
  ];

  for (const [source, destination, error] of REFUSED)
    it(`does not move ${source} to ${destination}`, async () => {
      const { bench } = await planted({ "a.txt": "", "b.txt": "", "lib/x": "", link: { link: "a.txt" } });
      assert.deepEqual(await bench.try("move_file", { source, destination }), {
        outcome: { status: "failed", error },
      });
    });
});

describe("delete_file", () => {
  const planted = plantedBenches();

  it("deletes a file by way of the trash where there is one", async () => {
    const { folder } = await planted({});
    const trashed: string[] = [];
    const trash = async (path: string): Promise<string> => {
      trashed.push(path);
      return "It is in the trash.";
    };
    const workspace = createNodeWorkspace({
      folders: [{ name: "project", path: folder }],
      moveToTrash: trash,
    });
    await plant(folder, { "a.txt": "one" });
    const { bench } = await planted({}, { workspace });
    assert.deepEqual(
      [await bench.try("delete_file", { filename: "a.txt" }), trashed],
      [
        {
          preview: { kind: "details", text: 'Delete "a.txt" (3 bytes).\n\none' },
          outcome: { status: "done", output: 'Deleted "a.txt" (3 bytes). It is in the trash.' },
        },
        [join(folder, "a.txt")],
      ],
    );
  });

  it("shows what would be deleted: the first lines of a text, and nothing of anything else", async () => {
    const { bench } = await planted({
      "long.txt": "x\n".repeat(42),
      "empty.txt": "\n",
      "binary.bin": "a\0b",
    });
    const texts = [];
    for (const filename of ["long.txt", "empty.txt", "binary.bin"]) {
      const { preview } = await bench.try("delete_file", { filename });
      texts.push(preview?.kind === "details" ? preview.text : "");
    }
    assert.deepEqual(texts, [
      `Delete "long.txt" (84 bytes).\n\n${"x\n".repeat(40)}… and 2 more lines`,
      'Delete "empty.txt" (1 byte).',
      'Delete "binary.bin" (3 bytes).',
    ]);
  });

  it("deletes an empty folder", async () => {
    const { bench, folder } = await planted({ "keep.txt": "" });
    await bench.call("create_folder", { folder: "a/b" });
    const outcome = await bench.call("delete_file", { filename: "a/b" });
    assert.deepEqual(
      [outcome, await grown(folder)],
      [
        { status: "done", output: 'Deleted the empty folder "a/b".' },
        { "a/": "", "keep.txt": "" },
      ],
    );
  });

  /** What is not deleted, and what the model is told. */
  const REFUSED: readonly (readonly [string, string])[] = [
    [".", "The workspace folder itself is never deleted."],
    ["lib", 'The folder "lib" holds 2 entries. Delete its files one by one, or all of it with execute_shell.'],
    ["b.txt", 'There is no file "b.txt". Nearest: "a.txt".'],
    ["link", '"link" is a symbolic link to "a.txt". Delete "a.txt" itself, or the link with execute_shell.'],
  ];

  for (const [filename, error] of REFUSED)
    it(`does not delete ${filename}`, async () => {
      const { bench } = await planted({ "a.txt": "", "lib/x": "", "lib/y": "", link: { link: "a.txt" } });
      assert.deepEqual(await bench.try("delete_file", { filename }), {
        outcome: { status: "failed", error },
      });
    });
});

describe("create_folder", () => {
  const planted = plantedBenches();

  it("makes a folder and those above it", async () => {
    const { bench, folder } = await planted({});
    assert.deepEqual(
      [await bench.try("create_folder", { folder: "a/b" }), await grown(folder)],
      [
        {
          preview: { kind: "details", text: 'Create the folder "a/b".' },
          outcome: { status: "done", output: 'Created the folder "a/b".' },
        },
        { "a/b/": "" },
      ],
    );
  });

  it("says when it is there already, or a file is", async () => {
    const { bench } = await planted({ "a/b.txt": "" });
    assert.deepEqual(
      [await bench.call("create_folder", { folder: "a" }), await bench.call("create_folder", { folder: "a/b.txt" })],
      [
        { status: "done", output: 'The folder "a" already exists.' },
        { status: "failed", error: '"a/b.txt" is a file, so no folder can be there. Choose another name.' },
      ],
    );
  });
});
