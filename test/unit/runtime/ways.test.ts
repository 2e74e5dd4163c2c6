import assert from "node:assert/strict";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { beginRun } from "../../../src/runtime/compose-run.ts";
import type { LiveComposedRun } from "../../../src/runtime/composed-run.ts";
import { startWays, type Way, type WayResult, type WaysOptions } from "../../../src/runtime/isolated/ways.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { plainIsolation, plainWalls } from "../../support/plain-walls.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { TEST_SETTINGS, testHost } from "../../support/test-host.ts";

const tempFolder = tempFolders();
const FINISH = says("task_complete", { reason: "Done." });
const writing = (contents: string) => says("write_to_file", { filename: "answer.txt", contents });

async function waysOf(models: readonly FakeModel[], more: Partial<WaysOptions> = {}) {
  const [folder, data] = [await tempFolder(), await tempFolder()];
  await writeFile(join(folder, "note.txt"), "old\n");
  const [first = new FakeModel([])] = models;
  const base = testHost({ data, models: { smart: first, fast: first } });
  const host = { ...base, isolation: plainIsolation(plainWalls()) };
  const begun: LiveComposedRun[] = [];
  const task = "Answer.";
  const options: WaysOptions = {
    wanted: {
      ...{ task, folder, profile: completeProfile(task), settings: TEST_SETTINGS },
      models: { smart: first, fast: first },
    },
    ways: models.map((model, at): Way => ({ label: `way ${at + 1}`, models: { smart: model, fast: model } })),
    signal: new AbortController().signal,
    begin: async (wanted) => {
      const run = await beginRun(host, wanted);
      begun.push(run);
      return run;
    },
    ...more,
  };
  return { folder, options, begun };
}

describe("a task that is tried in several ways", () => {
  it("is done in a copy each, checked by the same line and compared, within the budget of one run", async () => {
    skipWithout("a POSIX shell and its programs");
    const models = [new FakeModel([writing("42\n"), FINISH]), new FakeModel([writing("1\n2\n3\n"), FINISH])];
    const { folder, options, begun } = await waysOf(models, { check: "grep -q 42 answer.txt && echo right" });
    const { done, results, onChange } = await startWays(options);
    const states = new Set<string>();
    const stop = onChange(() => {
      for (const { state } of results()) states.add(state);
    });
    const found = await done;
    stop();
    const limits = begun.map(({ run }) => run.state.limits.usd);
    for (const run of begun) await run.dispose();
    assert.deepEqual(
      {
        found: found.map(({ label, state, end, check, steps, changes }: WayResult) => ({
          ...{ label, state, end, steps, changes, check: [check?.code, check?.output] },
        })),
        hasChecked: states.has("checking"),
        runs: found.map(({ run }) => run).join() === begun.map(({ id }) => id).join(),
        limits,
        workspace: await access(join(folder, "answer.txt")).then(
          () => true,
          () => false,
        ),
      },
      {
        found: [
          {
            ...{ label: "way 1", state: "done", end: "finished", steps: 2 },
            ...{ changes: { files: 1, added: 1, removed: 0 }, check: [0, "right\n"] },
          },
          {
            ...{ label: "way 2", state: "done", end: "finished", steps: 2 },
            ...{ changes: { files: 1, added: 3, removed: 0 }, check: [1, ""] },
          },
        ],
        hasChecked: true,
        runs: true,
        limits: [1, 1],
        workspace: false,
      },
    );
  });

  it("continues where one can't start, and says so where none can or where there are too many", async () => {
    const models = [new FakeModel([FINISH]), new FakeModel([FINISH])];
    const { options, begun } = await waysOf(models);
    let starts = 0;
    const begin: WaysOptions["begin"] = (wanted) =>
      ++starts === 1 ? Promise.reject(new Error("No room.")) : options.begin(wanted);
    const { done } = await startWays({ ...options, begin });
    const found = (await done).map(({ state, problem }) => [state, problem]);
    for (const run of begun) await run.dispose();
    const none = () => Promise.reject(new Error("No room."));
    await assert.rejects(startWays({ ...options, begin: none }), /No room/);
    await assert.rejects(startWays({ ...options, ways: Array(9).fill({ label: "x" }) }), /2 to 8 attempts/);
    assert.deepEqual(found, [
      ["failed", "No room."],
      ["done", undefined],
    ]);
  });
});
