import assert from "node:assert/strict";
import type { SuiteOptions } from "../../../src/evals/suite.ts";
import { SUITES } from "../../../src/evals/suites.ts";

const OPTIONS: SuiteOptions = { seed: 1 };

describe("the suites", () => {
  for (const [name, load] of Object.entries(SUITES)) {
    it(`${name} has tasks whose names are its own`, async () => {
      const suite = await load();

      const tasks = await suite.tasks(OPTIONS);

      assert.deepEqual(
        {
          name: suite.name,
          names: new Set(tasks.map((task) => task.name)).size,
        },
        { name, names: tasks.length },
      );
    });
  }
});
