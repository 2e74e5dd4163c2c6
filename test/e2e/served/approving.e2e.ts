import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { answerDialog } from "../support/dialogs.ts";
import { diffEditor } from "../support/diff.ts";
import { eventually } from "../support/eventually.ts";
import { runPaletteAction } from "../support/quick-input.ts";
import { cardOf, chooseDecision, decisions, endCard, eventsOf, startRun, typed, untilArmed } from "../support/runs.ts";
import { complete, shell, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { answerToast, openFile, openViewContainer } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

const APPROVE_KEY = "ControlOrMeta+Alt+y";

describe("approving one command", () => {
  const onStage = useStage();
  it("by key in the panel does nothing in the first half second, however often it is pressed", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Greet", shell("echo one"), shell("echo two"));
    await panel(page).getByRole("heading", { name: "Greet" }).click();
    await eventually("A decision", async () => {
      await page.keyboard.press(APPROVE_KEY);
      return typed(eventsOf(folder), "decided").length > 0;
    });

    const [proposed, decided] = [...typed(eventsOf(folder), "replied"), ...typed(eventsOf(folder), "decided")];
    const afterMs = Date.parse(decided?.at ?? "") - Date.parse(proposed?.at ?? "");
    assert.deepEqual([decisions(folder)[0], afterMs >= 500], ["1 allowed by user", true]);
  });

  it("by key in the diff writes what the diff contains", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Write a note", write("notes/key.txt", "By key.\n"), complete());
    await diffEditor(page).modified.getByText("By key.").click();
    await untilArmed(page, 1);
    await page.keyboard.press(APPROVE_KEY);
    await endCard(page, "Finished").waitFor();

    assert.equal(fs.readFileSync(path.join(folder, "notes/key.txt"), "utf8"), "By key.\n");
  });

  it("by key writes a change from another file's editor and from the terminal", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const other = path.join(folder, "other.txt");
    fs.writeFileSync(other, "Mine.\n");
    const thinking = Promise.withResolvers<void>();
    const first = { ...write("notes/one.txt", "One.\n"), until: thinking.promise };
    await startRun(stage, "Write two notes", first, write("notes/two.txt", "Two.\n"), complete());
    await openFile(page, other);
    await page.locator(".editor-group-container.active .view-line").first().click();
    thinking.resolve();
    await untilArmed(page, 1);
    await page.keyboard.press(APPROVE_KEY);
    await cardOf(page, 2).waitFor();
    await runPaletteAction(page, "Terminal: Create New Terminal");
    await page.locator(".terminal.xterm.focus").waitFor();
    await untilArmed(page, 2);
    await page.keyboard.press(APPROVE_KEY);
    await endCard(page, "Finished").waitFor();

    assert.deepEqual(
      { decided: decisions(folder), other: fs.readFileSync(other, "utf8") },
      { decided: ["1 allowed by user", "2 allowed by user", "3 allowed by rule"], other: "Mine.\n" },
    );
  });

  it("is offered by a notification while the panel is not to be seen", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const thinking = Promise.withResolvers<void>();
    const first = shell("echo from afar", { until: thinking.promise });
    await startRun(stage, "Call", first, write("notes/afar.txt", "Afar.\n"));
    await openViewContainer(page, "Explorer");
    thinking.resolve();
    await answerToast(page, "Call: run this command? echo from afar", "Approve");
    await answerToast(page, "Create notes/afar.txt? +1 −0 · Call", "Review");
    await diffEditor(page).modified.getByText("Afar.").first().waitFor();
    await cardOf(page, 2).waitFor();

    assert.deepEqual(decisions(folder), ["1 allowed by user"]);
  });
});

describe("approving in advance", () => {
  const onStage = useStage();

  it("of the next three commands asks again for the fourth", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Count", shell("echo 1"), shell("echo 2"), shell("echo 3"), shell("echo 4"));
    await chooseDecision(page, 1, "More ways to approve", "Approve next 3");
    await cardOf(page, 4).waitFor();

    assert.deepEqual(decisions(folder), ["1 allowed by user", "2 allowed by grant", "3 allowed by grant"]);
  });

  it("is not needed in continuous mode, which warns first, but sensitive files still ask", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Go on alone", shell("echo a"), shell("echo b"), write(".env", "SECRET=1\n"));
    await cardOf(page, 1).waitFor();
    await runPaletteAction(page, "AutoGPT: Toggle Continuous Mode");
    const warning = await answerDialog(page, "Turn on");
    await cardOf(page, 3).waitFor();

    assert.match(warning, /Continuous mode is dangerous.*next 25 commands will run without asking/s);
    assert.deepEqual(decisions(folder), ["1 allowed by continuous", "2 allowed by continuous"]);
  });
});

describe("a page of another extension", () => {
  const onStage = useStage();

  it("can't approve by keys that its script presses, in an editor or in the side bar", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Greet", shell("echo one"), complete());
    await untilArmed(page, 1);
    await runPaletteAction(page, "Forger: Open Page");
    const forge = page.frameLocator('iframe.webview[src*="forging-extension"]').first().frameLocator("#active-frame");
    const sideBar = page.locator(".part.sidebar");
    await forge.locator("#forge").click();
    // The script's Ctrl+B arrives, so its other keys do as well.
    await sideBar.waitFor({ state: "hidden" });
    await forge.locator("#forge").click();
    await sideBar.waitFor();
    await runPaletteAction(page, "View: Close All Editors");
    await openViewContainer(page, "Forger");
    await forge.locator("#forge").click();
    await sideBar.waitFor({ state: "hidden" });
    const forged = decisions(folder);
    await runPaletteAction(page, "AutoGPT: Focus the Text Box");
    await untilArmed(page, 1);
    await panel(page).locator("textarea:focus").waitFor();
    await page.keyboard.press(APPROVE_KEY);
    await endCard(page, "Finished").waitFor();

    assert.deepEqual([forged, decisions(folder)[0]], [[], "1 allowed by user"]);
  });
});
