import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createNodeOutputs, getOutputFile } from "../../../../src/node/processes/outputs.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

describe("the full output of a command", () => {
  const tempFolder = tempFolders();

  it("is read in pieces that cut nothing in two", async () => {
    const folder = await tempFolder();
    const long = `${"x".repeat(700_000)}\n`;
    const lines = Array.from({ length: 60_000 }, (_, line) => `\u001b[31mline ${line} grün\u001b[0m\r\n`);
    await writeFile(getOutputFile(folder, 7), `${lines.join("")}${long}10 %\r100 %\nlast`);
    const plain = lines.map((_, line) => `line ${line} grün\n`);
    assert.equal(await createNodeOutputs(folder).read(7), `${plain.join("")}${long}100 %\nlast`);
  });

  it("is undefined where none was kept", async () => {
    assert.equal(await createNodeOutputs(await tempFolder()).read(7), undefined);
  });
});
