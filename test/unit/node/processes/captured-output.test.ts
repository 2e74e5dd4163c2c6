import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CapturedOutput } from "../../../../src/node/processes/captured-output.ts";
import { cleanTerminalOutput } from "../../../../src/node/processes/outputs.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

describe("captured output", () => {
  const tempFolder = tempFolders();

  it("stays small however much comes, and keeps the end", async () => {
    const path = join(await tempFolder(), "x", "1.txt");
    const captured = new CapturedOutput(path);
    const chunk = Buffer.from(`${"0123456789".repeat(6)}\n`.repeat(1000));
    for (let count = 0; count < 200; count++) await captured.add(chunk);
    await captured.add(Buffer.from("the end"));
    const { output, bytes, file } = await captured.finish();
    assert.deepEqual(
      [output.length < 48_100, output.endsWith("0123456789\nthe end"), bytes, file, (await readFile(path)).length],
      [true, true, 200 * 61_000 + 7, path, 200 * 61_000 + 7],
    );
  });

  it("keeps no more in the file than fits, and says so there", async () => {
    const path = join(await tempFolder(), "1.txt");
    const captured = new CapturedOutput(path, (text) => text, 10);
    for (const text of ["12345678", "90abc", "def"]) await captured.add(Buffer.from(text));
    assert.deepEqual(
      [await captured.finish(), await readFile(path, "utf8")],
      [{ output: "1234567890abcdef", bytes: 16 }, "1234567890\n[The output after this was not saved.]\n"],
    );
  });

  it("does without the file when that cannot be written", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "file"), "");
    const captured = new CapturedOutput(join(folder, "file", "1.txt"));
    await captured.add(Buffer.from("x".repeat(60_000)));
    const { output, file } = await captured.finish();
    assert.deepEqual([output.length, file], [48_000 + "\n[… the middle is left out here …]\n".length, undefined]);
  });
});

describe("readable output", () => {
  /** What was printed, and what is read. */
  const CASES: readonly (readonly [string, string])[] = [
    ["plain\n\ttext\n", "plain\n\ttext\n"],
    ["a\r\nb\r\n", "a\nb\n"],
    ["10%\r50%\r100%\ndone", "100%\ndone"],
    ["10%\r50%\r", "50%"],
    ["\u001b[1;31mbold\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007", "bold link"],
    ["\u001b[2K\u001b[1Gline\u0007\u0008", "line"],
  ];
  for (const [printed, read] of CASES)
    it(`is ${JSON.stringify(read)} of ${JSON.stringify(printed)}`, () => {
      assert.equal(cleanTerminalOutput(printed), read);
    });
});
