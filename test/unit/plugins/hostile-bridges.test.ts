import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { type PluginRunResult, runWithPlugins } from "../../support/hostile-runs.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");

/** A busy machine may be late by this much. */
const LATE_MS = 3_000;

/** A hostile plugin, the results of its hooks, and the time limit of each in milliseconds. */
interface Hostile {
  readonly expected: RegExp;
  readonly limitMs: number;
}

const NO_ANSWER = "failed: (no answer within \\d+ s|it was stuck, so it was ended)";

const PYTHON: Readonly<Record<string, Hostile>> = {
  "answers-allow": { expected: /^(none: ,?)+$/, limitMs: 5_000 },
  "endless-loop": {
    expected: /^(failed: (no answer within 1 s|it was stuck, so it was ended),?){3}$/,
    limitMs: 1_000,
  },
  exits: {
    expected: new RegExp(`^((failed: its process ended with exit code 0|${NO_ANSWER}),?){3}$`),
    limitMs: 1_000,
  },
  "exports-null": { expected: /^$/, limitMs: 0 },
  "fork-bomb": { expected: /^(failed: .+?,?){3}$/, limitMs: 5_000 },
  "never-reads": { expected: new RegExp(`^(${NO_ANSWER},?){3}$`), limitMs: 1_000 },
  "never-settles": { expected: new RegExp(`^(${NO_ANSWER},?){3}$`), limitMs: 1_000 },
  pollutes: { expected: new RegExp(`^(${NO_ANSWER},?){3}$`), limitMs: 5_000 },
  "prints-much": { expected: /^((none: |failed: no answer within 5 s),?)+$/, limitMs: 5_000 },
  "raises-none": { expected: /^(failed: SystemExit[^,]*,?){3}$/, limitMs: 5_000 },
  "replaces-read-file": { expected: /^changed: commands$/, limitMs: 2_000 },
  "takes-memory": { expected: /^(failed: .+?,?){3}$/, limitMs: 5_000 },
};

const HOOKS: Readonly<Record<string, Hostile>> = {
  "answers-allow": { expected: /^(none: ,?)+$/, limitMs: 1_000 },
  "endless-loop": {
    expected: /^(failed: (no answer within 1 s|it was stuck, so it was ended),?){3}$/,
    limitMs: 1_000,
  },
  exits: { expected: /^(failed: it was killed,?){3}$/, limitMs: 1_000 },
  "exports-null": { expected: /^$/, limitMs: 0 },
  "fork-bomb": { expected: /^((none: |failed: it was killed),?)+$/, limitMs: 10_000 },
  "never-reads": { expected: /^(none: ,?)+$/, limitMs: 5_000 },
  "never-settles": { expected: /^(failed: no answer within 1 s,?){3}$/, limitMs: 1_000 },
  pollutes: { expected: /^(none: ,?)+$/, limitMs: 1_000 },
  "prints-much": { expected: /^(failed: it printed more than 1 MB,?){3}$/, limitMs: 10_000 },
  "replaces-read-file": { expected: /^none: $/, limitMs: 1_000 },
  "takes-memory": { expected: /^((none: |failed: .+?),?)+$/, limitMs: 10_000 },
  "throws-null": { expected: /^(none: ,?)+$/, limitMs: 1_000 },
};

describe("a command hook that wants no more", () => {
  const server = serverForSuite();
  const tempFolder = tempFolders();

  it("stops the whole run, and its reason is shown", async () => {
    const folder = await tempFolder();
    const command = `echo '{"continue":false,"stopReason":"Office hours are over"}'`;
    const hooks = { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command }] }] };
    await writeFile(join(folder, "stop.json"), JSON.stringify({ hooks }));
    const { end, left, stderr } = await runWithPlugins(server(), folder, [join(folder, "stop.json")]);
    assert.deepEqual(
      { end, left, isShown: stderr.includes("The hooks in stop.json stopped this: Office hours are over") },
      { end: "stopped", left: [], isShown: true },
    );
  }).timeout(60_000);
});

for (const [folder, ending, all] of [
  ["hostile-python", "", PYTHON],
  ["hostile-hooks", ".json", HOOKS],
] as const)
  describe(`hostile plugins in ${folder}`, () => {
    const server = serverForSuite();
    const tempFolder = tempFolders();
    let without: PluginRunResult;
    before(async () => {
      without = await runWithPlugins(server(), await tempFolder(), []);
    });

    it("each has a test", () => {
      const names = readdirSync(join(FIXTURES, folder)).toSorted();
      assert.deepEqual(
        names,
        Object.keys(all).map((name) => name + ending),
      );
    });

    for (const [name, { expected, limitMs }] of Object.entries(all))
      it(`${name}: the run ends as without it, in time, and leaves no process`, async () => {
        const path = join(FIXTURES, folder, name + ending);
        const run = await runWithPlugins(server(), await tempFolder(), [path]);
        const calls = run.hooked.map(({ result, why = "" }) => `${result}: ${why}`);
        const late = run.hooked.filter(({ ms }) => ms > limitMs + LATE_MS);
        assert.match(calls.join(","), expected);
        assert.deepEqual(
          { end: run.end, seen: run.seen, left: run.left, late },
          { end: "finished", seen: without.seen, left: [], late: [] },
        );
      }).timeout(120_000);
  });
