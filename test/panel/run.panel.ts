import assert from "node:assert/strict";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import { displayText } from "../../src/texts/display-text.ts";
import { panels } from "./support/browser.ts";
import { tabTo } from "./support/keyboard.ts";
import { SHELL_CARD, scene, WELCOME, waitingRun, workedRun } from "./support/scenes.ts";
import { StagedRun } from "./support/staged-run.ts";

function longRun(steps: number): StagedRun {
  const run = new StagedRun();
  for (let step = 1; step <= steps; step++)
    run.step({
      thoughts: { text: `Thought ${step}.` },
      call: { name: "execute_shell", args: { command_line: `make part-${step}` } },
      outcome: { status: "done", output: `line\n`.repeat(step % 7) },
    });
  return run;
}

const eventsOf = (run: StagedRun, from: number): readonly PanelUpdate[] =>
  run.events.slice(from).map((event) => ({ type: "event", run: run.id, event }));

const spaced = (text: string | null): string => (text ?? "").replace(/\s+/g, " ").trim();

const lines = (text: string | null): number => (text ?? "").split("\n").length;

describe("a run in the panel", () => {
  const open = panels();

  it("has a button for each remedy that its warnings name, the newest one first, and reports when they are closed", async () => {
    const { page, send, said } = await open();
    const warnings = [
      'It knows no such effort. Change autogpt.model.reasoningEffort. It said: "Unsupported value."',
      'It has another API. Change autogpt.model.api. It said: "Use v1/responses."',
      'It takes no pictures. Choose another model with "AutoGPT: Select Model…". It said: "No vision."',
    ];
    await send(...scene("thinking"));
    await send(...warnings.map((text) => ({ type: "notice", kind: "warning", text }) as const));
    const buttons = page.locator(".notice.warning").getByRole("button");
    const labels = (await buttons.allInnerTexts()).map(spaced);
    await buttons.nth(2).click();
    await buttons.first().click();
    assert.deepEqual(
      { labels, said: await said(), left: await buttons.count() },
      {
        labels: ["", "Select model…", "Open autogpt.model.api", "Open autogpt.model.reasoningEffort"],
        said: [
          { type: "openSetting", setting: "autogpt.model.api" },
          { type: "closeWarnings", run: workedRun().id },
        ],
        left: 0,
      },
    );
  });

  it("shows all thoughts as they stream in, and folds the reasons once the reply is there", async () => {
    const { page, send } = await open();
    await send(...scene("thinking"));
    const thoughts = page.locator("#step-6 .thoughts");
    const streaming = spaced(await thoughts.innerText());
    const run = workedRun();
    run.step({ until: "asked" });
    const from = run.events.length - 1;
    run.step({
      thoughts: { text: "I try again.", reasoning: "The error names the nearest file." },
      until: "replied",
    });
    await send(...eventsOf(run, from + 1));
    assert.deepEqual(
      { streaming, replied: spaced(await thoughts.innerText()) },
      {
        streaming:
          "The file is called src/parser.ts. I misspelt it, so I try Reasoning The error names the nearest file.",
        replied: "I try again. Reasoning",
      },
    );
  });

  it("shows the model's own reasoning as the thought while nothing else streams", async () => {
    const { page, send } = await open();
    const run = workedRun();
    run.step({ until: "asked" });
    const { step = 0 } = run.state.open ?? {};
    const own = { field: "own", text: "Let me see what the test expects." } as const;
    await send({ type: "welcome", welcome: WELCOME }, ...run.opening());
    await send({ type: "thought", run: run.id, step, deltas: [own], restarted: true });
    const thoughts = page.locator(`#step-${step} .thoughts`);
    assert.equal(spaced(await thoughts.textContent()), own.text);
  });

  it("can be stopped by keyboard from anywhere", async () => {
    const { page, send, said } = await open({ width: 260, height: 600 });
    await send(...scene("acting"));
    await tabTo(page, "Stop");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [{ type: "act", action: "stop" }]);
  });

  it("takes messages while it works", async () => {
    const { page, send, said } = await open();
    await send(...scene("acting"));
    await page.locator("#composer").fill("Mind the lexer.");
    await page.keyboard.press("Control+Enter");
    assert.deepEqual(
      { said: await said(), left: await page.locator("#composer").inputValue() },
      { said: [{ type: "say", text: "Mind the lexer." }], left: "" },
    );
  });
});

describe("what a run shows", () => {
  const open = panels();

  it("says in the row why a page wasn't read, such as a missing network", async () => {
    const { page, send } = await open();
    const run = new StagedRun();
    await send(...run.opening());
    const from = run.events.length - 1;
    const summary = displayText("results.offline", { host: "example.com" });
    run.step({
      call: { name: "browse_website", args: { url: "https://example.com/" } },
      outcome: { status: "failed", error: "example.com could not be reached.", summary },
    });
    await send(...eventsOf(run, from + 1));
    assert.match(spaced(await page.locator(".step").first().textContent()), /Offline: example\.com can't be reached/);
  });

  it("lists the untrusted sources of a proposal behind one word, each by its whole name", async () => {
    const { page, send } = await open();
    const run = waitingRun();
    const sources = ["web page https://a.org/pumps", 'memory: step 5 of "Fix the discount in the cart"'];
    await send(...run.opening(), {
      type: "waiting",
      run: run.id,
      card: { ...SHELL_CARD, influence: "The agent has read text from a page: a.org, today.", sources },
    });
    const influence = page.locator(".card .sources");
    await influence.getByText("Show").click();
    await influence.locator("li").first().waitFor();
    assert.deepEqual(
      [spaced(await influence.textContent()), await influence.locator("li").allTextContents()],
      [`The agent has read text from a page: a.org, today. Show ${sources.join("")}`, sources],
    );
  });

  it("says why a command is not offered", async () => {
    const { page, send } = await open({ width: 1100 });
    await send(...scene("thinking"));
    await page.locator(".commands summary").click();
    assert.equal(
      spaced(await page.locator(".commands .withheld").first().textContent()),
      "web_searchIt is turned off in the settings (autogpt.web.enabled). Open setting",
    );
  });

  it("shows what the agent got in a step's details, a long text folded", async () => {
    const { page, send } = await open();
    await send(...scene("stored"));
    await page.getByRole("button", { name: "Details of step 1" }).click();
    const outcome = page.locator("#step-1 .outcome");
    const folded = lines(await outcome.locator("pre").textContent());
    await outcome.getByRole("button", { name: "Show 14 lines" }).click();
    assert.deepEqual({ folded, shown: lines(await outcome.locator("pre").textContent()) }, { folded: 6, shown: 14 });
  });

  it("marks a program that failed with its exit code, and shows its last lines", async () => {
    const { page, send } = await open();
    const run = new StagedRun();
    const output = `Exit code 1.\n${"> npm noise\n".repeat(20)}1 failing\n  Expected 3, got 2`;
    run.step({
      call: { name: "execute_shell", args: { command_line: "npm test" } },
      outcome: { status: "done", output, exitCode: 1 },
    });
    await send(...run.opening());
    const step = page.locator("#step-1");
    assert.deepEqual(
      {
        line: spaced(await step.locator(".line").innerText()),
        good: await step.locator(".line .icon.good").count(),
        lastLines: (await step.locator(".last-lines").textContent())?.endsWith("1 failing\n  Expected 3, got 2"),
      },
      { line: "Step 1: npm test (Failed) Exit code 1", good: 0, lastLines: true },
    );
  });

  it("keeps a model's text as text: nothing in it is loaded, linked or run", async () => {
    const { page, send, troubles } = await open();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const evil =
      '![x](https://evil.example/?q=1) <img src="https://evil.example/a" onerror="alert(1)"> [go](command:rm) <script>alert(2)</script>';
    const run = new StagedRun();
    run.step({
      thoughts: { text: evil, speak: evil, plan: `- ${evil}` },
      call: { name: evil, args: { filename: evil, other: evil } },
      outcome: {
        status: "done",
        output: evil,
        summary: { code: evil },
        files: [{ file: evil, change: "changed" }],
      },
    });
    await send(...run.opening());
    await page.getByRole("button", { name: "Details of step 1" }).click();
    const elements = await page.locator(".feed :is(img, script, a, iframe)").count();
    assert.deepEqual({ elements, requests, troubles: troubles() }, { elements: 0, requests: [], troubles: [] });
  });

  it("announces politely what the user should know", async () => {
    const { page, send } = await open();
    await send(...scene("waiting"));
    assert.equal(
      await page.getByRole("log").innerText(),
      "Step 6: approval needed. npm run build && npm test -- --grep 'negative numbers'",
    );
  });
});

describe("agents in the panel", () => {
  const open = panels();

  it("lead to their own runs, and from there back", async () => {
    const { page, send, said } = await open();
    const run = workedRun();
    await send(...run.opening());
    const from = run.events.length;
    run.add({
      type: "child",
      run: "r-1",
      name: "Reader",
      what: "waits for you: it wants to run execute_shell.",
    });
    await send(...eventsOf(run, from));
    await page.getByRole("link", { name: "Open run" }).click();
    const agent = new StagedRun({ parent: "r-0", isAgent: true });
    await send(...agent.opening());
    await page.getByRole("button", { name: "Open parent run" }).click();
    assert.deepEqual(await said(), [
      { type: "openRun", run: "r-1" },
      { type: "openRun", run: "r-0" },
    ]);
  });
});

describe("a long run in the panel", () => {
  const open = panels();

  it("has a page of steps, and earlier ones on demand without moving what is read", async () => {
    const { page, send, said } = await open();
    const run = longRun(130);
    await send(...run.opening());
    const before = await page.locator(".step").count();
    await page.locator("#feed").evaluate((feed) => feed.scrollTo(0, 60));
    await page.locator("#jump").waitFor();
    const top = () => page.locator("#step-91").evaluate((step) => Math.round(step.getBoundingClientRect().top));
    await page.getByRole("button", { name: "Earlier steps" }).click();
    await send();
    const topBefore = await top();
    await send(run.page(91));
    assert.deepEqual(
      {
        before,
        after: await page.locator(".step").count(),
        said: await said(),
        moved: Math.abs((await top()) - topBefore) > 2,
      },
      { before: 40, after: 80, said: [{ type: "earlier", run: run.id, before: 91 }], moved: false },
    );
  });

  it("follows its end, but not while the user reads further up", async () => {
    const { page, send } = await open();
    const run = longRun(60);
    await send(...run.opening());
    const shows = (step: number) =>
      page.locator(`#step-${step}`).evaluate((element) => {
        const box = element.getBoundingClientRect();
        const feed = document.getElementById("feed")?.getBoundingClientRect();
        return feed !== undefined && box.bottom > feed.top && box.top < feed.bottom;
      });
    const from = run.events.length;
    run.step({ outcome: { status: "done", output: "a\nb\nc" } });
    await send(...eventsOf(run, from));
    const followed = await shows(61);
    await page.locator("#feed").hover();
    await page.mouse.wheel(0, -1500);
    await page.locator("#jump").waitFor();
    const later = run.events.length;
    run.step({});
    await send(...eventsOf(run, later));
    const stayed = !(await shows(62));
    await page.locator("#jump").click();
    await page.locator("#jump").waitFor({ state: "detached" });
    assert.deepEqual({ followed, stayed, jumped: await shows(62) }, { followed: true, stayed: true, jumped: true });
  });
});

describe("a long run", () => {
  const open = panels();

  it("keeps two pages of steps at most", async () => {
    const { page, send } = await open();
    const run = longRun(45);
    await send(...run.opening());
    const from = run.events.length;
    for (let step = 0; step < 60; step++) run.step({});
    await send(...eventsOf(run, from));
    const count = await page.locator(".step").count();
    assert.deepEqual(
      { few: count <= 80, last: await page.locator(".step").last().getAttribute("id") },
      { few: true, last: "step-105" },
    );
  });
});

describe("a panel in trouble", () => {
  const open = panels();

  it("asks for a snapshot when it missed something, and continues from there", async () => {
    const { page, send, said } = await open();
    const run = workedRun();
    await send(...run.opening());
    const from = run.events.length;
    run.step({});
    run.step({ thoughts: { text: "All is well." } });
    await send(...eventsOf(run, from + 1));
    const asked = await said();
    await send(...run.opening());
    assert.deepEqual(
      { asked, last: spaced(await page.locator("#step-7 .prose").first().textContent()) },
      { asked: [{ type: "resync", run: run.id }], last: "All is well." },
    );
  });

  it("drops messages that are none", async () => {
    const { page, send, troubles } = await open();
    await send(...scene("start"));
    await page.evaluate(() => {
      for (const wrong of [
        null,
        "x",
        { type: "snapshot" },
        { type: "welcome", welcome: {} },
        { type: "eval", code: "1" },
      ])
        window.postMessage(wrong, "*");
    });
    await send();
    assert.deepEqual(
      { heading: await page.locator("h1").textContent(), troubles: troubles() },
      { heading: "AutoGPT", troubles: [] },
    );
  });
});

describe("a panel that cannot continue", () => {
  const open = panels();

  it("says so in a sentence when it cannot be drawn, and can be reloaded", async () => {
    const { page, send } = await open();
    await send(...scene("start"));
    await page.evaluate(() => {
      const { toFixed } = Number.prototype;
      Object.assign(window, { mend: () => Object.assign(Number.prototype, { toFixed }) });
      Number.prototype.toFixed = () => {
        throw new Error("No digits today.");
      };
    });
    await send(...scene("thinking"));
    const said = await page.getByRole("alert").getByRole("heading").textContent();
    await page.evaluate("mend()");
    await page.getByRole("button", { name: "Reload Panel" }).click();
    await send({ type: "welcome", welcome: WELCOME });
    assert.deepEqual(
      { said: spaced(said), after: await page.locator("h1").textContent() },
      { said: "The panel can't be displayed", after: "AutoGPT" },
    );
  });
});
