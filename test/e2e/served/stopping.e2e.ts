import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { runPaletteAction } from "../support/quick-input.ts";
import { cardButton, endCard, eventsOf, startRun, typed } from "../support/runs.ts";
import { complete, read, shell } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

const NEVER = new Promise<never>(() => undefined);

/** Whether a process is still there; one that has ended and waits for its parent does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = fs.existsSync(`/proc/${pid}/stat`) ? fs.readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return !/\) Z /.test(stat);
}

/** The number in a file, once its line is written to its end. */
function wholeNumber(file: string): number | undefined {
  const [, digits] = /^(\d+)\n$/.exec(fs.readFileSync(file, "utf8")) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Says something in the panel, and waits until it is shown: whatever the panel sent before has been heard by then. */
async function sayAndSee(page: Page, words: string): Promise<void> {
  await panel(page).getByRole("textbox", { name: /^Say/ }).fill(words);
  await panel(page).getByRole("button", { name: "Send" }).click();
  await panel(page).locator(".queued").getByText(words).waitFor();
}

describe("stopping", () => {
  const onStage = useStage();

  it("during a stream disconnects from the model's server at once", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    const before = model.server.abandoned;
    await startRun(stage, "Think long", read("README.md", { until: NEVER }));
    await panel(page).getByText("I read").first().waitFor();
    await panel(page).getByRole("button", { name: "Stop", exact: true }).click();
    await endCard(page, "Stopped").waitFor();
    await eventually("The end of the stream", () => model.server.abandoned > before);

    assert.deepEqual(typed(eventsOf(folder), "over").at(-1)?.end, { reason: "stopped" });
  });

  it("ends a running command with its children", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = path.join(folder, "child.pid");
    await startRun(stage, "Wait", shell("sleep 600 & echo $! > child.pid; wait"));
    await cardButton(page, 1, "Approve").click();
    const pid = await eventually("A child", () => fs.existsSync(file) && wholeNumber(file));
    const before = isAlive(pid);
    await runPaletteAction(page, "AutoGPT: Stop Agent");
    await endCard(page, "Stopped").waitFor();
    await eventually("The end of the child", () => !isAlive(pid));

    assert.equal(before, true);
  });
});

describe("pausing", () => {
  const onStage = useStage();

  it("lets the step be ended, and nothing more is asked before the run is continued", async () => {
    const stage = onStage();
    const { page, model } = stage;
    const thinking = Promise.withResolvers<void>();
    await startRun(stage, "Read", read("README.md", { until: thinking.promise }), complete());
    await panel(page).getByText("I read").first().waitFor();
    await panel(page).getByRole("button", { name: "Pause", exact: true }).click();
    await sayAndSee(page, "Take your time.");
    thinking.resolve();
    await endCard(page, "Paused").waitFor();
    const asked = model.asked();
    await runPaletteAction(page, "AutoGPT: Continue Agent");
    await endCard(page, "Finished").waitFor();

    assert.deepEqual([asked, model.asked()], [1, 2]);
  });

  it("comes by itself when the server is gone, and continuing helps once it is back", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    await model.server.close();
    await startRun(stage, "Ask", complete());
    await endCard(page, "Paused: action required").waitFor();
    const reason = typed(eventsOf(folder), "paused").at(-1)?.reason ?? "";
    await model.server.reopen();
    await panel(page).locator(".card.paused").getByRole("button", { name: "Continue" }).click();
    await endCard(page, "Finished").waitFor();

    assert.match(reason, /^Can't reach http\S+\. .*autogpt\.model\.baseUrl/);
  });
});
