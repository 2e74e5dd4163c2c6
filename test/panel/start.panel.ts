import assert from "node:assert/strict";
import { panels } from "./support/browser.ts";
import { tabTo } from "./support/keyboard.ts";
import { scene, WELCOME, waitingRun } from "./support/scenes.ts";

const DRAFT = {
  type: "drafted",
  task: "Mend it",
  profile: { name: "Fixer", role: "a fixer", goals: ["one", "two"] },
} as const;

describe("the start page", () => {
  const open = panels();

  it("has the focus in the composer, and Enter has a profile drafted", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Mend it");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("now");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [{ type: "draft", task: "Mend it\nnow" }]);
  });

  it("completes the name of a file by keyboard", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Read @pa");
    await send({ type: "files", query: "pa", files: ["src/parser.ts", "test/parser.test.ts"] });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("first.");
    assert.deepEqual(
      { text: await page.getByRole("textbox").inputValue(), said: (await said()).at(-1) },
      { text: "Read @test/parser.test.ts first.", said: { type: "findFiles", query: "pa" } },
    );
  });

  it("shares a terminal that is chosen, and no file of that name", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    const offer = { type: "files", files: ["terminal:bash"], terminals: ["bash"] } as const;
    await page.keyboard.type("Fix @te");
    await send({ ...offer, query: "te" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const ofFile = (await said()).at(-1);
    await page.keyboard.type("or @te");
    await send({ ...offer, query: "te" });
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { text: await page.getByRole("textbox").inputValue(), ofFile, said: (await said()).at(-1) },
      {
        text: "Fix @terminal:bash or @terminal:bash ",
        ofFile: { type: "findFiles", query: "te" },
        said: { type: "shareTerminal", label: "bash" },
      },
    );
  });

  it("tells assistive technology which file is active", async () => {
    const { page, send } = await open();
    await send(...scene("start"));
    await page.keyboard.type("@");
    await send({ type: "files", query: "", files: ["a.ts", "b.ts"] });
    await page.keyboard.press("ArrowDown");
    const active = await page.getByRole("textbox").getAttribute("aria-activedescendant");
    assert.equal(
      await page
        .locator(`#${active}[aria-selected="true"]`)
        .textContent()
        .then((text) => text?.trim()),
      "b.ts",
    );
  });
});

describe("the start page, beside the composer,", () => {
  const open = panels();

  it("sends nothing while nothing is written, and nothing where no run can start", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.press("Enter");
    await send(...scene("start-blocked"));
    await page.getByRole("button", { name: "Manage Workspace Trust…" }).click();
    assert.deepEqual(
      { said: await said(), writable: await page.getByRole("textbox").isEnabled() },
      { said: [{ type: "act", action: "manageTrust" }], writable: false },
    );
  });

  it("lets a model be chosen", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.getByRole("combobox", { name: "Model" }).selectOption("ollama:qwen");
    assert.deepEqual(await said(), [{ type: "chooseModel", id: "ollama:qwen" }]);
  });

  it("says why there is no model, and always has a way out", async () => {
    const { page, send, said } = await open();
    await send(...scene("start-rejected"));
    const models = page.locator(".models");
    const text = await models.locator(".source").textContent();
    const primary = await models.locator(".button.primary").allTextContents();
    for (const name of ["Change Key…", "Select Model…", "Use Another Server…"])
      await models.getByRole("button", { name }).click();
    assert.deepEqual(
      { text: text?.trim(), primary: primary.map((label) => label.trim()), said: await said() },
      {
        text: '127.0.0.1:24901 rejected the API key (401). It said: "Incorrect API key provided".',
        primary: ["Change Key…"],
        said: [
          { type: "act", action: "setApiKey" },
          { type: "act", action: "selectModel" },
          { type: "act", action: "useServer" },
        ],
      },
    );
  });

  it("shows the configured model although its server lists nothing", async () => {
    const { page, send } = await open();
    await send(...scene("start-unlisted"));
    const models = page.locator(".models");
    assert.deepEqual(
      {
        chosen: (await models.locator("option:checked").textContent())?.trim(),
        text: (await models.locator(".source").textContent())?.trim(),
      },
      { chosen: "gpt-4.1 (127.0.0.1:24901)", text: "127.0.0.1:24901 returned an error (500)." },
    );
  });

  it("has a button for what a notice names", async () => {
    const { page, send, said } = await open();
    await send(...scene("start-blocked"));
    await page.locator(".notice.error").getByRole("button", { name: "Set API Key…" }).click();
    assert.deepEqual(await said(), [{ type: "act", action: "setApiKey" }]);
  });

  it("keeps what was written over a reload", async () => {
    const first = await open();
    await first.send(...scene("start"));
    await first.page.keyboard.type("half a sen");
    const second = await open({ kept: await first.kept() });
    await second.send(...scene("start"));
    assert.equal(await second.page.getByRole("textbox").inputValue(), "half a sen");
  });
});

describe("the profile form", () => {
  const open = panels();

  it("can be filled in, put in order and started by keyboard alone", async () => {
    const { page, send, said } = await open();
    await send({ type: "welcome", welcome: WELCOME }, DRAFT);
    await tabTo(page, "Goal 2");
    await page.keyboard.press("Alt+ArrowUp");
    await tabTo(page, "Add a Goal");
    await page.keyboard.press("Enter");
    await page.keyboard.type("three");
    await tabTo(page, "Budget in US dollars");
    await page.keyboard.type("0.5");
    await tabTo(page, "Start");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [
      {
        type: "start",
        task: "Mend it",
        profile: { name: "Fixer", role: "a fixer", goals: ["two", "one", "three"], budgetUsd: 0.5 },
      },
    ]);
  });

  it("lists what the repository gives the agent to read, each file to be opened, and what was left out", async () => {
    const { page, send, said } = await open();
    const words = {
      files: [".autogpt/prompt_settings.yaml", "AGENTS.md"],
      unread: [".autogpt/rules.md isn't read: it leads to .env, which holds secrets."],
    };
    await send({ type: "welcome", welcome: { ...WELCOME, words } }, DRAFT);
    const list = page.getByRole("region", { name: "From this repository" });
    await list.getByRole("button", { name: "AGENTS.md" }).click();
    assert.deepEqual(
      {
        said: await said(),
        files: await list.getByRole("button").allInnerTexts(),
        unread: await list.locator(".notice").allInnerTexts(),
      },
      { said: [{ type: "openFile", label: "AGENTS.md" }], files: words.files, unread: words.unread },
    );
  });

  it("is started once, however often the button is pressed, and again when that failed", async () => {
    const { page, send, said } = await open();
    await send({ type: "welcome", welcome: WELCOME }, DRAFT);
    const start = page.getByRole("button", { name: "Start", exact: true });
    await start.dblclick();
    await page.keyboard.press("Enter");
    const atOnce = (await said()).length;
    await send({ type: "notice", kind: "error", text: "The disk is full." });
    await page.getByLabel("Role").press("Enter");
    assert.deepEqual({ atOnce, later: (await said()).length }, { atOnce: 1, later: 1 });
  });

  it("has the focus when its draft comes, and the run has it once it starts", async () => {
    const { page, send } = await open();
    await send(...scene("start"));
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.type("Mend it");
    await tabTo(page, "Start…");
    await page.keyboard.press("Enter");
    await send(DRAFT);
    const drafted = await focused();
    await tabTo(page, "Start");
    await page.keyboard.press("Enter");
    await send(...waitingRun().opening());
    assert.deepEqual({ drafted, started: await focused() }, { drafted: "profile-name", started: "dock" });
  });

  it("says what is wrong with a budget and does not start with it", async () => {
    const { page, send, said } = await open();
    await send(DRAFT);
    await page.getByLabel("Budget in US dollars").fill("much");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { said: await said(), problem: await page.locator("#profile-budget-problem").textContent() },
      { said: [], problem: "Enter an amount such as 1.50, or leave it empty." },
    );
  });

  it("goes back to the task, which is still there", async () => {
    const { page, send } = await open();
    await send({ type: "welcome", welcome: WELCOME }, DRAFT);
    await page.getByRole("button", { name: "Back" }).click();
    assert.deepEqual(
      {
        text: await page.getByRole("textbox").inputValue(),
        focused: await page.evaluate(() => document.activeElement?.id),
      },
      { text: "Mend it", focused: "composer" },
    );
  });

  it("asks for new goals for the last profile", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Cover the lexer");
    await page.getByRole("button", { name: "Use last profile (Test Writer)" }).click();
    assert.deepEqual(await said(), [{ type: "draft", task: "Cover the lexer", again: true }]);
  });

  it("is the last one with empty goals if there is no task", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.getByRole("button", { name: "Use last profile (Test Writer)" }).click();
    await page.getByLabel("Goal 1", { exact: true }).fill("Cover the lexer");
    await page.getByRole("button", { name: "Start" }).click();
    assert.deepEqual(await said(), [
      {
        type: "start",
        task: "Cover the lexer",
        profile: { ...WELCOME.lastProfile, goals: ["Cover the lexer"] },
      },
    ]);
  });
});
