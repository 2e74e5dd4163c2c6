import assert from "node:assert/strict";
import { join } from "node:path";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { createUnsavedWorkspace } from "../../../../src/runtime/unsaved-workspace.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { FakeEditors } from "../../../support/fake-editors.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { grown, plant } from "../../../support/trees.ts";

describe("files with edits that aren't saved", () => {
  const tempFolder = tempFolders();

  /** All commands over a file `a.txt` that was edited to `typed`, with lines that end in `eol`. */
  async function benchOf(typed: string, eol: "\n" | "\r\n" = "\n") {
    const folder = await tempFolder();
    await plant(folder, { "a.txt": "disk\n" });
    const editors = new FakeEditors();
    const path = join(folder, "a.txt");
    editors.type(path, typed, { eol });
    const workspace = createUnsavedWorkspace(
      createNodeWorkspace({ folders: [{ name: "project", path: folder }] }),
      editors,
    );
    const bench = new CommandBench(folder, join(folder, ".autogpt"), { workspace });
    return { folder, bench, inEditor: () => editors.texts.get(path)?.text };
  }

  it("are read as they are in the editor, with a word about it", async () => {
    const { bench } = await benchOf("typed\n");
    assert.deepEqual(await bench.call("read_file", { filename: "a.txt" }), {
      status: "done",
      output:
        "a.txt, 1 line\ntyped\n\n[This is the text in the editor, with edits that aren't saved. The file on disk differs, so programs read another text.]",
    });
  });

  it("are read with a word about it when the editor holds nothing", async () => {
    const { bench } = await benchOf("");
    assert.match(
      JSON.stringify(await bench.call("read_file", { filename: "a.txt" })),
      /a\.txt.{0,3} is empty\..*This is the text in the editor/,
    );
  });

  it("are changed in the editor, not on disk, and the outcome says so", async () => {
    const { bench, folder, inEditor } = await benchOf("one\ntwo\n");
    const edits = [{ search: "two", replace: "2" }];
    const { preview, outcome } = await bench.try("edit_file", { filename: "a.txt", edits });
    assert.deepEqual(
      { preview, outcome, editor: inEditor(), disk: await grown(folder) },
      {
        preview: {
          kind: "change",
          file: "a.txt",
          target: join(folder, "a.txt"),
          before: "one\ntwo\n",
          after: "one\n2\n",
          unsaved: true,
        },
        outcome: {
          status: "done",
          output:
            "Edited \"a.txt\" in 1 place.\nThe change is in the editor, not on disk, because the file has edits there that aren't saved. Programs don't see it until the user saves the file.\nIt now reads (2 lines):\n1: one\n2: 2",
          inEditor: [join(folder, "a.txt")],
        },
        editor: "one\n2\n",
        disk: { "a.txt": "disk\n" },
      },
    );
  });

  it("are rewritten and added to in the editor, with its line ends", async () => {
    const { bench, folder, inEditor } = await benchOf("one\r\n", "\r\n");

    const written = await bench.try("write_to_file", { filename: "a.txt", contents: "1\n2\r\n3\r" });
    const shown = written.preview?.kind === "change" && written.preview.after;
    const rewritten = inEditor();
    await bench.call("append_to_file", { filename: "a.txt", contents: "4\n" });

    assert.deepEqual(
      { shown, rewritten, added: inEditor(), disk: await grown(folder) },
      {
        shown: "1\r\n2\r\n3\r\n",
        rewritten: "1\r\n2\r\n3\r\n",
        added: "1\r\n2\r\n3\r\n4\r\n",
        disk: { "a.txt": "disk\n" },
      },
    );
  });

  it("need another look once they were typed in", async () => {
    const { bench, inEditor } = await benchOf("one\n");
    const prepared = await bench.prepare("edit_file", {
      filename: "a.txt",
      edits: [{ search: "one", replace: "1" }],
    });
    const before = "fresh" in prepared && (await prepared.fresh());
    const other = await bench.prepare("write_to_file", { filename: "a.txt", contents: "typed\n" });
    if ("fresh" in other) await bench.run(other);
    const after = "fresh" in prepared && (await prepared.fresh());
    assert.deepEqual([before, after, inEditor()], [true, false, "typed\n"]);
  });
});
