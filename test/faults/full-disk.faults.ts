import assert from "node:assert/strict";
import { type DiskRun, diskRun, EVENTS } from "../support/disk-runs.ts";
import { DISK_FAULTS, type DiskFault } from "../support/faulty-disk.ts";
import { tempFolders } from "../support/temp-folders.ts";

const tempFolder = tempFolders();

/** As it should be: it fails and says why, loses nothing that was acknowledged, does nothing twice, and ends well once the disk works. */
function asItShouldBe(run: DiskRun): boolean {
  const failed = run.first === "failed" || run.first === "not begun";
  return failed && run.told && run.lost === 0 && run.twice.length === 0 && run.last === "finished";
}

describe("a run whose disk fails", function () {
  this.timeout(0);

  for (const fault of DISK_FAULTS)
    it(`with ${fault} at any of its events loses nothing and continues once the disk works`, async () => {
      const wrong: (readonly [number, DiskRun])[] = [];
      for (let at = 1; at < EVENTS - 1; at++) {
        const run = await diskRun(await tempFolder(), fault satisfies DiskFault, at);
        if (!asItShouldBe(run)) wrong.push([at, run]);
      }
      console.log(`      ${EVENTS - 2} runs, ${wrong.length} not as they should be`);
      assert.deepEqual(wrong, []);
    });
});
