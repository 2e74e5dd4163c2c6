import assert from "node:assert/strict";
import { join } from "node:path";
import { createFileLocks } from "../../../../src/runs/store/file-locks.ts";
import type { RunSummary } from "../../../../src/runs/store/run-summary.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { UndoBench } from "../../../support/undo-bench.ts";
import { judged } from "../../safety/readers.ts";
import { CONTINUOUS, writes } from "../../safety/support.ts";

const tempFolder = tempFolders();

/** A run that has written a file, as it is listed. */
async function otherRun(more: Partial<RunSummary> = {}) {
  const root = await tempFolder();
  const folder = join(root, "run");
  await new UndoBench(root, folder).write("a.txt", "the other's\n");
  const summary: RunSummary = {
    ...{ id: "other", task: "Mend it.", name: "Scribe", startedAt: "", state: "open", steps: 1, usd: 0 },
    ...{ unpriced: false, folder, writtenMs: Date.now(), logBytes: 1 },
    ...more,
  };
  return { summary, path: join(root, "a.txt") };
}

describe("a file that another run has changed", () => {
  it("is claimed as long as that run is not over", async () => {
    const claim = async (more: Partial<RunSummary>, own = "mine") => {
      const { summary, path } = await otherRun(more);
      return (await createFileLocks(own, async () => [summary]).findLock(["/elsewhere", path]))?.by;
    };
    assert.deepEqual(
      await Promise.all([
        claim({}),
        claim({ state: "paused", title: "The mending" }),
        claim({ state: "finished" }),
        claim({ writtenMs: 0 }),
        claim({}, "other"),
        claim({ isAgent: true, readOnly: "It works for another run." }),
      ]),
      ["Mend it.", "The mending", undefined, undefined, undefined, "Mend it."],
    );
  });

  it("makes the policy ask, in continuous mode too", async () => {
    const claimed = { path: "a.ts", by: "Mend it." };
    const file = "/home/u/app/src/a.ts";
    assert.deepEqual(
      [await judged(writes(file), { ...CONTINUOUS, claimed }), await judged(writes(file), CONTINUOUS)],
      ["ask claimed-file", "allow continuous"],
    );
  });
});
