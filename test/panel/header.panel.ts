import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import type { OpenRun } from "../../src/schema/panel-values.ts";
import { seriousFindings } from "./support/axe.ts";
import { panels } from "./support/browser.ts";
import { scene, WELCOME, workedRun } from "./support/scenes.ts";
import { StagedRun } from "./support/staged-run.ts";

const SHOTS = path.join(import.meta.dirname, "../shots");
const HEADER = ".run-header";

const { id } = workedRun();
const RUNS: readonly OpenRun[] = [
  { run: "r-2", title: "Write the release notes", state: "question", attention: true },
  { run: id, title: "The parser", state: "thinking", attention: false },
  { run: "r-3", title: "Update the lexer", state: "finished", attention: false },
];

const withRuns = (messages: readonly PanelUpdate[]): readonly PanelUpdate[] => [
  ...messages,
  { type: "runs", runs: [...RUNS] },
];

describe("the header of a run", () => {
  const open = panels();

  for (const [theme, width] of [
    ["dark-2026", 300],
    ["light-2026", 340],
    ["hc-dark", 1200],
    ["hc-light", 300],
  ] as const)
    it(`has two lines of 56 px at most, at ${width} px in the theme ${theme}`, async () => {
      const { page, send } = await open({ theme, width, height: 638 });
      await send(...withRuns(scene("thinking")));
      const height = await page.locator(HEADER).evaluate((header) => header.clientHeight);
      fs.mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: path.join(SHOTS, `header-${theme}-${width}.png`) });
      assert.deepEqual(
        {
          low: height <= 56,
          title: await page.locator("h1").textContent(),
          facts: (await page.locator(`${HEADER} .fact`).allInnerTexts()).map((text) => text.split("\n")[0]),
          badge: await page.locator(".summary .badge, .facts .badge").textContent(),
        },
        { low: true, title: "The parser", facts: ["$0.016", "3 steps", "1/3"], badge: "3 pre-approved" },
      );
    });

  it("shows the task as long as the user has given the run no name", async () => {
    const { page, send } = await open();
    await send(...scene("thinking"), { type: "runs", runs: [] });
    const task = await page.locator("h1").textContent();
    await send({ type: "runs", runs: [...RUNS] });
    assert.deepEqual(
      [task, await page.locator("h1").textContent()],
      ["Find out why the tests of the parser fail and fix it.", "The parser"],
    );
  });

  it("unfolds to the plan as a checklist, the meters and the goals", async () => {
    const { page, send, troubles } = await open({ width: 300, height: 638 });
    await send(...withRuns(scene("thinking")));
    await page.locator(".facts > summary").click();
    await page.screenshot({ path: path.join(SHOTS, "header-unfolded-300.png") });
    const findings = await seriousFindings(page);
    assert.deepEqual(
      {
        plan: await page.locator(".facts .checklist li").evaluateAll((rows) => rows.map((row) => row.className)),
        meters: await page.locator(".facts .meter-name").allTextContents(),
        goals: await page.locator(".facts .goals li").count(),
        shut: await page.evaluate(() => {
          document.querySelector<HTMLElement>(".facts > summary")?.click();
          return document.querySelector(".facts")?.hasAttribute("open");
        }),
        troubles: [...findings, ...troubles()],
      },
      {
        plan: ["done", "in_progress", "pending", "dropped"],
        meters: ["Money", "Tokens", "Steps", "Time", "Context"],
        goals: 3,
        shut: false,
        troubles: [],
      },
    );
  });

  it("has what a mention has quoted in a fold below the task, and not in its title", async () => {
    const { page, send } = await open({ width: 300 });
    const quote = "==== begin data from tidy.prompt.md (not instructions) ====\nTidy it.\n==== end data ====";
    const run = new StagedRun({ task: `@prompt:tidy\n\n@prompt:tidy:\n${quote}` });
    await send(...run.opening());
    const fold = page.locator(".run-header .quoted");
    const before = await fold.locator("pre").count();
    await fold.locator("summary").click();
    assert.deepEqual(
      {
        title: await page.locator(".run-header h1").textContent(),
        before,
        quoted: (await fold.locator("pre").textContent())?.includes("Tidy it."),
      },
      { title: "@prompt:tidy", before: 0, quoted: true },
    );
  });

  it("leaves open what wasn't marked as done when the run has finished", async () => {
    const { page, send } = await open();
    const run = new StagedRun();
    run.step({
      thoughts: { plan: "- list the files\n- read them" },
      outcome: { status: "done", output: "" },
    });
    run.step({
      thoughts: { plan: "" },
      call: { name: "task_complete", args: {} },
      outcome: { status: "finished", summary: "Done." },
    });
    run.add({ type: "over", end: { reason: "finished", summary: "Done." } });
    await send(...run.opening());
    assert.deepEqual(
      {
        header: (await page.locator(".fact .hidden").textContent())?.trim(),
        card: await page.locator(".card.end .checklist li").allInnerTexts(),
      },
      {
        header: "Plan: 0 of 2 done",
        card: ["list the files · not marked done", "read them · not marked done"],
      },
    );
  });
});

describe("the menu of a run", () => {
  const open = panels();

  it("works by keyboard: arrows, letters, Home, End and Escape, and gives the focus back", async () => {
    const { page, send, said } = await open({ width: 300, height: 638 });
    await send(...scene("thinking"));
    const button = page.getByRole("button", { name: "More actions" });
    await button.focus();
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.querySelector(".menu-label")?.textContent ?? document.activeElement?.id,
      );
    const keys: (string | undefined)[] = [];
    for (const key of ["ArrowDown", "ArrowDown", "End", "ArrowDown", "e", "Home", "ArrowUp", "Escape"]) {
      await page.keyboard.press(key);
      keys.push(await focused());
    }
    await page.keyboard.press("ArrowUp");
    keys.push(await focused());
    const expanded = await button.getAttribute("aria-expanded");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { keys, expanded, after: await focused(), said: await said() },
      {
        keys: [
          "Change run…",
          "Continuous mode",
          "What is allowed",
          "Change run…",
          "Edit task…",
          "Change run…",
          "What is allowed",
          "run-menu-button",
          "What is allowed",
        ],
        expanded: "true",
        after: "run-menu-button",
        said: [{ type: "act", action: "showPermissions" }],
      },
    );
  });

  it("has every action of a working run, says what is on, and stays in the page", async () => {
    const { page, send, said } = await open({ width: 300, height: 638, theme: "light-2026" });
    await send(...scene("acting"));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.screenshot({ path: path.join(SHOTS, "header-menu-300.png") });
    const menu = page.getByRole("menu", { name: "More actions" });
    const box = await menu.boundingBox();
    const labels = await menu.locator(".menu-label").allTextContents();
    const on = await menu.getByRole("menuitemcheckbox", { name: "Continuous mode" }).getAttribute("aria-checked");
    await menu.getByRole("menuitem", { name: "Open as text" }).click();
    assert.deepEqual(
      {
        labels,
        on,
        inside: box !== null && box.x >= 0 && box.x + box.width <= 300 && box.y + box.height <= 638,
        said: await said(),
        open: await menu.count(),
      },
      {
        labels: [
          "Change run…",
          "Continuous mode",
          "Compact now",
          "Edit task…",
          "Show thoughts",
          "Open as text",
          "Open in editor",
          "Fork…",
          "Export…",
          "What is allowed",
        ],
        on: "true",
        inside: true,
        said: [{ type: "act", action: "openAsText" }],
        open: 0,
      },
    );
  });

  it("offers neither changes nor compaction for a run that can only be read", async () => {
    const { page, send } = await open();
    await send(...scene("stored"));
    await page.getByRole("button", { name: "More actions" }).click();
    assert.deepEqual(await page.locator("#run-menu .menu-label").allTextContents(), [
      ...["Show thoughts", "Open as text", "Open in editor", "Fork…", "Export…", "What is allowed"],
    ]);
  });
});

describe("several runs", () => {
  const open = panels();

  it("at work are above the start page, a click away", async () => {
    const { page, send, said, troubles } = await open({ width: 300, height: 638 });
    await send({ type: "welcome", welcome: WELCOME }, { type: "runs", runs: [...RUNS] });
    const bar = page.getByRole("navigation", { name: "Runs in progress" });
    await page.screenshot({ path: path.join(SHOTS, "header-open-runs-300.png") });
    const rows = (await bar.getByRole("button").allTextContents()).map((row) => row.replace(/\s+/g, " ").trim());
    const findings = await seriousFindings(page);
    await bar.getByRole("button", { name: "The parser" }).click();
    assert.deepEqual(
      { rows, said: await said(), troubles: [...findings, ...troubles()] },
      {
        rows: ["Write the release notes Question", "The parser Thinking"],
        said: [{ type: "openRun", run: id }],
        troubles: [],
      },
    );
  });

  it("are switched in the header, which counts the others that need attention", async () => {
    const { page, send, said } = await open({ width: 300, height: 638 });
    await send({ type: "welcome", welcome: WELCOME }, ...withRuns(scene("thinking")));
    const button = page.getByRole("button", { name: "Switch run (1 other run needs attention)" });
    const badge = await page.locator(".title .badge").textContent();
    await button.click();
    await page.screenshot({ path: path.join(SHOTS, "header-switcher-300.png") });
    const rows = await page.locator("#runs-menu .menu-item").allInnerTexts();
    const checked = await page.locator('#runs-menu [aria-checked="true"] .menu-label').textContent();
    const findings = await seriousFindings(page);
    await page.getByRole("menuitemradio", { name: "Write the release notes" }).click();
    await button.click();
    await page.getByRole("menuitem", { name: "New run" }).click();
    assert.deepEqual(
      {
        badge,
        rows: rows.map((row) => row.replace(/\s+/g, " ").trim()),
        checked,
        findings,
        said: await said(),
      },
      {
        badge: "1",
        rows: [
          "Write the release notes Question",
          "The parser Thinking",
          "Update the lexer Finished",
          "New run",
          "All runs",
        ],
        checked: "The parser",
        findings: [],
        said: [
          { type: "openRun", run: "r-2" },
          { type: "act", action: "newRun" },
        ],
      },
    );
  });
});
