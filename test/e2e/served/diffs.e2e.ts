import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { clickLine, clickRevertArrow, clickTitleButton, diffEditor, linesOf } from "../support/diff.ts";
import { typeUntil } from "../support/keyboard.ts";
import type { PlayedStep } from "../support/played-model.ts";
import { runPaletteAction } from "../support/quick-input.ts";
import { cardButton, cardOf, endCard, startRun, untilArmed } from "../support/runs.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { openFile } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** A diff opens by itself only once nothing was typed in an editor for two seconds, and an earlier test has typed. */
const AFTER_TYPING_MS = 2_500;

const BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const BOTH = "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n";
const LAST_ONLY = "one\ntwo\nthree\nfour\nfive\nSIX\nseven\n";

const edit = (filename: string, search: string, replace: string): PlayedStep => ({
  text: `I change ${filename}.`,
  command: "edit_file",
  args: { filename, edits: [{ search, replace }] },
});

/** A file of the workspace, to be written and read. */
function fileIn(folder: string, name: string) {
  const file = path.join(folder, name);
  return { put: (text: string) => fs.writeFileSync(file, text), text: () => fs.readFileSync(file, "utf8") };
}

describe("a proposed diff", () => {
  const onStage = useStage();

  it("is written as the user edited it, and the agent is notified", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    await startRun(stage, "Write", write("edited.txt", "By the agent.\n"), complete());
    await clickLine(diffEditor(page).modified, "By the agent.");
    await page.keyboard.type(" And by the user.");
    await untilArmed(page, 1);
    await panel(page).locator(".tag.edited").waitFor();
    await clickTitleButton(page, "Approve with Your Changes");
    await endCard(page, "Finished").waitFor();
    // The written file stays open in place of the diff.
    await page.locator('.tab.active[data-resource-name="edited.txt"] .label-name').waitFor();

    assert.equal(await diffEditor(page).whole.count(), 0);
    assert.equal(fileIn(folder, "edited.txt").text(), "By the agent. And by the user.\n");
    assert.match(model.told(), /And by the user\./);
  });

  it("loses a hunk, gets it back, and loses it again by VS Code's own arrow", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = fileIn(folder, "hunks.txt");
    file.put(BEFORE);
    await startRun(stage, "Shout", write("hunks.txt", BOTH), complete());
    const diff = diffEditor(page);
    const { modified } = diff;
    await cardButton(page, 1, "Show diff").click();
    await clickLine(modified, "TWO");
    await clickTitleButton(page, "Drop Change at Cursor");
    await modified.getByText("two", { exact: true }).first().waitFor();
    const dropped = (await linesOf(modified)).join("\n");
    await runPaletteAction(page, "AutoGPT: Restore Change at Cursor");
    await modified.getByText("TWO", { exact: true }).first().waitFor();
    await clickRevertArrow(diff, "TWO");
    await page.locator(".statusbar-item", { hasText: "1 change dropped. The proposal is now +1 −1." }).waitFor();
    await panel(page)
      .getByRole("log")
      .getByText("1 change dropped. The proposal is now +1 −1.")
      .last()
      .waitFor({ state: "attached" });
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();

    assert.deepEqual([dropped, file.text()], [LAST_ONLY, LAST_ONLY]);
  });
});

describe("the editor's columns", () => {
  const onStage = useStage();

  it("are two at most, and one after another change is approved by key", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await runPaletteAction(page, "View: Close All Editors");
    fileIn(folder, "mine.txt").put("mine\n");
    const thinking = Promise.withResolvers<void>();
    const steps = ["one", "two", "three"].map((name) => write(`${name}.txt`, `${name}\n`));
    const [first = steps[0], ...others] = steps;
    await startRun(
      stage,
      "Write three files",
      { ...first, until: thinking.promise } as PlayedStep,
      ...others,
      complete(),
    );
    await openFile(page, path.join(folder, "mine.txt"));
    await page.waitForTimeout(AFTER_TYPING_MS);
    thinking.resolve();
    const groups = page.locator(".editor-group-container");
    const seen: number[] = [];
    for (const [index, name] of ["one", "two", "three"].entries()) {
      await diffEditor(page).modified.getByText(name, { exact: true }).first().waitFor();
      if (index === 0) await diffEditor(page).modified.getByText(name, { exact: true }).first().click();
      await untilArmed(page, index + 1);
      seen.push(await groups.count());
      await page.keyboard.press("ControlOrMeta+Alt+y");
    }
    await endCard(page, "Finished").waitFor();
    seen.push(await groups.count());

    assert.deepEqual([seen, fileIn(folder, "three.txt").text()], [[2, 2, 2, 2], "three\n"]);
  });
});

describe("a file that is not as the agent knew it", () => {
  const onStage = useStage();

  it("is previewed again when it has changed underneath, and nothing is lost", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = fileIn(folder, "moved.txt");
    file.put("old\n");
    await startRun(stage, "Renew", edit("moved.txt", "old", "new"), complete());
    await cardButton(page, 1, "Show diff").click();
    await untilArmed(page, 1);
    file.put("first\nold\n");
    await cardButton(page, 1, "Approve").click();
    await diffEditor(page).modified.getByText("first").first().waitFor();
    const meanwhile = file.text();
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();

    assert.deepEqual([meanwhile, file.text()], ["first\nold\n", "first\nnew\n"]);
  });

  it("is not written under its old name when it was renamed underneath, and the agent is notified", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    fileIn(folder, "old-name.txt").put("old\n");
    await startRun(stage, "Renew", edit("old-name.txt", "old", "new"), complete());
    await cardButton(page, 1, "Show diff").click();
    await untilArmed(page, 1);
    fs.renameSync(path.join(folder, "old-name.txt"), path.join(folder, "new-name.txt"));
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();

    assert.deepEqual(
      [fs.existsSync(path.join(folder, "old-name.txt")), fileIn(folder, "new-name.txt").text()],
      [false, "old\n"],
    );
    assert.match(model.told(), /old-name/);
  });

  it("is not covered by a diff while someone types in it, and is saved before it is changed", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = fileIn(folder, "typed.txt");
    file.put("old\n");
    const thinking = Promise.withResolvers<void>();
    await startRun(stage, "Renew", { ...edit("typed.txt", "old", "new"), until: thinking.promise }, complete());
    await openFile(page, path.join(folder, "typed.txt"));
    await page.locator(".editor-group-container.active .view-line").first().click();
    await page.keyboard.press("Home");
    const again = cardButton(page, 1, "Save first");
    const typed = await typeUntil(page, async (length) => {
      if (length === 5) thinking.resolve();
      return again.isVisible();
    });
    const diffs = await diffEditor(page).whole.count();
    await again.click();
    await again.waitFor({ state: "detached" });
    await cardButton(page, 1, "Show diff").click();
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();

    assert.deepEqual([diffs, file.text()], [0, `${typed}new\n`]);
  });

  it("is changed in its editor while it isn't saved, and then saved from the panel", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const file = fileIn(folder, "unsaved.txt");
    file.put("old\n");
    await openFile(page, path.join(folder, "unsaved.txt"));
    await page.locator(".editor-group-container.active .view-line").first().click();
    await page.keyboard.press("Home");
    await page.keyboard.type("my ");
    await startRun(stage, "Renew", edit("unsaved.txt", "old", "new"), complete());
    await cardOf(page, 1).getByText("It will be changed in the editor, not on disk.").waitFor();
    await cardButton(page, 1, "Show diff").click();
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();
    const approved = file.text();
    const save = panel(page).getByRole("button", { name: "Save", exact: true });
    await save.click();
    await save.waitFor({ state: "detached" });

    assert.deepEqual([approved, file.text()], ["old\n", "my new\n"]);
  });
});
