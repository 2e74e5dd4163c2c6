import assert from "node:assert/strict";
import { listPastSteps } from "../../../../src/core/events/run-state.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";

const ANSWERS = [..."abcdefgh"].map((title) => says("read_note", { title }));

describe("the past steps of a run", () => {
  const cases: [number, number, readonly number[]][] = [
    [99, 3, [7, 8, 9]],
    [5, 3, [2, 3, 4]],
    [3, 10, [1, 2]],
    [1, 10, []],
    [99, 100, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ];
  for (const [before, count, steps] of cases) {
    it(`are the last ${count} before step ${before}`, async () => {
      const { log } = await rehearse({ answers: [...ANSWERS, says("task_complete", { title: "ok" })] });
      assert.deepEqual(
        listPastSteps(log.events, before, count).map(({ step }) => step),
        steps,
      );
    });
  }

  it("are shown whole", async () => {
    const { log, run } = await rehearse({ answers: [...ANSWERS, says("task_complete", { title: "ok" })] });
    assert.deepEqual(listPastSteps(log.events, 99, 9), run.state.recent);
  });
});
