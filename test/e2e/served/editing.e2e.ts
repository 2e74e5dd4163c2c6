import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { eventually } from "../support/eventually.ts";
import { cardButton, cardOf, eventsOf, startRun, typed } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { useStage } from "./stage.ts";

describe("an earlier message", () => {
  const onStage = useStage();

  it("is sent in other words: the run stops, its files go back in one step, and another run continues from there", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    const note = path.join(folder, "in-other-words.txt");
    await startRun(
      stage,
      "Write a note",
      write("in-other-words.txt", "one\n"),
      write("in-other-words.txt", "two\n"),
      complete(),
    );
    await cardButton(page, 1, "Approve").click();
    await cardOf(page, 2).waitFor();
    const written = fs.readFileSync(note, "utf8");
    model.play(write("other.txt", "three\n"));
    await panel(page).getByRole("button", { name: "More actions" }).click();
    await panel(page).getByRole("menuitem", { name: "Edit task…" }).click();
    const box = panel(page).getByRole("textbox", { name: "Edit this message and send it again" });
    const offered = await box.inputValue();
    await box.fill("Write no note");
    await box.press("Enter");
    await panel(page).getByRole("heading", { name: "Write no note" }).waitFor();
    await cardOf(page, 1).waitFor();
    const back = fs.existsSync(note);
    const [started] = typed(eventsOf(folder), "started");
    await page.getByRole("button", { name: "Redo", exact: true }).click();
    await eventually("the redone note", () => fs.existsSync(note));
    assert.deepEqual(
      {
        written,
        offered,
        back,
        task: started?.task,
        isFork: started?.parent !== undefined,
        redone: fs.readFileSync(note, "utf8"),
      },
      { written: "one\n", offered: "Write a note", back: false, task: "Write no note", isFork: true, redone: "one\n" },
    );
  });
});
