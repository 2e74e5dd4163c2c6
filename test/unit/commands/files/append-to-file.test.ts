import assert from "node:assert/strict";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { grown } from "../../../support/trees.ts";

describe("append_to_file", () => {
  const planted = plantedBenches();

  it("adds exactly what it is given, in the file's line ends, shown as a diff of the whole", async () => {
    const { bench, folder } = await planted({ "a.txt": "one\r\ntwo\r\n" });
    const { preview, outcome } = await bench.try("append_to_file", {
      filename: "a.txt",
      contents: "!\nthree\n",
    });
    assert.deepEqual(
      [preview?.kind === "change" && preview.before, outcome, (await grown(folder))["a.txt"]],
      [
        "one\r\ntwo\r\n",
        {
          status: "done",
          output: 'Added 10 characters to the end of "a.txt".\nIt now reads (4 lines):\n2: two\n3: !\n4: three',
        },
        "one\r\ntwo\r\n!\r\nthree\r\n",
      ],
    );
  });

  /** Bytes of a file, what is added, and the bytes then. */
  const JOINED: readonly (readonly [what: string, before: Buffer, contents: string, after: Buffer])[] = [
    ["a line without an end", Buffer.from("a\nb"), "c", Buffer.from("a\nb\nc")],
    ["one of a file for Windows", Buffer.from("a\r\nb"), "c\n", Buffer.from("a\r\nb\r\nc\r\n")],
    ["one of UTF-16", utf16("a\r\nб"), "c", utf16("a\r\nб\r\nc")],
    ["no text after a byte order mark", Buffer.from("\ufeff"), "c", Buffer.from("\ufeffc")],
    ["a line of old Macs", Buffer.from("a\rb"), "c", Buffer.from("a\rb\rc")],
    ["a text that brings its line end", Buffer.from("a"), "\nc", Buffer.from("a\nc")],
    ["a complete line", Buffer.from("a\n\n"), "c", Buffer.from("a\n\nc")],
    ["an empty file", Buffer.from(""), "c", Buffer.from("c")],
  ];

  function utf16(text: string): Buffer {
    return Buffer.from(`\ufeff${text}`, "utf16le");
  }

  for (const [what, before, contents, after] of JOINED)
    it(`starts a new line and says so, unless there is one: after ${what}`, async () => {
      const { bench, folder } = await planted({ "a.txt": before });
      const outcome = await bench.call("append_to_file", { filename: "a.txt", contents });
      const isParted = after.length > before.length + (await bytesOf(contents, before)).length;
      assert.deepEqual(
        [(await grown(folder))["a.txt"], JSON.stringify(outcome).includes("so one was put between")],
        [after.toString("latin1"), isParted],
      );
    });

  async function bytesOf(contents: string, file: Buffer): Promise<Buffer> {
    const text = file.includes("\r\n") || file.includes("\r\0") ? contents.replaceAll("\n", "\r\n") : contents;
    return file[0] === 0xff ? Buffer.from(text, "utf16le") : Buffer.from(text);
  }

  it("creates the file when it is not there", async () => {
    const { bench, folder } = await planted({});
    await bench.call("append_to_file", { filename: "log/a.txt", contents: "one\n" });
    assert.deepEqual(await grown(folder), { "log/a.txt": "one\n" });
  });

  it("refuses binary files and folders", async () => {
    const { bench } = await planted({ "a.bin": Buffer.from([0]), "src/a.ts": "" });
    assert.deepEqual(
      [
        await bench.call("append_to_file", { filename: "a.bin", contents: "x" }),
        await bench.call("append_to_file", { filename: "src", contents: "x" }),
      ],
      [
        {
          status: "failed",
          error: '"a.bin" is a binary file, so no text can be added to it. Choose another file.',
        },
        { status: "failed", error: '"src" is a folder. Look into it with list_files.' },
      ],
    );
  });
});
