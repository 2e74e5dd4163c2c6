import assert from "node:assert/strict";
import type { SuiteOptions } from "../src/suite.ts";
import { SUITES } from "../src/suites.ts";

const OPTIONS: SuiteOptions = { seed: 1 };
/** Their tasks are read from packages that aren't part of this project. */
const FROM_PACKAGES = ["classic"];

describe("the suites", () => {
  for (const [name, load] of Object.entries(SUITES)) {
    it(`${name} has the name of its row`, async () => assert.equal((await load()).name, name));

    if (FROM_PACKAGES.includes(name)) continue;
    it(`${name} has tasks whose names are its own`, async () => {
      const tasks = await (await load()).loadTasks(OPTIONS);

      assert.equal(new Set(tasks.map((task) => task.name)).size, tasks.length);
    });
  }
});
