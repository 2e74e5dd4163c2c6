import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ROOT } from "../host/places.ts";
import { byPath, fakeModelServer, refusal } from "../support/fake-model-server.ts";
import { MODEL_NAME } from "./support/played-model.ts";
import { answer, pick, runPaletteAction } from "./support/quick-input.ts";
import { endCard, eventsOf, startRun, typed } from "./support/runs.ts";
import { sharedStage } from "./support/stage.ts";
import { complete } from "./support/steps.ts";
import { pageInEditor, panel } from "./support/webview.ts";
import { answerToast, editorTab, toast } from "./support/workbench.ts";

const REPLIES = [
  {
    name: "task_complete",
    input: { thoughts: { text: "I think in VS Code." }, reason: "Said by VS Code's own model." },
  },
];

const replies = fs.mkdtempSync(path.join(os.tmpdir(), "replies-"));
const file = path.join(replies, "replies.json");
fs.writeFileSync(file, JSON.stringify(REPLIES));

const useStage = sharedStage({
  extensions: [path.join(ROOT, "test/fixtures/model-extension")],
  env: { MODEL_EXTENSION_REPLIES: file },
});

describe("an API key", () => {
  const onStage = useStage();

  it("that is missing pauses the run; a wrong one is reported, and with the right one the run continues", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    model.demandKey("right-key");
    await startRun(stage, "Ask with a key", complete());
    await endCard(page, "Paused: action required").waitFor();
    const card = panel(page).locator(".card.paused");
    await card.locator(".button.primary", { hasText: "Set API Key…" }).click();
    await answer(page, /kept in the editor's secret storage/, "wrong-key");
    await answerToast(page, /Key rejected \(401\) by 127\.0\.0\.1/, "Change key…");
    // Enter would go on to its Cancel button, which VS Code shows a little longer than the check takes.
    await toast(page, /checking the key/).waitFor({ state: "hidden" });
    await answer(page, /kept in the editor's secret storage/, "right-key");
    await toast(page, "Key accepted, 1 model.").waitFor();
    await card.getByRole("button", { name: "Continue" }).click();
    await endCard(page, "Finished").waitFor();

    const log = JSON.stringify(eventsOf(folder));
    assert.match(typed(eventsOf(folder), "paused").at(-1)?.reason ?? "", /key/i);
    assert.equal(log.includes("right-key"), false);
  });

  it("is removed when it is cleared", async () => {
    const { page, model } = onStage();
    await runPaletteAction(page, "AutoGPT: Clear API Key…");
    await pick(page, "Remove which key?", model.server.origin);
    await toast(page, `API key for ${model.server.origin} removed.`).waitFor();
    await runPaletteAction(page, "AutoGPT: Show What Is Allowed");
    const nothing = pageInEditor(page).getByRole("region", { name: /^Nothing (else|yet)$/ });
    await nothing.getByText("API keys", { exact: true }).waitFor();
    await runPaletteAction(page, "View: Close Editor");
  });
});

describe("the Models page", () => {
  const onStage = useStage();

  it("has a key set and changed, a second server added, and the fast model picked from it", async () => {
    const { page, model } = onStage();
    const other = await fakeModelServer(byPath({ "/v1/models": { data: [{ id: "small" }, { id: "large" }] } }));
    try {
      model.demandKey("right-key");
      await runPaletteAction(page, "AutoGPT: Manage Models");
      const models = pageInEditor(page);
      const row = models.locator('.provider[data-provider="server"]');
      await row.locator(".state", { hasText: "No API key" }).waitFor();
      await row.getByRole("button", { name: "Set API key…" }).click();
      await answer(page, /kept in the editor's secret storage/, "wrong-key");
      await row.locator(".state", { hasText: "Key rejected (401)" }).waitFor();
      await row.getByRole("button", { name: "Change key…" }).click();
      await answer(page, /kept in the editor's secret storage/, "right-key");
      await row.locator(".state", { hasText: "Connected, 1 model" }).waitFor();

      await models.getByRole("button", { name: "Other server…" }).click();
      await answer(page, /address of an OpenAI-compatible server/, other.origin);
      const added = models.locator(`.provider[data-provider="127.0.0.1-${other.port}"]`);
      await added.locator(".state", { hasText: "Connected, 2 models" }).waitFor();
      await models.getByTitle("Change the fast model").click();
      await pick(page, "Fast model (drafts, reviews)", "small");
      await models.getByText(`small · 127.0.0.1-${other.port}`).waitFor();
      await models.locator(".model").first().getByText(MODEL_NAME).waitFor();

      await added.getByRole("button", { name: "Remove provider…" }).click();
      await page.locator(".monaco-dialog-box .monaco-button", { hasText: "Remove" }).click();
      await added.waitFor({ state: "detached" });
      await models.getByText("Same as main").waitFor();
      await runPaletteAction(page, "View: Close All Editors");
      await editorTab(page, "Models").waitFor({ state: "detached" });
    } finally {
      await other.close();
    }
  });
});

describe("the models that are found", () => {
  const onStage = useStage();

  after(() => fs.rmSync(replies, { recursive: true, force: true }));

  it("can be chosen from, and one of VS Code's own does the task", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await runPaletteAction(page, "AutoGPT: Select Model…");
    await pick(page, "Main model", "Fixture");
    await pick(page, "Fast model (drafts, reviews)", "Same as main");
    await toast(page, "New runs use Fixture").waitFor();
    await startRun(stage, "Think in VS Code");
    await endCard(page, "Finished").waitFor();

    const events = eventsOf(folder);
    assert.deepEqual(
      [typed(events, "started")[0]?.model.smart, typed(events, "over")[0]?.end],
      ["Fixture", { reason: "finished", summary: "Said by VS Code's own model." }],
    );
  });

  it("include those of a local server that wants no key", async () => {
    const stage = onStage();
    const { page, model, folder } = stage;
    model.demandKey(undefined);
    await runPaletteAction(page, "AutoGPT: Select Model…");
    await pick(page, "Main model", MODEL_NAME);
    await pick(page, "Fast model (drafts, reviews)", "Same as main");
    await toast(page, `New runs use ${MODEL_NAME}`).waitFor();
    await startRun(stage, "Think on this machine", complete());
    await endCard(page, "Finished").waitFor();

    assert.equal(typed(eventsOf(folder), "started")[0]?.model.smart, MODEL_NAME);
  });

  it("calls a limit a limit, and offers what helps when an added server has one or doesn't answer", async () => {
    const { page } = onStage();
    const other = await fakeModelServer(refusal(429, "You exceeded your quota."));
    const add = async () => {
      await pageInEditor(page).getByRole("button", { name: "Other server…" }).click();
      await answer(page, /address of an OpenAI-compatible server/, other.origin);
    };
    try {
      await runPaletteAction(page, "AutoGPT: Manage Models");
      await add();
      const added = pageInEditor(page).locator(`.provider[data-provider="127.0.0.1-${other.port}"]`);
      await added.locator(".state", { hasText: "Limit reached (429)" }).waitFor();
      await answerToast(page, /added: Limit reached \(429\)\./, "Show models");
    } finally {
      await other.close();
    }
    await runPaletteAction(page, "Notifications: Clear All Notifications");
    await add();
    await answerToast(page, `Added, but 127.0.0.1:${other.port} isn't answering.`, "Show models");
    await runPaletteAction(page, "View: Close All Editors");
  });
});
