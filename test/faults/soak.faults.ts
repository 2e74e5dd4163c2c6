import assert from "node:assert/strict";
import { soak } from "../support/soak.ts";
import { tempFolders } from "../support/temp-folders.ts";

const tempFolder = tempFolders();
const STEPS = Number(process.env.FAULTS_STEPS ?? 10_000);
const WARM_UP = STEPS / 10;
const MB = 1024 * 1024;

describe("a run of very many steps", function () {
  this.timeout(0);

  it("does not grow, and its last steps cost what its first ones did", async () => {
    const { steps, grownBytes, grownResources, earlyStepMs, lateStepMs } = await soak(
      await tempFolder(),
      STEPS,
      WARM_UP,
    );
    console.log(
      `      ${steps} steps: ${(grownBytes / MB).toFixed(1)} MB and ${grownResources} resources more, ${earlyStepMs.toFixed(2)} ms a step at first, ${lateStepMs.toFixed(2)} ms in the end`,
    );
    assert.deepEqual(
      { steps, fewBytes: grownBytes < 50 * MB, grownResources: Math.max(0, grownResources) },
      { steps: STEPS, fewBytes: true, grownResources: 0 },
    );
    assert.ok(lateStepMs < 2 * earlyStepMs + 1, "The last steps cost more than the first ones.");
  });
});
