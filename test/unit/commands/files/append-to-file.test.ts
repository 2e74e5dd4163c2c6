import assert from "node:assert/strict";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { grown } from "../../../support/trees.ts";

describe("append_to_file", () => {
  const planted = plantedBenches();

  it("adds exactly what it is given, in the file's line ends, shown as a diff of the whole", async () => {
    const { bench, folder } = await planted({ "a.txt": "one\r\ntwo" });
    const { preview, outcome } = await bench.try("append_to_file", {
      filename: "a.txt",
      contents: "!\nthree\n",
    });
    assert.deepEqual(
      [preview?.kind === "change" && preview.before, outcome, (await grown(folder))["a.txt"]],
      [
        "one\r\ntwo",
        { status: "done", output: 'Added 10 characters to the end of "a.txt".' },
        "one\r\ntwo!\r\nthree\r\n",
      ],
    );
  });

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
