import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { clickTitleButton, diffEditor } from "../support/diff.ts";
import { takeBothPictures } from "../support/pictures.ts";
import { DRAFT, type PlayedStep } from "../support/played-model.ts";
import { answer, runPaletteAction } from "../support/quick-input.ts";
import { cardButton, cardOf, endCard, eventsOf, toStartPage, typed, untilArmed } from "../support/runs.ts";
import { complete } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

const BUG = "sum - voucher.percent / 100";
const FIX = "sum * (1 - voucher.percent / 100)";

const thinking = Promise.withResolvers<void>();

const STEPS: readonly PlayedStep[] = [
  {
    text: "I look at the test first, to see what is expected of the basket.",
    command: "read_file",
    args: { filename: "test/basket.test.js" },
  },
  {
    text: "The voucher is expected to take off ten per cent. Now the code, to see what it takes off instead.",
    command: "read_file",
    args: { filename: "src/basket.js" },
    until: thinking.promise,
  },
  {
    text: "The percentage is subtracted as if it were cents. I mend that.",
    command: "edit_file",
    args: { filename: "src/basket.js", edits: [{ search: BUG, replace: FIX }] },
  },
  { text: "Only the tests can show it.", command: "execute_shell", args: { command_line: "node --test" } },
  complete("The voucher takes its share off again."),
];

describe("the main job, as it begins", () => {
  const onStage = useStage();

  it("has a page that says what to do, and with which model", async () => {
    const { page, folder } = onStage();
    fs.rmSync(path.join(folder, ".autogpt/profiles"), { recursive: true, force: true });
    await toStartPage(page);
    await panel(page).getByRole("combobox", { name: "Model" }).waitFor();

    await takeBothPictures(page, "start");
  });

  it("drafts a profile from one line, to be reviewed and edited", async () => {
    const { page, model, folder } = onStage();
    model.play(...STEPS);
    await runPaletteAction(page, "AutoGPT: Start Agent");
    await answer(page, /What should the agent do/, "Mend the failing test");
    const name = panel(page).getByRole("textbox", { name: "Name" });
    await name.waitFor();
    await takeBothPictures(page, "profile");
    await name.fill("Voucher-Mender");
    await panel(page).getByLabel("Goals").fill(EDITED.goals.join("\n"));
    await panel(page).getByRole("button", { name: "Start", exact: true }).click();
    await panel(page).locator("#step-1").waitFor();

    const [started] = typed(eventsOf(folder), "started");
    assert.deepEqual([started?.task, started?.profile], ["Mend the failing test", EDITED]);
  });

  it("shows thoughts while the model is still thinking them", async () => {
    const { page, folder } = onStage();
    await panel(page).getByText("The voucher is expected").first().waitFor();
    await takeBothPictures(page, "thoughts");
    const replies = typed(eventsOf(folder), "replied").length;
    thinking.resolve();
    await panel(page).getByText("The percentage is subtracted").first().waitFor();

    assert.equal(replies, 1);
  });
});

const EDITED = { ...DRAFT, name: "Voucher-Mender", goals: DRAFT.goals.slice(0, 2) };

describe("the main job, as it is done", () => {
  const onStage = useStage();
  const basket = (): string => fs.readFileSync(path.join(onStage().folder, "src/basket.js"), "utf8");

  it("shows a proposed change as a diff, and makes it only once it is approved", async () => {
    const { page } = onStage();
    await diffEditor(page).modified.getByText("1 - voucher.percent").first().waitFor();
    await untilArmed(page, 3);
    await takeBothPictures(page, "diff");
    const before = basket();
    await clickTitleButton(page, "Approve Command");
    await cardOf(page, 4).waitFor();

    assert.deepEqual([before.includes(BUG), basket()], [true, before.replace(BUG, FIX)]);
  });

  it("runs an approved command, and reports the result to the agent", async () => {
    const { page, model } = onStage();
    await cardButton(page, 4, "Approve").click();
    await endCard(page, "Finished").waitFor();

    assert.match(model.told(), /Exit code 0.*[#ℹ] pass 3/s);
  });

  it("finishes the task without a question", async () => {
    const { page, folder } = onStage();
    await endCard(page, "Finished").waitFor();
    await takeBothPictures(page, "finished");

    assert.deepEqual(typed(eventsOf(folder), "over").at(-1)?.end, {
      reason: "finished",
      summary: "The voucher takes its share off again.",
    });
  });

  it("says nothing aloud as long as speech is not turned on", async () => {
    const { page } = onStage();
    const speaks = await panel(page)
      .locator("body")
      .evaluate(() => speechSynthesis.speaking || speechSynthesis.pending);

    assert.equal(speaks, false);
  });
});
