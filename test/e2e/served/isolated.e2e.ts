import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { t } from "../../../src/texts/language.ts";
import { git } from "../../support/repositories.ts";
import { answerDialog } from "../support/dialogs.ts";
import { eventually } from "../support/eventually.ts";
import { answer, pick, runPaletteAction } from "../support/quick-input.ts";
import { endCard, eventsOf, toStartPage, typed } from "../support/runs.ts";
import { complete, shell, write } from "../support/steps.ts";
import { reloadWindow } from "../support/vscode.ts";
import { pageInEditor, panel } from "../support/webview.ts";
import { answerToast, editorTab, toast } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** A button of the card at the run's end. */
const endButton = (page: Page, name: string) =>
  panel(page).locator(".card.end").getByRole("button", { name, exact: true });

/** Chooses one of the decisions in the menu of that card. */
async function decide(page: Page, name: string): Promise<void> {
  await endButton(page, "More ways to decide").click();
  await panel(page).getByRole("menuitem", { name, exact: true }).click();
}

/** The mode of the next run, which stays as it was chosen. */
const modeOf = (page: Page) => panel(page).getByRole("combobox", { name: "Mode", exact: true });

/** Sends a task as an isolated run. */
async function startIsolated(page: Page, task: string): Promise<void> {
  await toStartPage(page);
  await modeOf(page).selectOption("Isolated");
  await panel(page).getByRole("textbox", { name: "What should the agent do?" }).fill(task);
  await panel(page).getByRole("button", { name: "Send", exact: true }).click();
}

describe("an isolated run", () => {
  const onStage = useStage();

  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  afterEach(async () => {
    const { page } = onStage();
    await toStartPage(page);
    await modeOf(page).selectOption("Agent");
  });

  it("asks nothing, leaves the workspace alone until its changes are accepted, can be taken back and discarded", async () => {
    const { page, model, folder } = onStage();
    model.play(
      write("made.txt", "the agent's\n"),
      shell("cp made.txt copied.txt && mkdir -p .vscode && echo '{}' > .vscode/tasks.json"),
      complete(),
    );
    await startIsolated(page, "Make two files");
    await endCard(page, "Finished").waitFor();
    await endButton(page, "Accept .vscode/tasks.json").waitFor();
    const file = path.join(folder, "made.txt");
    const before = {
      made: fs.existsSync(file),
      tasks: fs.existsSync(path.join(folder, ".vscode/tasks.json")),
    };

    await endButton(page, "made.txt").click();
    await editorTab(page, /made\.txt: your workspace/).waitFor();
    await endButton(page, "Accept 2 files").click();
    await panel(page).locator(".card.end").getByText("Accepted 2 files into the workspace.").waitFor();
    const accepted = {
      made: fs.readFileSync(file, "utf8"),
      tasks: fs.existsSync(path.join(folder, ".vscode/tasks.json")),
    };
    await decide(page, "Undo accepting…");
    await eventually("The file is gone", () => !fs.existsSync(file));
    await endButton(page, "Accept 2 files").and(page.locator(":enabled")).waitFor();
    await decide(page, "Discard…");
    await answerDialog(page, "Discard");
    await panel(page).locator(".card.end").getByText("Discarded the changes of 3 files.").waitFor();

    const events = eventsOf(folder);
    assert.deepEqual(
      {
        before,
        accepted,
        asked: typed(events, "decided").filter(({ by }) => by === "user").length,
        reviews: typed(events, "reviewed").map(({ what, files }) => [what, [...files].sort()]),
      },
      {
        before: { made: false, tasks: false },
        accepted: { made: "the agent's\n", tasks: false },
        asked: 0,
        reviews: [
          ["accepted", ["copied.txt", "made.txt"]],
          ["withdrawn", ["copied.txt", "made.txt"]],
          ["discarded", [".vscode/tasks.json", "copied.txt", "made.txt"]],
        ],
      },
    );
  });

  it("resumes in its copy after a reload, and its changes can be kept as a branch", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    git(folder, "init", "-q", "-b", "main");
    git(folder, "config", "user.name", "Ada");
    git(folder, "config", "user.email", "ada@example.com");
    git(folder, "add", "README.md");
    git(folder, "commit", "-q", "-m", "First commit");
    try {
      const task = "Survive a reload in a copy";
      model.play(write("stays.txt", "kept\n"));
      await startIsolated(page, task);
      await eventually("The second step", () => model.asked() === 2);
      await reloadWindow(stage);
      model.play(shell("cp stays.txt copied.txt"), complete());
      await answerToast(page, t("actions.restore.interrupted", { task }), "Continue");
      await endCard(page, "Finished").waitFor();
      await decide(page, t("actions.keepAsBranchButton"));
      await answer(page, t("isolation.branchPrompt"), "kept");
      await answer(page, t("isolation.messagePrompt"), "Keep two files");
      await toast(page, t("isolation.branchMade", { name: "kept" })).waitFor();

      const committed = git(folder, "show", "--format=%s by %an", "--name-only", "kept").trim().split(/\n+/);
      assert.deepEqual(
        {
          committed,
          checkedOut: git(folder, "branch", "--show-current").trim(),
          inWorkspace: ["stays.txt", "copied.txt"].filter((name) => fs.existsSync(path.join(folder, name))),
          reviews: typed(eventsOf(folder), "reviewed").map(({ what }) => what),
        },
        {
          committed: ["Keep two files by Ada", "copied.txt", "stays.txt"],
          checkedOut: "main",
          inWorkspace: [],
          reviews: ["branch"],
        },
      );
    } finally {
      fs.rmSync(path.join(folder, ".git"), { recursive: true, force: true });
    }
  });

  it("is found again after a reload by its changes to review, which are open as before", async () => {
    const stage = onStage();
    const { page, model } = stage;
    model.play(write("page.txt", "a page\n"), complete());
    await startIsolated(page, "Make a page");
    await endCard(page, "Finished").waitFor();
    await endButton(page, "Open changes").click();
    const shown = page.locator(".multiDiffEntry").getByText("a page");
    await shown.waitFor();
    await page.waitForTimeout(STORED_MS);
    await reloadWindow(stage);
    await shown.waitFor();
    await panel(page).getByRole("button", { name: "Finished: Make a page Changes to review" }).click();
    await endButton(page, "Accept all").waitFor();
    await runPaletteAction(page, "View: Close All Editors");
  });

  it("can reach the hosts that the user enters on the start page", async () => {
    const { page } = onStage();
    await modeOf(page).selectOption("Isolated");
    for (const [hosts, told] of [
      ["example.com, registries", "only example.com and registries"],
      ["", "off"],
    ] as const) {
      await panel(page).getByRole("button", { name: "Allow hosts…" }).click();
      await answer(page, "Allow hosts", hosts);
      await panel(page).getByText(`Network: ${told}.`).waitFor();
    }
  });

  it("is one of two attempts that the same check compares, and is accepted from their page", async () => {
    const { page, model, folder } = onStage();
    model.play();
    const bothWrite = eventually("Both ways have asked the model", () => model.asked() === 2);
    model.play(write("way.txt", "good\n", { until: bothWrite }), write("way.txt", "bad\n"), complete(), complete());
    await runPaletteAction(page, "AutoGPT: Try Several Approaches…");
    await answer(page, t("isolation.ways.askTask"), "Write way.txt");
    await pick(page, t("isolation.ways.askVariation"), t("isolation.ways.sameButton", { count: 2 }));
    await answer(page, t("isolation.ways.askCheck"), "grep -q good way.txt");

    const ways = pageInEditor(page);
    const [first, second] = [1, 2].map((number) =>
      ways.getByRole("row").filter({ hasText: t("isolation.ways.numbered", { number }) }),
    );
    await first?.getByText(t("isolation.ways.passed")).waitFor();
    await second?.getByText(t("isolation.ways.failed", { code: 1 })).waitFor();
    const before = fs.existsSync(path.join(folder, "way.txt"));
    const name = t("isolation.acceptOf", { file: t("isolation.ways.numbered", { number: 1 }) });
    await ways.getByRole("button", { name, exact: true }).click();
    await endButton(page, t("isolation.undoButton")).waitFor();

    assert.deepEqual(
      { before, accepted: fs.readFileSync(path.join(folder, "way.txt"), "utf8") },
      { before: false, accepted: "good\n" },
    );
    fs.rmSync(path.join(folder, "way.txt"));
  });
});

/** VS Code in a browser stores what views and editors keep every five seconds, and nothing when the page unloads. */
const STORED_MS = 6_500;
