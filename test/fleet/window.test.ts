import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { exportFleetKey, importFleetKey } from "../../src/fleet/key.ts";
import { findWalls } from "../../src/isolation/walls/find-walls.ts";
import { answerDialog } from "../e2e/support/dialogs.ts";
import { THEMES } from "../e2e/support/pictures.ts";
import { quickPickRow } from "../e2e/support/quick-input.ts";
import { endCard, toStartPage } from "../e2e/support/runs.ts";
import { openVsCode, reloadWindow, type VsCode } from "../e2e/support/vscode.ts";
import { panel } from "../e2e/support/webview.ts";
import { toast } from "../e2e/support/workbench.ts";
import { openPage } from "../host/page.ts";
import { ROOT } from "../host/places.ts";
import { json, type ServerAnswer } from "../support/fake-model-server.ts";
import { calling } from "../support/headless.ts";
import { git } from "../support/repositories.ts";
import { buildWorker, startTemporalFleet, type TemporalFleet } from "../support/temporal-fleet.ts";
import { explainNoTemporal } from "../support/temporal-server.ts";

const ASK = calling("ask_user", { question: "Red or blue?" });
const FINISH = calling("task_complete", { reason: "Painted." });
const { signal } = new AbortController();
/** VS Code in a browser stores what views keep every five seconds. */
const STORED_MS = 6_500;

describe("a run on a fleet in real windows", function () {
  this.timeout(180_000);
  let fleet: TemporalFleet;
  let vscode: VsCode;
  let replies: readonly ServerAnswer[] = [];
  /** The prompts of the steps, as texts. */
  let prompts: string[] = [];

  before(async function () {
    if ((await findWalls("auto")).engine === "none" || explainNoTemporal() !== undefined) return this.skip();
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "esbuild.mjs")], { cwd: ROOT });
    assert.equal(status, 0, String(stderr));
    buildWorker();
    fleet = await startTemporalFleet();
    fleet.models.plan(({ method, body }) => {
      if (method !== "POST") return json(404, {});
      prompts.push(JSON.stringify(body));
      return replies[prompts.length - 1] ?? FINISH;
    });
    const data = join(fleet.top, "editor/autogpt");
    await mkdir(join(data, "fleet"), { recursive: true });
    await importFleetKey(data, await exportFleetKey(fleet.data));
    const known = { version: 1, places: [fleet.server.place], runs: {} };
    await writeFile(join(data, "fleet/places.json"), JSON.stringify(known));
    process.env.AUTOGPT_E2E = "development";
    vscode = await openVsCode({ settings: THEMES.dark, env: { XDG_DATA_HOME: join(fleet.top, "editor") } });
    git(vscode.folder, "init", "-q", "-b", "main");
    git(vscode.folder, "add", "-A");
    git(vscode.folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "First");
    git(vscode.folder, "remote", "add", "origin", fleet.origin);
  });
  after(async () => {
    await vscode?.close();
    await fleet?.stop();
  });

  beforeEach(() => {
    prompts = [];
  });

  async function send(page: Page, task: string): Promise<void> {
    const view = panel(page);
    await toStartPage(page);
    await view.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Send to…");
    await view.getByRole("textbox", { name: "What should the agent do?" }).fill(task);
    await view.getByRole("button", { name: "Send", exact: true }).click();
    await quickPickRow(page, fleet.server.host).click();
  }

  it("never asks a model if its sending is canceled before a worker has begun with it", async () => {
    const { page } = vscode;
    await send(page, "Paint it");
    await answerDialog(page, "Send");
    await toast(page, "Sending the task").waitFor();
    while ((await fleet.engine.list()).length === 0) await page.waitForTimeout(100);
    await toast(page, "Sending the task").locator(".monaco-button", { hasText: "Cancel" }).click();
    await panel(page).getByRole("button", { name: "Send", exact: true }).and(page.locator(":enabled")).waitFor();
    await fleet.startWorker();
    const isOver = async (): Promise<boolean> => (await fleet.engine.list()).every(({ state }) => state === "ended");
    while (!(await isOver())) await page.waitForTimeout(200);
    const [run] = await fleet.engine.list();
    const log = await fleet.engine.readLog(run?.id ?? "", signal);

    assert.deepEqual(
      { prompts: prompts.length, end: JSON.parse(log.at(-1) ?? "").end },
      { prompts: 0, end: { reason: "stopped" } },
    );
  });

  it("is there after a reload with the unsent answer, and of two windows that answer, the first counts", async () => {
    const { page, server, folder } = vscode;
    replies = [ASK, FINISH];
    await send(page, "Paint it");
    await panel(page).getByText("Red or blue?").first().waitFor();
    await panel(page).getByRole("textbox", { name: "Your answer" }).fill("Re");
    await page.waitForTimeout(STORED_MS);
    await reloadWindow(vscode);
    await panel(page).getByText("Red or blue?").first().waitFor();
    const kept = await panel(page).getByRole("textbox", { name: "Your answer" }).inputValue();
    const second = await page.context().newPage();
    await openPage(second, { port: server.port, workspace: folder, extensions: [ROOT] });
    await panel(second).getByText("Red or blue?").first().waitFor({ timeout: 60_000 });
    const boxes = [page, second].map((one) => panel(one).getByRole("textbox", { name: "Your answer" }));
    for (const [index, box] of boxes.entries()) await box.fill(["Red", "Blue"][index] ?? "");
    await Promise.all(boxes.map((box) => box.press("Enter")));
    for (const one of [page, second]) await endCard(one, "Finished").waitFor();
    await second.close();

    const answers = ["Red", "Blue"].filter((answer) => prompts.at(-1)?.includes(`answer: ${answer}`));
    assert.deepEqual(
      { kept, prompts: prompts.length, answers: answers.length },
      { kept: "Re", prompts: 2, answers: 1 },
    );
  });
});
