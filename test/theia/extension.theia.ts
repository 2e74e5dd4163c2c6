import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { linesOf } from "../e2e/support/diff.ts";
import { eventually } from "../e2e/support/eventually.ts";
import { MODEL_NAME, type PlayedModel, playedModel } from "../e2e/support/played-model.ts";
import { quickInput, quickPickRow } from "../e2e/support/quick-input.ts";
import { decisions, eventsOf, typed } from "../e2e/support/runs.ts";
import { complete, read, shell, write } from "../e2e/support/steps.ts";
import { listenForTroubles } from "../e2e/support/troubles.ts";
import { launchChromium } from "../host/chromium.ts";
import { ROOT } from "../host/places.ts";
import { copyWorkspace } from "../host/workspace.ts";
import { startTheia, type TheiaServer } from "./server.ts";
import {
  activityIcon,
  answerDialog,
  diff,
  editorTab,
  panel,
  panelButton,
  press,
  runAction,
  statusEntry,
  titleButton,
  toast,
} from "./workbench.ts";

const KEY = "sk-theia";
const STATUS = "autogpt.status";
const APPROVE = /^Approve( with your changes)?$/i;

/** One window, in which each test goes on from the last. */
describe("the packaged extension in Eclipse Theia", function () {
  this.timeout(90_000);
  this.bail(true);

  const workspace = copyWorkspace(path.join(ROOT, "test/fixtures/sample-workspace"));
  let model: PlayedModel;
  let theia: TheiaServer;
  let browser: Browser;
  let page: Page;
  let troubles: readonly string[];

  before(async () => {
    model = await playedModel();
    model.demandKey(KEY);
    theia = await startTheia(workspace.folder, {
      "autogpt.model.baseUrl": model.baseUrl,
      "autogpt.model.timeoutSeconds": 0,
      "files.autoSave": "off",
    });
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(30_000);
    troubles = listenForTroubles(page);
    await page.goto(theia.url);
    await activityIcon(page, "autogpt").waitFor();
  });

  afterEach(async function () {
    if (this.currentTest?.state !== "failed") return;
    await page.screenshot({ path: path.join(ROOT, "test/shots/theia-failed.png") });
    console.error(
      theia
        .output()
        .split("\n")
        .filter((line) => /autogpt|error/i.test(line))
        .slice(-20)
        .join("\n"),
    );
  });

  after(async () => {
    await browser?.close();
    theia?.stop();
    await model?.close();
    workspace.remove();
  });

  /** The folder of the demo, once it runs. */
  const demoFolder = (): string => {
    const demos = path.join(theia.storage, "demo");
    return path.join(demos, fs.readdirSync(demos).sort().at(-1) ?? "");
  };

  /** Waits until a proposal of a step can be approved. */
  async function waitingFor(folder: string, step: number): Promise<void> {
    await eventually(`Step ${step} asks`, () => {
      const asked = typed(eventsOf(folder), "replied").at(-1)?.step === step;
      return asked && typed(eventsOf(folder), "decided").every((decided) => decided.step !== step);
    });
    await panelButton(page, APPROVE).and(page.locator(":enabled")).waitFor();
  }

  async function decided(folder: string, step: number): Promise<string> {
    return eventually(`A decision on step ${step}`, () =>
      decisions(folder).find((decision) => decision.startsWith(`${step} `)),
    );
  }

  /** The outcome of a step, once it has one. */
  async function ended(folder: string, step: number): Promise<string> {
    const end = await eventually(`The end of step ${step}`, () =>
      typed(eventsOf(folder), "ended").find((event) => event.step === step),
    );
    return end.outcome.status;
  }

  /** Starts a run in the workspace, from the start page. */
  async function start(task: string): Promise<void> {
    const box = panel(page).getByRole("textbox", { name: "What should the agent do?" });
    const restart = panel(page)
      .getByRole("button", { name: /^New run$/i })
      .first();
    await box.or(restart).first().waitFor();
    if (!(await box.isVisible())) await press(restart);
    await press(box);
    await box.fill(task);
    await page.keyboard.press("Enter");
    const review = panel(page).getByRole("button", { name: "Start", exact: true });
    await eventually("The run starts", async () => {
      if (typed(eventsOf(workspace.folder), "started").some((event) => event.task === task)) return true;
      if (await review.isVisible()) await press(review);
      return false;
    });
  }

  it("shows its panel at the first click on its icon", async () => {
    await activityIcon(page, "autogpt").click();

    await panel(page).getByRole("textbox", { name: "What should the agent do?" }).waitFor();
    await panelButton(page, /^try the demo$/i).waitFor();
  });

  it("lists its actions in the palette", async () => {
    await page.keyboard.press("F1");
    await quickInput(page).locator("input.input").fill(">AutoGPT: Set API");
    await quickPickRow(page, "AutoGPT: Set API Key…").first().waitFor();
    await page.keyboard.press("Escape");
  });

  it("stores a key that is typed into a hidden field, once the server accepts it", async () => {
    await runAction(page, "AutoGPT: Set API Key…");
    const input = quickInput(page).locator("input[type=password]");
    const server = quickPickRow(page, "127.0.0.1").first();
    await input.or(server).first().waitFor();
    if (await server.isVisible()) await server.click();
    await input.fill(KEY);
    await input.press("Enter");

    await toast(page, /Key accepted/)
      .first()
      .waitFor();
  });

  it("lists the models of the server, and uses the one that is picked", async () => {
    await runAction(page, "AutoGPT: Select Model…");
    await quickPickRow(page, MODEL_NAME).first().click();
    await quickPickRow(page, "Same as main").first().click();

    await toast(page, new RegExp(`New runs use ${MODEL_NAME}`))
      .first()
      .waitFor();
  });

  it("starts the demo from its button", async () => {
    await press(panelButton(page, /^try the demo$/i));
    const folder = await eventually(
      "The demo's folder",
      () => fs.existsSync(path.join(theia.storage, "demo")) && demoFolder(),
    );

    await waitingFor(folder, 4);
  });

  it("shows in the status bar and on its icon that it waits", async () => {
    assert.match((await statusEntry(page, STATUS).textContent()) ?? "", /approval/i);
    await activityIcon(page, "autogpt")
      .locator(".theia-badge-decorator-sidebar, .theia-decorator-sidebar-container")
      .first()
      .waitFor({ state: "attached" });
  });

  it("runs a program in a terminal once that is approved in the panel", async () => {
    await press(panelButton(page, APPROVE));

    assert.equal(await decided(demoFolder(), 4), "4 allowed by user");
    await page.locator(".xterm-rows").filter({ hasText: "1 of 4 checks failed" }).first().waitFor();
  });

  it("opens a proposed change as a diff, in the language of its file", async () => {
    await waitingFor(demoFolder(), 5);
    await editorTab(page, /cart\.mjs/).waitFor();

    await eventually("The proposed line", async () =>
      (await linesOf(diff(page).modified)).some((line) => line.includes("quantity >= 10")),
    );
    await diff(page).modified.locator(".view-line span[class^=mtk]:not(.mtk1)").first().waitFor();
  });

  it("writes what was edited in the diff, approved by the button in the title", async () => {
    await diff(page).modified.locator(".view-line").filter({ hasText: "cartPrice" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(" // edited in Theia");
    await titleButton(page, "autogpt.approveEdited").click();

    assert.equal(await decided(demoFolder(), 5), "5 allowed by user");
    assert.equal(await ended(demoFolder(), 5), "done");
    assert.match(fs.readFileSync(path.join(demoFolder(), "cart.mjs"), "utf8"), /\{ \/\/ edited in Theia$/m);
  });

  it("approves by key in the diff", async () => {
    await waitingFor(demoFolder(), 7);
    await editorTab(page, /NOTES\.md/).waitFor();
    await diff(page).modified.locator(".view-line").first().click();
    await page.keyboard.press("Control+Alt+Y");

    assert.equal(await decided(demoFolder(), 7), "7 allowed by user");
  });

  it("runs the demo to its end", async () => {
    const folder = demoFolder();
    const isOver = () => typed(eventsOf(folder), "over").at(-1);
    const approve = panelButton(page, APPROVE).and(page.locator(":enabled"));
    const end = await eventually("The demo's end", async () => {
      if (!isOver() && (await approve.isVisible())) await press(approve).catch(() => undefined);
      return isOver();
    });
    assert.equal(end.end.reason, "finished");
    await panel(page)
      .getByText(/^Finished$|all checks pass/)
      .first()
      .waitFor();
  });

  it("undoes the run after it was asked", async () => {
    await runAction(page, "AutoGPT: Undo Run");
    const asked = await answerDialog(page, "Undo");

    assert.match(asked, /cart\.mjs/);
    await eventually("The files as before", () => !fs.existsSync(path.join(demoFolder(), "NOTES.md")));
    assert.match(fs.readFileSync(path.join(demoFolder(), "cart.mjs"), "utf8"), /quantity > 10/);
  });

  it("runs in the open folder with the model and the key that were set", async () => {
    model.play(
      read("package.json"),
      write("src/greet.mjs", "export const greet = 1;\nexport const leave = 2;\n"),
      shell("node -e 'console.log(40 + 2)'"),
      complete(),
    );
    await start("Greet the world");
    await waitingFor(workspace.folder, 2);

    assert.equal(model.server.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
  });

  it("rejects with the reason that was typed, and passes it to the model", async () => {
    model.play(write("src/greet.mjs", "export const greet = 3;\n"), shell("node -e 'console.log(40 + 2)'"), complete());
    const box = panel(page).getByRole("textbox").last();
    await press(box);
    await box.fill("Use another number");
    await page.keyboard.press("Enter");

    assert.equal(await decided(workspace.folder, 2), "2 refused by user");
    await waitingFor(workspace.folder, 3);
    assert.match(model.told(), /Use another number/);
  });

  it("drops a hunk and restores it", async () => {
    const text = async () => (await linesOf(diff(page).modified)).join("\n").trim();
    await eventually("The proposed line", async () => (await text()) === "export const greet = 3;");
    await diff(page).modified.locator(".view-line").first().click();
    await titleButton(page, "autogpt.dropHunk").click();
    await eventually("A diff without the hunk", async () => (await text()) === "");
    await titleButton(page, "autogpt.restoreHunk").click();
    await eventually("The hunk again", async () => (await text()) === "export const greet = 3;");
  });

  it("approves from the palette, with its panel hidden", async () => {
    await page.locator('[id="shell-tab-explorer-view-container"]').click();
    await runAction(page, "AutoGPT: Approve Command");

    assert.equal(await decided(workspace.folder, 3), "3 allowed by user");
    assert.equal(await ended(workspace.folder, 3), "done");
    assert.equal(fs.readFileSync(path.join(workspace.folder, "src/greet.mjs"), "utf8"), "export const greet = 3;\n");
  });

  it("asks with a notification while its panel is hidden, which can approve", async () => {
    await eventually("Step 4 asks", () => typed(eventsOf(workspace.folder), "replied").at(-1)?.step === 4);
    const asking = toast(page, "node -e").last();
    const approve = asking.getByRole("button", { name: "Approve" });
    await eventually("An approval", async () => {
      if (await approve.isVisible()) await approve.click({ timeout: 2_000 }).catch(() => undefined);
      return decisions(workspace.folder).some((decision) => decision === "4 allowed by user");
    });
  });

  it("shows the prompt of a step as a document", async () => {
    await eventually("The end", () => typed(eventsOf(workspace.folder), "replied").at(-1)?.step === 5);
    // With the panel hidden: it takes the focus when it is shown, which closes a list.
    await runAction(page, "AutoGPT: Show Prompt of Step");
    await quickPickRow(page, "Step 1").first().click();

    await editorTab(page, /prompt/i)
      .first()
      .waitFor();
  });

  it("lists the runs in its tree, and opens one", async () => {
    await activityIcon(page, "autogpt").click();
    const over = () => typed(eventsOf(workspace.folder), "over").length > 0;
    const approve = panelButton(page, APPROVE).and(page.locator(":enabled"));
    await eventually("The end", async () => {
      if (!over() && (await approve.isVisible())) await press(approve).catch(() => undefined);
      return over();
    });
    const runs = page.locator('[id$="--plugin-view:autogpt.runs"]');
    await runs.locator(".theia-view-container-part-header").click();
    const row = runs.locator(".theia-TreeNode").filter({ hasText: "Greet the world" }).first();
    await row.waitFor();
    await row.dblclick();

    await panel(page).getByText("Greet the world").first().waitFor();
  });

  it("shows all changes of the run", async () => {
    await runAction(page, "AutoGPT: Review All Changes of a Run");
    await editorTab(page, /greet\.mjs|Changes/)
      .or(quickPickRow(page, "greet.mjs"))
      .first()
      .waitFor();
    const row = quickPickRow(page, "greet.mjs").first();
    if (await row.isVisible()) await row.click();

    await eventually("The change of greet.mjs", async () =>
      (await linesOf(diff(page).modified)).some((line) => line.includes("greet = 3")),
    );
  });

  it("keeps its runs over a reload, without an error in the panel or a crash in the log", async () => {
    await page.reload();
    await activityIcon(page, "autogpt").waitFor();
    await panel(page).getByRole("textbox").first().waitFor();

    // Theia's own script reports an error at a reload.
    const ours = troubles.filter((trouble) => trouble.includes("panel.js"));
    assert.deepEqual(
      { troubles: ours, crashes: theia.output().match(/over: crashed.*/g) },
      { troubles: [], crashes: null },
    );
  });
});
