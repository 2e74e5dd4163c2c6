import assert from "node:assert/strict";
import { diskRun } from "../../support/disk-runs.ts";
import { DISK_FAULTS } from "../../support/faulty-disk.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("a run whose disk fails once", () => {
  for (const fault of DISK_FAULTS)
    it(`with ${fault} says what to do, loses nothing and continues`, async () => {
      assert.deepEqual(await diskRun(await tempFolder(), fault, 9), {
        ...{ first: "failed", told: true, lost: 0, last: "finished", twice: [] },
      });
    });
});
