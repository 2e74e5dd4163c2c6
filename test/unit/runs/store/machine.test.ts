import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { machineId } from "../../../../src/runs/store/machine.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("the id of this machine", () => {
  it("is made once, kept, and for its owner alone", async () => {
    const folder = join(await tempFolder(), "data");
    const ids = [
      await machineId(folder),
      await machineId(folder),
      (await readFile(join(folder, "machine-id"), "utf8")).trim(),
    ];
    const mode = (await stat(join(folder, "machine-id"))).mode & 0o777;
    assert.deepEqual(
      [new Set(ids).size, ids[0]?.length, process.platform === "win32" || mode === 0o600],
      [1, 36, true],
    );
  });

  it("is the same for all who ask at once", async () => {
    const folder = await tempFolder();
    assert.equal(new Set(await Promise.all(Array.from({ length: 50 }, () => machineId(folder)))).size, 1);
  });

  it("differs between users", async () => {
    assert.notEqual(await machineId(await tempFolder()), await machineId(await tempFolder()));
  });

  it("says what to do when it cannot be kept", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "machine-id"));
    await assert.rejects(
      machineId(folder),
      /^DisplayError: The id of this machine can't be stored in .+machine-id\. Make that file writable/,
    );
    const other = await tempFolder();
    await writeFile(join(other, "machine-id"), "x".repeat(500));
    await assert.rejects(machineId(other), /or remove it if it's damaged/);
  });
});
