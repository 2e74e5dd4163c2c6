import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { answerDialog } from "../support/dialogs.ts";
import { clickTitleButton } from "../support/diff.ts";
import { answer } from "../support/quick-input.ts";
import { cardButton, endCard, startRun, toStartPage } from "../support/runs.ts";
import type { Stage } from "../support/stage.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { chooseFromTreeRowMenu, closePane, openPane, toast, treeRow } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** Has a run write a file, and end. Returns where the file is. */
async function writeFile(stage: Stage, task: string, name: string): Promise<string> {
  await startRun(stage, task, write(name, "the agent's\n"), complete());
  await cardButton(stage.page, 1, "Show diff").click();
  await cardButton(stage.page, 1, "Approve").click();
  await endCard(stage.page, "Finished").waitFor();
  return path.join(stage.folder, name);
}

/** A button of the card at the run's end. */
const endButton = (page: Page, name: string) =>
  panel(page).locator(".card.end").getByRole("button", { name, exact: true });

describe("what a finished run has changed", () => {
  const onStage = useStage();

  it("is undone as a whole after a question, and redone by the button that comes then", async () => {
    const stage = onStage();
    const { page } = stage;
    const file = await writeFile(stage, "Write a file to undo", "undone.txt");
    await endButton(page, "Undo…").click();
    const question = await answerDialog(page, "Undo");
    await endButton(page, "Redo").waitFor();
    const undone = { file: fs.existsSync(file), buttons: await endButton(page, "Undo…").count() };
    await endButton(page, "Redo").click();
    await endButton(page, "Undo…").waitFor();

    assert.match(question, /Undo this run's changes to 1 file\?.*undone\.txt/s);
    assert.deepEqual(
      { undone, redone: fs.readFileSync(file, "utf8"), redos: await endButton(page, "Redo").count() },
      { undone: { file: false, buttons: 0 }, redone: "the agent's\n", redos: 0 },
    );
  });

  const BUTTONS = ["Review changes", "Undo…", ""];

  it("is kept with its buttons when the run was left, got a name in the list and is opened by it", async () => {
    const stage = onStage();
    const { page } = stage;
    const file = await writeFile(stage, "Write a file to keep", "kept.txt");
    await toStartPage(page);
    const recent = panel(page).getByRole("region", { name: "Recent runs" });
    await recent.waitFor();
    await openPane(page, "Runs");
    // The list has them all.
    await recent.waitFor({ state: "detached" });
    await chooseFromTreeRowMenu(page, "Write a file to keep", "Rename Run…");
    await answer(page, "Name (empty: use the task)", "The kept one");
    await treeRow(page, "The kept one").click();
    await endButton(page, "Undo…").waitFor();
    await closePane(page, "Runs");

    assert.deepEqual(
      {
        file: fs.readFileSync(file, "utf8"),
        title: await panel(page).locator("h1.task").textContent(),
        buttons: (await panel(page).locator(".card.end .row").first().getByRole("button").allTextContents()).map(
          (button) => button.trim(),
        ),
      },
      { file: "the agent's\n", title: "The kept one", buttons: BUTTONS },
    );
  });

  it("is committed alone, with a message that can be changed before", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
    git("init", "--quiet");
    git("config", "user.name", "A Tester");
    git("config", "user.email", "tester@localhost");
    try {
      await writeFile(stage, "Write a file to commit", "committed.txt");
      fs.writeFileSync(path.join(folder, "mine.txt"), "mine\n");
      await endButton(page, "Review changes").click();
      await clickTitleButton(page, "Commit the Changes of a Run");
      await answer(page, "Commit 1 file", "Add the committed file");
      await toast(page, /Committed as [0-9a-f]+\./).waitFor();

      assert.deepEqual(git("show", "--name-only", "--format=%s", "HEAD").trim().split(/\n+/), [
        "Add the committed file",
        "committed.txt",
      ]);
    } finally {
      fs.rmSync(path.join(folder, ".git"), { recursive: true, force: true });
    }
  });
});
