import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { HOOKS } from "../../../src/plugins/hooks.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { HOSTILE, type PluginRunResult, runWithPlugins } from "../../support/hostile-runs.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

/** A busy machine may be late by this much. The bench reports exact figures. */
const LATE_MS = 3000;

/** Results of the calls of hooks, without those after the plugin was turned off. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  "endless-loop": /^(failed: (no answer within 1 s|it was stuck, so it was ended),?){3}$/,
  "never-settles": /^(failed: no answer within 1 s,?){3}$/,
  "never-reads":
    /^((failed: (no answer within 1 s|it was stuck, so it was ended|its process ended .+?)|changed: note),?)+$/,
  exits: /^(failed: its process ended with exit code 0,?){3}$/,
  "takes-memory": /^(failed: .+?,?){3}$/,
  "prints-much": /^(none: ,?){3,}$/,
  "throws-null": /^((failed: |none: )[^,]*,?)+$/,
  "exports-null": /^(failed: index.mjs must export an object with hooks [^,]*,?){3}$/,
  pollutes: /^((none: |failed: )[^,]*,?)+$/,
  "fork-bomb": /^(failed: .+?,?){3}$/,
  "replaces-read-file": /^changed: commands$/,
  "answers-allow": /^(none: ,?)+$/,
};

describe("hostile plugins in folders", () => {
  let without: PluginRunResult;
  before(async () => {
    without = await runWithPlugins(server(), await tempFolder(), []);
  });

  it("all of them have a test, and a run without them ends", () => {
    const names = readdirSync(HOSTILE).toSorted();
    assert.deepEqual(
      { names, end: without.end, count: without.seen.length, hooked: without.hooked, left: without.left },
      { names: Object.keys(EXPECTED).toSorted(), end: "finished", count: 4, hooked: [], left: [] },
    );
  });

  for (const [name, expected] of Object.entries(EXPECTED))
    it(`${name}: the run ends as without it, in time, and leaves no process`, async () => {
      const run = await runWithPlugins(server(), await tempFolder(), [join(HOSTILE, name)]);
      const calls = run.hooked.map(({ result, why = "" }) => `${result}: ${why}`);
      const late = run.hooked.filter(({ hook, ms }) => ms > HOOKS[hook].limitMs + LATE_MS);
      assert.match(calls.join(","), expected);
      assert.deepEqual(
        { end: run.end, seen: run.seen, left: run.left, late },
        { end: "finished", seen: without.seen, left: [], late: [] },
      );
    }).timeout(120_000);
});
