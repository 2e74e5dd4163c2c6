import assert from "node:assert/strict";
import { appendFile, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createJournalReader } from "../../../../src/runs/undo/journal-lines.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

const line = (id: number): string => `\n${JSON.stringify({ id, by: "step", step: 1, files: [] })}\n`;

/** A journal of two lines that was read, and how it is read again: by the numbers of its lines. */
async function readOnce() {
  const folder = await tempFolder();
  const path = join(folder, "undo.jsonl");
  await writeFile(path, line(1) + line(2));
  const read = createJournalReader(folder);
  const ids = async () => (await read()).map(({ id }) => id);
  await ids();
  return { path, ids };
}

describe("a journal that is read again", () => {
  it("is read on from where it was left, and what was read is not read again", async () => {
    const { path, ids } = await readOnce();
    const file = await open(path, "r+");
    await file.write(line(9));
    await file.close();
    await appendFile(path, line(3));
    assert.deepEqual(await ids(), [1, 2, 3]);
  });

  it("is read from the start when another one is in its place, and is empty where there is none", async () => {
    const { path, ids } = await readOnce();
    await writeFile(`${path}.new`, line(4) + line(5) + line(6));
    await rename(`${path}.new`, path);
    const anew = await ids();
    await rename(path, `${path}.gone`);
    assert.deepEqual([anew, await ids()], [[4, 5, 6], []]);
  });

  it("leaves out a line that was cut off, and continues after it", async () => {
    const { path, ids } = await readOnce();
    await appendFile(path, line(3).slice(0, 12));
    const cut = await ids();
    await appendFile(path, line(4));
    assert.deepEqual(
      [cut, await ids()],
      [
        [1, 2],
        [1, 2, 4],
      ],
    );
  });
});
