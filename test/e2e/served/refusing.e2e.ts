import assert from "node:assert/strict";
import { CRITICISM } from "../support/played-model.ts";
import { answer, runPaletteAction } from "../support/quick-input.ts";
import {
  cardButton,
  cardOf,
  chooseDecision,
  decisions,
  eventsOf,
  startRun,
  typed,
  untilArmed,
} from "../support/runs.ts";
import { shell } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

describe("refusing a command", () => {
  const onStage = useStage();

  it("with a reason in the text box passes it to the agent, and the run continues", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    await startRun(stage, "Clean up", shell("touch one"), shell("touch two"));
    await panel(page).getByRole("textbox", { name: "Say something to the agent" }).fill("Leave the files alone.");
    await cardButton(page, 1, "Reject").click();
    await cardOf(page, 2).waitFor();

    assert.deepEqual(
      [decisions(folder), model.told().includes("Leave the files alone.")],
      [["1 refused by user"], true],
    );
  });

  it("by key asks for the reason", async () => {
    const stage = onStage();
    const { page, model } = stage;
    await startRun(stage, "Clean up", shell("touch three"), shell("touch four"));
    await untilArmed(page, 1);
    await cardOf(page, 1).getByRole("heading").click();
    await page.keyboard.press("ControlOrMeta+Alt+n");
    await answer(page, /Tell the agent why/, "Not by key either.");
    await cardOf(page, 2).waitFor();

    assert.match(model.told(), /Not by key either\./);
  });

  it("happens by words said while it waits", async () => {
    const stage = onStage();
    const { page, model } = stage;
    await startRun(stage, "Clean up", shell("touch five"), shell("touch six"));
    await cardOf(page, 1).waitFor();
    await panel(page).getByRole("textbox", { name: "Say something to the agent" }).fill("Look first.");
    await page.keyboard.press("Enter");
    await cardOf(page, 2).waitFor();

    assert.match(model.told(), /The user says: Look first\./);
  });
});

describe("saying something without deciding", () => {
  const onStage = useStage();

  it("while the agent works is kept for its next prompt", async () => {
    const stage = onStage();
    const { page, model } = stage;
    const thinking = Promise.withResolvers<void>();
    await startRun(stage, "Count", shell("echo 1", { until: thinking.promise }), shell("echo 2"));
    await panel(page).getByText("I run").first().waitFor();
    await runPaletteAction(page, "AutoGPT: Give Feedback…");
    await answer(page, /reads this before its next step/, "Count slowly.");
    await panel(page).locator(".queued").getByText("Count slowly.").waitFor();
    thinking.resolve();
    await cardButton(page, 1, "Approve").click();
    await cardOf(page, 2).waitFor();

    assert.match(model.told(), /Count slowly\./);
  });

  it("lets the agent criticise itself, and runs nothing", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    await startRun(stage, "Think", shell("touch never"), shell("touch later"));
    await chooseDecision(page, 1, "Other ways to decide", "Ask for self-review");
    await cardOf(page, 2).waitFor();

    const events = eventsOf(folder);
    assert.deepEqual(
      [typed(events, "said").map(({ by, text }) => `${by}: ${text}`), typed(events, "began")],
      [[`self: ${CRITICISM}`], []],
    );
    assert.ok(model.told().includes(CRITICISM));
  });
});
