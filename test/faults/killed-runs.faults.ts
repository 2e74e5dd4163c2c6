import assert from "node:assert/strict";
import { killedRun, type Moment, type Survivor, unharmed } from "../support/killed-runs.ts";

/** The events of a run of twelve steps: five a step, its start and its end. */
const EVENTS = 62;
const RANDOM_MOMENTS = Number(process.env.FAULTS_MOMENTS ?? 100);

/** Kills a run at each of these moments and says how many came to harm, and how many had to be killed at all. */
async function survivorsOf(moments: readonly Moment[]): Promise<readonly Survivor[]> {
  const survivors: Survivor[] = [];
  for (const moment of moments) survivors.push(await killedRun(moment));
  console.log(`      ${moments.length} runs, ${survivors.filter(({ killed }) => killed).length} killed in time`);
  return survivors;
}

const asTheyShould = (survivors: readonly Survivor[]) => survivors.map(({ killed }) => unharmed(killed));

describe("a run of twelve steps in a process that is killed", function () {
  this.timeout(0);
  if (process.platform === "win32") return;

  it("ends the same after a kill at each of its events", async () => {
    const survivors = await survivorsOf(Array.from({ length: EVENTS }, (_, index) => ({ events: index + 1 })));
    assert.deepEqual(survivors, asTheyShould(survivors));
  });

  it("ends the same after a kill at any moment", async () => {
    const start = performance.now();
    await killedRun({ ms: 2 ** 30 });
    const longestMs = performance.now() - start;
    const moments = Array.from({ length: RANDOM_MOMENTS }, () => ({ ms: Math.random() * longestMs }));
    const survivors = await survivorsOf(moments);
    assert.deepEqual(survivors, asTheyShould(survivors));
  });
});
