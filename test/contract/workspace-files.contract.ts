import assert from "node:assert/strict";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import type { TextFile } from "../../src/core/ports/workspace.ts";
import { grown, plant } from "../support/trees.ts";
import { complaint, type Planted } from "./workspace-under-test.ts";

const PLAIN: Omit<TextFile, "text"> = { encoding: "utf-8", bom: false, eol: "\n" };

/** What every `Workspace` promises of reading, writing, moving and removing. */
export function filesContract(planted: Planted): void {
  keepsForms(planted);
  readsAndWrites(planted);
  losesNothing(planted);
  movesAndRemoves(planted);
}

function keepsForms(planted: Planted): void {
  for (const [what, bytes] of Object.entries(TEXTS))
    it(`gives back the very bytes of ${what}, and keeps the form on a change`, async () => {
      const { workspace, folder } = await planted({ "a.txt": bytes });
      const place = await workspace.locate("a.txt");
      const content = await workspace.read(place);
      assert.equal(content.kind, "text");
      if (content.kind !== "text") return;
      await workspace.write(place, { ...content.file, text: `${content.file.text}A` });
      const after = await workspace.read(await workspace.locate("a.txt"));
      assert.deepEqual(
        {
          bytes: Buffer.from(String((await grown(folder))["a.txt"]), "latin1").subarray(0, bytes.length),
          file: after.kind === "text" ? after.file : after,
        },
        { bytes, file: { ...content.file, text: `${content.file.text}A` } },
      );
    });
}

function readsAndWrites(planted: Planted): void {
  it("creates a file and its folders as plain UTF-8", async () => {
    const { workspace, folder } = await planted({});
    await workspace.write(await workspace.locate("a/b/c.txt"), { ...PLAIN, text: "größer\n" });
    assert.deepEqual(await grown(folder), { "a/b/c.txt": Buffer.from("größer\n").toString("latin1") });
  });

  it("recognizes binary files", async () => {
    const { workspace } = await planted({ "a.png": Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 1]) });
    const { kind } = await workspace.read(await workspace.locate("a.png"));
    assert.equal(kind, "binary");
  });

  it("keeps the mode of a file it replaces, and replaces the file that a link leads to", async () => {
    const { workspace, folder } = await planted({ "run.sh": "echo 1\n", link: { link: "run.sh" } });
    await chmod(join(folder, "run.sh"), 0o754);
    await workspace.write(await workspace.locate("link"), { ...PLAIN, text: "echo 2\n" });
    assert.deepEqual(
      [await grown(folder), (await stat(join(folder, "run.sh"))).mode & 0o777],
      [{ "run.sh": "echo 2\n", link: { link: "run.sh" } }, 0o754],
    );
  });
}

function losesNothing(planted: Planted): void {
  it("never writes over what changed, appeared or went in the meantime", async () => {
    const { workspace, folder } = await planted({ "changed.txt": "one", "gone.txt": "one" });
    const [changed, gone, appeared] = await Promise.all(
      ["changed.txt", "gone.txt", "appeared.txt"].map((path) => workspace.locate(path)),
    );
    await plant(folder, { "changed.txt": "two", "appeared.txt": "two" });
    await workspace.remove(await workspace.locate("gone.txt"));
    const complaints = [];
    for (const place of [changed, gone, appeared])
      if (place) complaints.push(await complaint(workspace.write(place, { ...PLAIN, text: "mine" })));
    assert.deepEqual(
      [complaints.map((text) => /in the meantime/.test(text)), await grown(folder)],
      [[true, true, true], { "changed.txt": "two", "appeared.txt": "two" }],
    );
  });

  it("refuses characters that the file's encoding does not have, and leaves the file as it is", async () => {
    const bytes = Buffer.from("Gr\xf6\xdfe\n", "latin1");
    const { workspace, folder } = await planted({ "a.txt": bytes });
    const place = await workspace.locate("a.txt");
    const file: TextFile = { ...PLAIN, encoding: "iso-8859-1", text: "→\n" };
    assert.match(await complaint(workspace.write(place, file)), /iso-8859-1, which has no "→"/);
    assert.deepEqual(await grown(folder), { "a.txt": bytes.toString("latin1") });
  });

  it("says in a sentence why a folder or a missing file cannot be read", async () => {
    const { workspace } = await planted({ "src/a.txt": "" });
    const names = ["src", "b.txt"];
    assert.deepEqual(
      await Promise.all(names.map(async (path) => complaint(workspace.read(await workspace.locate(path))))),
      ['"src" is a folder. Look into it with list_files.', 'There is no file "b.txt".'],
    );
  });
}

function movesAndRemoves(planted: Planted): void {
  it("moves a file into folders it makes, with its content and mode", async () => {
    const { workspace, folder } = await planted({ "a.bin": Buffer.from([0, 1, 2]) });
    await workspace.move(await workspace.locate("a.bin"), await workspace.locate("x/y/b.bin"));
    assert.deepEqual(await grown(folder), { "x/y/b.bin": "\0\x01\x02" });
  });

  it("never moves over a file that appeared in the meantime", async () => {
    const { workspace, folder } = await planted({ "a.txt": "a" });
    const [from, to] = [await workspace.locate("a.txt"), await workspace.locate("b.txt")];
    await plant(folder, { "b.txt": "b" });
    assert.match(await complaint(workspace.move(from, to)), /already exists/);
    assert.deepEqual(await grown(folder), { "a.txt": "a", "b.txt": "b" });
  });

  it("removes a file, but not one that changed in the meantime", async () => {
    const { workspace, folder } = await planted({ "a.txt": "a", "b.txt": "b" });
    const [a, b] = [await workspace.locate("a.txt"), await workspace.locate("b.txt")];
    await plant(folder, { "b.txt": "changed" });
    const [sentence, refused] = [await workspace.remove(a), await complaint(workspace.remove(b))];
    assert.deepEqual(
      [sentence !== "", /in the meantime/.test(refused), await grown(folder)],
      [true, true, { "b.txt": "changed" }],
    );
  });

  it("makes folders, and removes them only when they are empty", async () => {
    const { workspace, folder } = await planted({ "full/a.txt": "a" });
    await workspace.createFolder(await workspace.locate("x/y"));
    await workspace.createFolder(await workspace.locate("z"));
    await workspace.remove(await workspace.locate("z"));
    assert.match(await complaint(workspace.remove(await workspace.locate("full"))), /not empty/);
    assert.deepEqual(await grown(folder), { "full/a.txt": "a", "x/y/": "" });
  });
}

/** Texts in forms that must survive; each ends where an "A" can follow. */
const TEXTS: Readonly<Record<string, Buffer>> = {
  "UTF-8": Buffer.from("größer 漢字 👋\n"),
  "UTF-8 with a byte order mark": Buffer.from("\ufeffgrößer\n"),
  "Windows line ends": Buffer.from("a\r\nb\r\n"),
  "mixed line ends": Buffer.from("a\r\nb\nc\rd\n"),
  "old Mac line ends": Buffer.from("a\rb\r"),
  "UTF-16 with a mark": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("größer\r\n", "utf16le")]),
  "big-endian UTF-16 with a mark": Buffer.concat([
    Buffer.from([0xfe, 0xff]),
    Buffer.from("größer\n", "utf16le").swap16(),
  ]),
  "UTF-16 without a mark": Buffer.from("plain text in two bytes a letter\n", "utf16le"),
  "Latin-1": Buffer.from("Die Gr\xf6\xdfe der \xc4nderung h\xe4ngt davon ab, wie gro\xdf sie ist.\n", "latin1"),
  GBK: Buffer.from("d6d0b9fac8cbc3f1b9b2bacdb9fab5c4b3c9c1a2d6d0b9fac8cbc3f10a", "hex"),
  "Shift-JIS": Buffer.from("93fa967b8cea82cc8365834c83588367837483408343838b82c582b78142 0a".replace(" ", ""), "hex"),
  "no line end at the end": Buffer.from("a\nb"),
  "nothing but a mark": Buffer.from("\ufeff"),
};
