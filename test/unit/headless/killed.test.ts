import assert from "node:assert/strict";
import { killedRun, unharmed } from "../../support/killed-runs.ts";
import { skipWithout } from "../../support/skips.ts";

/** A decision in the middle, and an end. `npm run test:faults` tries all moments. */
const MOMENTS = [14, 51];

describe("a run in a process that is killed", function () {
  this.timeout(180_000);

  it("is resumed to the same end: nothing missing, nothing done twice", async () => {
    skipWithout("files as POSIX has them");
    const survivors = [];
    for (const events of MOMENTS) survivors.push(await killedRun({ events }));
    assert.deepEqual(
      survivors,
      MOMENTS.map(() => unharmed(true)),
    );
  });
});
