import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../bench/memory/clock.ts";
import { drivenWindow } from "../support/driven-window.ts";
import { soakInHost } from "../support/editor-soak.ts";
import { calling } from "../support/headless.ts";

const STEPS = Number(process.env.FAULTS_EDITOR_STEPS ?? 2000);
const WARM_UP = STEPS / 5;
const MB = 1024 * 1024;
/** Signals with a time limit live until it is over, and more of them the faster the steps are. What comes with each step is more in the end by far. */
const CHANCE = STEPS / 10;

const NOTES = 500;

describe("a run of very many steps in a real VS Code with the panel open", function () {
  this.timeout(0);

  it("does not grow the extension host, and its last steps cost what its first ones did", async () => {
    const asked = { count: 0 };
    const window = await drivenWindow(() => calling("read_file", { filename: `note-${asked.count++ % NOTES}.md` }), {
      "autogpt.run.maxTokens": 1e9,
      "autogpt.run.maxMinutes": 600,
    });
    for (let note = 0; note < NOTES; note++)
      writeFileSync(join(window.folder, `note-${note}.md`), `This is note ${note}.\n`.repeat(20));
    const { steps, held, stepMs } = await window.driver
      .inHost(soakInHost, { steps: STEPS, warmUp: WARM_UP })
      .finally(() => window.close());
    const [warm, half, last] = held;
    assert.ok(warm && half && last);
    const early = median(stepMs.slice(WARM_UP, WARM_UP * 2));
    const late = median(stepMs.slice(-WARM_UP));
    const grownBytes = last.bytes - warm.bytes;
    console.log(
      `      ${steps} steps: ${(grownBytes / MB).toFixed(1)} MB more, ${early.toFixed(1)} ms a step at first, ${late.toFixed(1)} ms in the end`,
    );
    console.log(`      after the warm-up, at half time, in the end: ${JSON.stringify(held)}`);
    const counts = ["resources", "disposables", "signals", "emitters", "listeners"] as const;
    assert.deepEqual(
      {
        steps,
        fewBytes: grownBytes < 50 * MB,
        grown: counts.filter((name) => last[name] - Math.max(warm[name], half[name]) > CHANCE),
      },
      { steps: STEPS, fewBytes: true, grown: [] },
    );
    assert.ok(late < 2 * early + 5, "The last steps cost more than the first ones.");
  });
});
