import assert from "node:assert/strict";
import { panels } from "./support/browser.ts";
import { scene, WELCOME, waitingRun } from "./support/scenes.ts";

const DRAFT = {
  type: "drafted",
  task: "Mend it",
  profile: { name: "Fixer", role: "a fixer", goals: ["one", "two"] },
} as const;

describe("the start page", () => {
  const open = panels();

  it("has the focus in the composer, and Enter starts at once, only once", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Mend it");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("now");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [{ type: "start", task: "Mend it\nnow" }]);
    await send(...waitingRun().opening(), { type: "welcome", welcome: WELCOME });
    assert.equal(await page.getByRole("textbox").inputValue(), "");
  });

  it("keeps the task and can send it again when the start failed", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Fix it");
    await page.getByRole("button", { name: "Send" }).click();
    await send({ type: "notice", kind: "error", text: "The disk is full." });
    await page.getByRole("textbox").press("Enter");
    const start = { type: "start", task: "Fix it" } as const;
    assert.deepEqual(await said(), [start, start]);
  });

  it("starts with a plan, or with a review of the profile, where that is picked", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    const mode = page.getByRole("combobox", { name: "Mode", exact: true });
    await mode.selectOption("Plan");
    await page.getByRole("textbox").fill("Fix it");
    await page.keyboard.press("Enter");
    await send({ type: "notice", kind: "error", text: "No." });
    await mode.selectOption("Review profile");
    await page.getByRole("textbox").press("Enter");
    assert.deepEqual(await said(), [
      { type: "start", task: "Fix it", planFirst: true },
      { type: "draft", task: "Fix it" },
    ]);
  });

  it("asks for the key of the chosen model's own server, and not for one that no model needs", async () => {
    const { page, send } = await open();
    const needsKey = {
      ...WELCOME,
      hasKey: false,
      source: { name: "gpu-box", state: { kind: "noKey" } },
    } as const;
    const models = WELCOME.models.map((model) => ({ ...model, chosen: false }));
    const setKey = page.getByRole("button", { name: "Set API key…" });
    await send({ type: "welcome", welcome: needsKey });
    await page.getByText("gpu-box needs an API key").waitFor();
    const offered = [await setKey.count()];
    await send({ type: "welcome", welcome: { ...needsKey, models } });
    offered.push(await page.getByText("gpu-box needs an API key").count());
    assert.deepEqual(offered, [1, 0]);
  });

  it("always reviews the profile where the setting says so", async () => {
    const { page, send, said } = await open();
    await send({ type: "welcome", welcome: { ...WELCOME, reviewProfile: true } });
    await page.keyboard.type("Fix it");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { said: await said(), modes: await page.getByRole("combobox", { name: "Mode", exact: true }).count() },
      { said: [{ type: "draft", task: "Fix it" }], modes: 0 },
    );
  });

  it("offers example tasks and the tasks of the last runs, which can also be opened", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    const box = page.getByRole("textbox");
    await page.getByRole("button", { name: "Fix failing tests" }).click();
    const example = await box.inputValue();
    const runs = page.getByRole("region", { name: "Recent runs" });
    await runs.getByRole("button", { name: "Reuse task" }).first().click();
    await runs.getByRole("button", { name: "Stopped: Rename the config file" }).click();
    assert.deepEqual(
      { example, again: await box.inputValue(), said: await said() },
      {
        example: "Find out why the tests fail and fix them",
        again: WELCOME.lastRuns?.[0]?.task,
        said: [{ type: "openRun", run: "r-7" }],
      },
    );
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

  it("keeps the names of kinds of context whole, each on one line of the menu, at 170 and 300 px", async () => {
    const heights: number[] = [];
    for (const width of [170, 300]) {
      const { page, send } = await open({ width, height: 700 });
      await send(...scene("start"));
      await page.keyboard.type("@");
      await send({
        type: "files",
        query: "",
        files: [],
        contexts: ["selection", "problems", "git", "url", "terminal"],
      });
      const names = page.locator(".offer li bdi");
      await names.first().waitFor();
      heights.push(...(await names.evaluateAll((all) => all.map((name) => name.getClientRects().length))));
    }
    assert.deepEqual(
      heights,
      Array.from({ length: 10 }, () => 1),
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

  it("adds context by its @ button, a kind of context first, with keys alone after that", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Fix");
    await page.getByRole("button", { name: "Add context" }).click();
    await send({ type: "files", query: "", files: [], contexts: ["selection", "folder", "url"] });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await send({ type: "files", query: "folder:", files: [], folders: ["src/lib/"] });
    const listed = await page.locator(".offer").getByRole("option").allInnerTexts();
    await page.keyboard.press("Enter");
    await page.keyboard.type("and @s");
    await send({ type: "files", query: "s", files: ["s.ts"], contexts: ["selection"] });
    await page.keyboard.press("Tab");
    assert.deepEqual(
      { text: await page.getByRole("textbox").inputValue(), listed, said: await said() },
      {
        text: "Fix @src/lib/ and @selection ",
        listed: ["src/lib/"],
        said: ["", "folder:", "", "s"].map((query) => ({ type: "findFiles", query })),
      },
    );
  });

  it("offers the issues of the repository with their titles, and inserts the number of the one that is picked", async () => {
    const { page, send, said } = await open({ width: 300 });
    await send(...scene("start"));
    await page.keyboard.type("Fix @");
    await send({ type: "files", query: "", files: [], contexts: ["issue"] });
    await page.keyboard.press("Enter");
    const issues = [
      { number: 12, title: "It crashes at the start when the folder has no name and no files" },
      { number: 7, title: "<img src=x onerror=alert(1)>" },
    ];
    await send({ type: "files", query: "issue:", files: [], issues });
    const listed = await page.locator(".offer").getByRole("option").allInnerTexts();
    await page.keyboard.press("Enter");
    assert.deepEqual(
      {
        text: await page.getByRole("textbox").inputValue(),
        listed: listed.map((text) => text.replace(/\s+/g, " ").trim()),
        said: await said(),
      },
      {
        text: "Fix @issue:12 ",
        listed: issues.map(({ number, title }) => `issue:${number} ${title}`),
        said: ["", "issue:"].map((query) => ({ type: "findFiles", query })),
      },
    );
  });

  it("begins the task with a command of the repository that is picked, before what is typed", async () => {
    const { page, send } = await open();
    const templates = [{ name: "review", file: ".github/prompts/review.prompt.md", description: "Reviews" }];
    await send({ type: "welcome", welcome: { ...WELCOME, templates } });
    await page.keyboard.type("Be quick.");
    await page.getByRole("region", { name: "From this repository" }).getByRole("button", { name: "Reviews" }).click();
    assert.equal(await page.getByRole("textbox").inputValue(), "/review Be quick.");
  });

  it("completes a command of one's own after a slash, by keys, with its arguments, description and file", async () => {
    const { page, send, said } = await open();
    await send(...scene("start"));
    await page.keyboard.type("/fi");
    const asked = (await said()).at(-1);
    const fix = { name: "git:fix", description: "Fix an issue", hint: "[issue]", file: ".claude/commands/git/fix.md" };
    const file = { name: "file", description: "", hint: "", file: "~/.claude/commands/file.md" };
    await send({ type: "files", query: "fi", files: [], commands: [file, fix] });
    await page.keyboard.press("ArrowDown");
    const chosen = await page.locator('.offer [aria-selected="true"]').innerText();
    await page.keyboard.press("Enter");
    await page.keyboard.type("12 'the app'");
    const offers = await page.locator(".offer").count();
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { asked, chosen: chosen.replace(/\s+/g, " "), offers, sent: (await said()).at(-1) },
      {
        asked: { type: "findFiles", query: "fi", commands: true },
        chosen: "/git:fix [issue] Fix an issue .claude/commands/git/fix.md",
        offers: 0,
        sent: { type: "start", task: "/git:fix 12 'the app'" },
      },
    );
  });

  it("offers nothing for a path, or where there is no such command", async () => {
    const { page, send } = await open();
    await send(...scene("start"));
    await page.keyboard.type("/us");
    await send({ type: "files", query: "us", files: [], commands: [] });
    const shown = await page.locator(".offer").count();
    await page.keyboard.type("r/bin");
    assert.deepEqual([shown, await page.locator(".offer").count()], [0, 0]);
  });

  it("has an agent that a file describes do the task, until another mode is chosen", async () => {
    const { page, send, said } = await open();
    const agents = [{ name: "reviewer", file: ".claude/agents/reviewer.md", description: "Reviews" }];
    await send({ type: "welcome", welcome: { ...WELCOME, agents } });
    const mode = page.getByRole("combobox", { name: "Mode", exact: true });
    await mode.selectOption("reviewer");
    const title = await mode.getAttribute("title");
    await page.getByRole("textbox").fill("Look");
    await page.keyboard.press("Enter");
    const sent = (await said()).at(-1);
    await send({ type: "notice", kind: "error", text: "No." });
    await mode.selectOption("Plan");
    await page.getByRole("textbox").press("Enter");
    assert.deepEqual(
      { title, sent, plain: (await said()).at(-1) },
      {
        title: "Reviews (.claude/agents/reviewer.md)",
        sent: { type: "start", task: "Look", agent: "reviewer" },
        plain: { type: "start", task: "Look", planFirst: true },
      },
    );
  });

  it("has a suggested task in its text box, below what is typed, and sends nothing by itself", async () => {
    const { page, send, said } = await open();
    const agents = [{ name: "doer", file: ".github/agents/doer.agent.md", description: "" }];
    await send({ type: "welcome", welcome: { ...WELCOME, agents } });
    await page.getByRole("textbox").fill("Mine");
    const before = (await said()).length;
    await send({ type: "offered", text: "Do it. @run:r1", agent: "doer" });
    const mode = page.getByRole("combobox", { name: "Mode", exact: true });
    assert.deepEqual(
      {
        text: await page.getByRole("textbox").inputValue(),
        mode: await mode.inputValue(),
        said: (await said()).length - before,
      },
      { text: "Mine\n\nDo it. @run:r1", mode: "agent:doer", said: 0 },
    );
  });

  it("keeps an error only until the text that it was about changes", async () => {
    const { page, send } = await open();
    await send(...scene("start"));
    await page.keyboard.type("Fix @selection");
    await send({ type: "notice", kind: "error", text: "Nothing is selected." });
    const before = await page.locator(".notice.error").isVisible();
    await page.getByRole("textbox").press("Backspace");
    assert.deepEqual([before, await page.locator(".notice.error").count()], [true, 0]);
  });

  it("exposes the active file to assistive technology", async () => {
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
    const picker = page.getByRole("combobox", { name: "Model" });
    await picker.selectOption("ollama:qwen");
    await picker.selectOption("More models…");
    assert.deepEqual(await said(), [
      { type: "chooseModel", id: "ollama:qwen" },
      { type: "act", action: "selectModel" },
    ]);
  });

  it("asks for a model where none is chosen, and shows no other entry as if it were", async () => {
    const { page, send } = await open();
    const models = [{ id: "m", label: "m", provider: "Server", detail: "Server", chosen: false }];
    await send({ type: "welcome", welcome: { hasKey: true, models } });
    const picker = page.getByRole("combobox", { name: "Model" });
    assert.equal(await picker.locator("option:checked").textContent(), "Choose a model…");
  });

  it("says why there is no model, and always has a way out", async () => {
    const { page, send, said } = await open();
    await send(...scene("start-rejected"));
    const models = page.locator(".models");
    const text = await models.locator(".source").textContent();
    const primary = await models.locator(".button.primary").allTextContents();
    for (const name of ["Change key…", "Select Model…", "Use Another Server…"])
      await models.getByRole("button", { name }).click();
    assert.deepEqual(
      { text: text?.trim(), primary: primary.map((label) => label.trim()), said: await said() },
      {
        text: '127.0.0.1:24901 rejected the API key (401). It said: "Incorrect API key provided".',
        primary: ["Change key…"],
        said: [
          { type: "act", action: "setApiKey" },
          { type: "act", action: "selectModel" },
          { type: "act", action: "useServer" },
        ],
      },
    );
  });

  it("leads to the models page where nothing is set up", async () => {
    const { page, send, said } = await open();
    await send(...scene("start-without-model"));
    const models = page.locator(".models");
    const buttons = (await models.getByRole("button").allTextContents()).map((label) => label.trim());
    await models.locator(".button.primary").click();
    assert.deepEqual(
      { buttons, said: await said() },
      {
        buttons: ["Set up model", "Set API key…", "Use another server…"],
        said: [{ type: "act", action: "openModels" }],
      },
    );
  });

  it("shows the configured model although its server lists nothing", async () => {
    const { page, send } = await open();
    await send(...scene("start-unlisted"));
    const models = page.locator(".models");
    assert.deepEqual(
      {
        chosen: (await page.locator("option:checked").first().textContent())?.trim(),
        text: (await models.locator(".source").textContent())?.trim(),
      },
      { chosen: "gpt-4.1", text: "127.0.0.1:24901 returned an error (500)." },
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

  it("has the focus on Start, which is in view, and starts by keyboard from any field", async () => {
    const { page, send, said } = await open({ width: 300, height: 638 });
    const goals = ["one", "two", "three", "four", "five"].map((goal) => `${goal} ${"and more ".repeat(20)}`);
    await send({ type: "welcome", welcome: WELCOME }, { ...DRAFT, profile: { ...DRAFT.profile, goals } });
    const start = page.getByRole("button", { name: "Start", exact: true });
    const bottom = await start.evaluate((button) => button.getBoundingClientRect().bottom);
    const focused = await start.evaluate((button) => button === document.activeElement);
    await page.getByLabel("Goals").fill("two\none");
    await page.keyboard.press("Enter");
    await page.keyboard.type("three");
    await page.getByLabel("Budget in US dollars").fill("0.5");
    await page.getByLabel("Goals").press("Control+Enter");
    assert.deepEqual(
      { focused, inView: bottom <= 638, said: await said() },
      {
        focused: true,
        inView: true,
        said: [
          {
            type: "start",
            task: "Mend it",
            profile: { name: "Fixer", role: "a fixer", goals: ["two", "one", "three"], budgetUsd: 0.5 },
          },
        ],
      },
    );
  });

  it("starts with one more Enter once its draft has come", async () => {
    const { page, send, said } = await open();
    await send({ type: "welcome", welcome: WELCOME }, DRAFT);
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [{ type: "start", task: "Mend it", profile: DRAFT.profile }]);
  });

  it("shows the strategy, the model and the commands that the profile names, and starts with them as edited", async () => {
    const { page, send, said } = await open();
    const working = { strategy: "react", commands: ["read_file", "git"], model: "gpt-5@openai" } as const;
    await send({ ...DRAFT, profile: { ...DRAFT.profile, ...working } });
    const strategy = page.getByRole("combobox", { name: "Strategy" });
    const shown = [
      await strategy.inputValue(),
      await page.getByLabel("Main model").inputValue(),
      await page.getByLabel("Commands").inputValue(),
    ];

    await strategy.selectOption("tasks");
    await page.getByLabel("Main model").fill("");
    await page.getByLabel("Commands").fill("read_file");
    await page.getByLabel("Commands").press("Enter");

    const profile = { ...DRAFT.profile, strategy: "tasks", commands: ["read_file"] };
    assert.deepEqual(
      { shown, said: await said() },
      {
        shown: ["react", "gpt-5@openai", "read_file, git"],
        said: [{ type: "start", task: "Mend it", profile }],
      },
    );
  });

  it("has five goals at most", async () => {
    const { page, send } = await open();
    await send(DRAFT);
    await page.getByLabel("Goals").fill("1\n2\n3\n4\n5\n6");
    assert.deepEqual(
      {
        problem: await page.locator("#profile-goals-more").textContent(),
        startable: await page.getByRole("button", { name: "Start", exact: true }).isEnabled(),
      },
      { problem: "Enter at most 5 goals, one per line.", startable: false },
    );
  });

  it("lists what the repository gives the agent to read, each file to be opened, and what was left out", async () => {
    const { page, send, said } = await open();
    const words = {
      files: [".autogpt/prompt_settings.yaml", "AGENTS.md"],
      own: ["~/mine.md"],
      skills: ["release", "pdf"],
      moreSkills: 498,
      unread: [".autogpt/rules.md isn't read: it leads to .env, which holds secrets."],
    };
    await send({ type: "welcome", welcome: { ...WELCOME, words } }, DRAFT);
    const list = page.getByRole("region", { name: "The agent also reads:" });
    await list.getByRole("button", { name: "AGENTS.md" }).click();
    assert.deepEqual(
      {
        said: await said(),
        files: await list.getByRole("button").allInnerTexts(),
        all: await list.getByRole("listitem").allInnerTexts(),
        hints: await list.locator(".hint").allInnerTexts(),
        unread: await list.locator(".notice").allInnerTexts(),
      },
      {
        said: [{ type: "openFile", label: "AGENTS.md" }],
        files: words.files,
        all: ["~/mine.md", ...words.files],
        hints: ["The agent also reads:", "Skills that the agent can read: release and pdf (and 498 more)"],
        unread: words.unread,
      },
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
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Review profile");
    await page.getByRole("textbox").fill("Mend it");
    await page.keyboard.press("Enter");
    await send(DRAFT);
    const drafted = await focused();
    await page.keyboard.press("Enter");
    await send(...waitingRun().opening());
    assert.deepEqual({ drafted, started: await focused() }, { drafted: "profile-start", started: "dock" });
  });

  it("says what is wrong with a budget and does not start with it", async () => {
    const { page, send, said } = await open();
    await send(DRAFT);
    await page.getByLabel("Budget in US dollars").fill("much");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { said: await said(), problem: await page.locator("#profile-budget-more").textContent() },
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
});

describe("the profile of a run", () => {
  const open = panels();

  it("says that it's being drafted, until it's there", async () => {
    const { page, send } = await open();
    const run = waitingRun();
    await send(...run.opening({ drafting: true }));
    const line = page.locator(".run-profile-line");
    const drafting = await line.textContent();
    await send({ type: "grant", run: run.id, grant: 0, continuous: false });
    const drafted = await line.textContent();
    assert.deepEqual(
      { drafting, drafted },
      { drafting: "Drafting a profile…", drafted: "Parser Fixer, an engineer who fixes parsers." },
    );
  });

  it("is above its steps, and can be edited and stored at any time", async () => {
    const { page, send, said } = await open();
    const run = waitingRun();
    await send(...run.opening());
    await page.locator(".run-profile summary").click();
    await page.getByRole("button", { name: "Edit profile" }).click();
    await page.getByLabel("Name").fill("Ann");
    await page.getByLabel("Role").fill("a roofer");
    await page.getByLabel("Goals").fill("Find the leak");
    await page.getByLabel("Budget in US dollars").fill("3");
    await page.getByRole("button", { name: "Save for reuse" }).click();
    assert.deepEqual(
      { said: await said(), fields: await page.getByLabel("Goals").count() },
      {
        said: [
          {
            type: "changeProfile",
            profile: { name: "Ann", role: "a roofer", goals: ["Find the leak"], budgetUsd: 3 },
            keep: true,
          },
        ],
        fields: 1,
      },
    );
  });
});
