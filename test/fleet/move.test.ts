import assert from "node:assert/strict";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { moveRun, WHOLE } from "../support/moved-runs.ts";

const MOVES = Number(process.env.FLEET_MOVES ?? 50);
/** Some runs are moved twice, and come back to their first machine. */
const TWICE_EVERY = 5;

describe("runs that move between two machines whose programs are killed", function () {
  this.timeout(0);

  it("end as declared, with no effect begun twice", async function () {
    skipIfLacking(this, await explainNoWalls());
    const { lastMs } = await moveRun([]);
    const moved = [];
    const counts = { kills: 0, interruptions: 0 };
    for (let at = 0; at < MOVES; at++) {
      const count = at % TWICE_EVERY === 0 ? 2 : 1;
      const one = await moveRun(Array.from({ length: count }, () => Math.random() * lastMs));
      counts.kills += one.kills;
      counts.interruptions += one.interruptions;
      moved.push(one.moved);
      if (process.env.FLEET_VERBOSE) console.log(`      ${at + 1}: ${JSON.stringify(one)}`);
    }
    console.log(`      ${MOVES} runs, ${counts.kills} kills, ${counts.interruptions} steps declared interrupted`);
    assert.deepEqual(
      moved,
      moved.map(() => WHOLE),
    );
  });
});
