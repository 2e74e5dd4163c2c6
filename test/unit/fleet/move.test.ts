import assert from "node:assert/strict";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { moveRun, WHOLE } from "../../support/moved-runs.ts";

describe("a run whose machine is killed", function () {
  this.timeout(0);

  it("ends on another machine, with every effect once and every interruption declared", async function () {
    if ((await findWalls("bubblewrap")).engine === "none") this.skip();
    const moved = [await moveRun([2_500]), await moveRun([3_500])];
    assert.deepEqual(
      moved.map((one) => one.moved),
      [WHOLE, WHOLE],
    );
  });
});
