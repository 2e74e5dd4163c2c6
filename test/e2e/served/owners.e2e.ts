import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { openPage } from "../../host/page.ts";
import { PROGRAM } from "../../support/program.ts";
import { answerDialog } from "../support/dialogs.ts";
import { eventually } from "../support/eventually.ts";
import { MODEL_NAME } from "../support/played-model.ts";
import { pick, runPaletteAction } from "../support/quick-input.ts";
import { decisions, endCard, eventsOf, startRun, typed } from "../support/runs.ts";
import type { Stage } from "../support/stage.ts";
import { complete } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { openViewContainer } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

/** Runs the command line in the workspace, as the user of the window. */
async function runProgram({ folder, server, model }: Stage, ...argv: readonly string[]) {
  const { XDG_DATA_HOME: _data, ...env } = process.env;
  const home = path.join(server.profileFolder, "home");
  const settings = { AUTOGPT_MODEL_SMART: MODEL_NAME, AUTOGPT_MODEL_CONTEXT_WINDOW: "128000" };
  const child = spawn(process.execPath, [PROGRAM, ...argv, "--workspace", folder], {
    env: { ...env, HOME: home, OPENAI_API_KEY: "a-test-key", OPENAI_BASE_URL: model.baseUrl, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, "exit");
  return { code: code as number | null, printed: (await printed).join("\n") };
}

/** A second window on the same folder. */
async function openSecondWindow({ page, server, folder }: Stage): Promise<Page> {
  const second = await page.context().newPage();
  await openPage(second, { port: server.port, workspace: folder });
  await openViewContainer(second, "AutoGPT");
  // The panel takes the keyboard when it's ready, and so would close a palette.
  await panel(second).locator("#composer:focus").waitFor();
  return second;
}

describe("a run in one window, seen from another and from the command line", () => {
  const onStage = useStage();

  it("is shown live and not offered, and goes with the half-typed answer to the one that takes it over", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const ask = { text: "I ask.", command: "ask_user", args: { question: "Tea or coffee?" } };
    await startRun(stage, "Ask me in two windows", ask, ask, complete());
    const answer = (of: Page) => panel(of).getByRole("textbox", { name: "Your answer" });
    await answer(page).fill("Coffee, ple");

    const second = await openSecondWindow(stage);
    await runPaletteAction(second, "AutoGPT: Open Run");
    await pick(second, "Which run?", "Ask me in two windowsRunning in another window");
    await panel(second).getByText("This run is in progress in another VS Code window").waitFor();
    await panel(second).getByText("Tea or coffee?").first().waitFor();
    const seen = {
      toasts: await second.locator(".notification-toast", { hasText: "interrupted" }).count(),
      answer: await answer(second).count(),
    };
    const id = eventsOf(folder).flatMap((event) => (event.type === "started" ? [event.id] : []))[0] ?? "";
    const refused = await runProgram(stage, "--resume", id);

    await panel(second).getByRole("button", { name: "Take over…" }).click();
    const dialog = await answerDialog(second, "Take over");
    await panel(second).getByText("Tea or coffee?").last().waitFor();
    await panel(page).getByText("This run is in progress in another VS Code window").waitFor();
    let moved = "";
    await eventually("The text that was typed in the first window", async () => {
      moved = await answer(second).inputValue();
      return moved !== "";
    });
    await answer(second).press("Enter");
    await panel(second).getByText("The user's answer").or(panel(second).getByText("Coffee, ple")).first().waitFor();
    await panel(page).getByText("Coffee, ple").first().waitFor();

    const taken = await runProgram(stage, "--resume", id, "--take-over", "--yes-to", "task_complete");
    assert.equal(taken.code, 0, taken.printed);
    await endCard(page, "Finished").waitFor();
    await endCard(second, "Finished").waitFor();
    await second.close();
    assert.deepEqual(
      {
        ...seen,
        refused: [refused.code, refused.printed.includes("To continue it here, add --take-over.")],
        dialog: dialog.includes("Its current command is stopped there"),
        moved,
        taken: taken.code,
        decided: decisions(folder).length,
        over: typed(eventsOf(folder), "over").length,
      },
      {
        toasts: 0,
        answer: 0,
        refused: [4, true],
        dialog: true,
        moved: "Coffee, ple",
        taken: 0,
        decided: 3,
        over: 1,
      },
    );
  });
});
