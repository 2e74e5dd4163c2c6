import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { testFiles } from "../../../support/test-ripgrep.ts";
import { grown } from "../../../support/trees.ts";

const nfc = (text: string): string => text.normalize("NFC");
const nfd = (text: string): string => text.normalize("NFD");

/** A name on the disk, and how a model writes it. */
const NAMES: readonly (readonly [onDisk: string, called: string])[] = [
  [nfd("déjà vu.txt"), nfc("déjà vu.txt")],
  [nfc("Größe/Übung.txt"), nfd("Größe/Übung.txt")],
  [nfd("한국어/글.txt"), nfc("한국어/글.txt")],
  ["Screenshot 9.41\u202fAM.txt", "Screenshot 9.41 AM.txt"],
  [`${nfd("é")}\u00a0x/a b.txt`, `${nfc("é")} x/a b.txt`],
];

describe("a name in another Unicode form, or with other spaces", () => {
  const planted = plantedBenches();

  before(function () {
    // Its file system takes both forms for one name.
    if (process.platform === "darwin") this.skip();
  });

  for (const [onDisk, called] of NAMES)
    it(`is the file that is there, for every command: ${JSON.stringify(escape(onDisk))}`, async () => {
      const { bench, folder } = await planted({ [onDisk]: "one\ntwo\n" });
      const read = await bench.call("read_file", { filename: called });
      await bench.call("write_to_file", { filename: called, contents: "one\n2\n" });
      await bench.call("edit_file", { filename: called, edits: [{ search: "2", replace: "3" }] });
      await bench.call("append_to_file", { filename: called, contents: "4\n" });
      const after = await grown(folder);
      const moved = await bench.call("move_file", { source: called, destination: "x.txt" });
      await bench.call("write_to_file", { filename: called, contents: "" });
      const removed = await bench.call("delete_file", { filename: called });
      assert.deepEqual(
        [read.status, after, moved.status, removed.status],
        ["done", { [onDisk]: "one\n3\n4\n" }, "done", "done"],
      );
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.endsWith(".txt")),
        ["x.txt"],
      );
    });

  it("is a new file's folder, and each of two such files is its own", async () => {
    const { bench, folder } = await planted({
      [`${nfd("ü")}/${nfc("é")}`]: "c",
      [`${nfd("ü")}/${nfd("é")}`]: "d",
    });
    await bench.call("write_to_file", { filename: `${nfc("ü")}/new`, contents: "n" });
    await bench.call("write_to_file", { filename: `${nfc("ü")}/${nfc("é")}`, contents: "C" });
    await bench.call("write_to_file", { filename: `${nfd("ü")}/${nfd("é")}`, contents: "D" });
    assert.deepEqual(await grown(folder), {
      [`${nfd("ü")}/${nfc("é")}`]: "C",
      [`${nfd("ü")}/${nfd("é")}`]: "D",
      [`${nfd("ü")}/new`]: "n",
    });
  });

  it("is asked for where several names look alike", async () => {
    const { bench } = await planted({ "a\u00a0b": "", "a\u202fb": "" });
    const outcome = await bench.call("read_file", { filename: "a b" });
    assert.equal(outcome.status === "failed" && outcome.error.startsWith('Several names there look like "a b"'), true);
  });

  it("is shown to the policy as the file that is changed", async () => {
    const { bench, folder } = await planted({ [nfd("é.txt")]: "" });
    const prepared = await bench.prepare("write_to_file", { filename: nfc("é.txt"), contents: "x" });
    assert.ok(isPrepared(prepared));
    assert.deepEqual(prepared.touches, [{ path: join(folder, nfd("é.txt")), how: "write" }]);
  });

  it("stays out of bounds, in whichever form the user has excluded it", async () => {
    const { bench } = await planted({
      ".autogptignore": `${nfc("geheim-ü.txt")}\n${nfd("é/")}\n`,
      [nfd("geheim-ü.txt")]: "secret",
      [`${nfc("é")}/a.txt`]: "secret",
    });
    const outcomes = [];
    for (const filename of [nfc("geheim-ü.txt"), nfd("geheim-ü.txt"), `${nfc("é")}/a.txt`, `${nfd("é")}/a.txt`])
      outcomes.push(await bench.call("read_file", { filename }));
    assert.deepEqual(
      outcomes.map((one) => one.status === "failed" && one.error.includes("is out of bounds")),
      [true, true, true, true],
    );
  });

  it("fits a pattern for names, and is the nearest name, with what differs", async () => {
    const { folder } = await planted({ [nfd("Übung 1.txt")]: "", "b/a\u200bb.txt": "" });
    const workspace = createNodeWorkspace({
      folders: [{ name: "project", path: folder }],
      files: testFiles(),
    });
    const { bench } = await planted({}, { workspace });
    const [listed, near] = [
      await bench.call("search_files", { glob: nfc("Übung*.txt") }),
      await bench.call("read_file", { filename: "b/ab.txt" }),
    ];
    assert.deepEqual(
      [listed.status === "done" && listed.output.includes(nfd("Übung 1.txt")), near],
      [
        true,
        {
          status: "failed",
          error: 'There is no file "b/ab.txt". Nearest: "b/a\u200bb.txt", which has "\\u200b" where yours has nothing.',
        },
      ],
    );
  });
});
