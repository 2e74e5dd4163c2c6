import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { answerDialog } from "../support/dialogs.ts";
import { eventually } from "../support/eventually.ts";
import { endCard, eventsOf, toStartPage, typed } from "../support/runs.ts";
import { complete, shell, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { editorTab } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** A button of the card at the run's end. */
const endButton = (page: Page, name: string) =>
  panel(page).locator(".card.end").getByRole("button", { name, exact: true });

/** The mode of the next run, which stays as it was chosen. */
const modeOf = (page: Page) => panel(page).getByRole("combobox", { name: "Mode", exact: true });

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
    await toStartPage(page);
    const view = panel(page);
    model.play(
      write("made.txt", "the agent's\n"),
      shell("cp made.txt copied.txt && mkdir -p .vscode && echo '{}' > .vscode/tasks.json"),
      complete(),
    );
    await modeOf(page).selectOption("Isolated");
    await view.getByRole("textbox", { name: "What should the agent do?" }).fill("Make two files");
    await view.getByRole("button", { name: "Send", exact: true }).click();
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
    await endButton(page, "Undo accepting…").waitFor();
    const accepted = {
      made: fs.readFileSync(file, "utf8"),
      tasks: fs.existsSync(path.join(folder, ".vscode/tasks.json")),
    };
    await endButton(page, "Undo accepting…").click();
    await eventually("The file is gone", () => !fs.existsSync(file));
    await endButton(page, "Discard…").click();
    await answerDialog(page, "Discard");
    await view.locator(".card.end").getByText("Discarded the changes of 3 files.").waitFor();

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
});
