import assert from "node:assert/strict";
import { listStepMessages } from "../../src/editor/panel/feed.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import { DEMO_MODEL } from "../../src/schema/run-values.ts";
import { ICON_PATHS } from "../../src/webview/ui/icon-paths.ts";
import { panels } from "./support/browser.ts";
import { scene, workedRun } from "./support/scenes.ts";
import { StagedRun } from "./support/staged-run.ts";

const SUMMARY = "The parser keeps the minus sign now, and all 3 tests pass.";

/** A run that finished with this summary, as the panel gets it. */
function finished(run = workedRun()): {
  readonly run: StagedRun;
  readonly messages: readonly PanelUpdate[];
} {
  run.step({
    thoughts: { text: "All is done." },
    call: { name: "task_complete", args: { reason: SUMMARY } },
    outcome: { status: "finished", summary: SUMMARY },
  });
  run.add({ type: "over", end: { reason: "finished", summary: SUMMARY } });
  const changes: PanelUpdate = {
    type: "changes",
    run: run.id,
    files: ["src/parser.ts", "test/parser.test.ts"],
    count: 2,
    lines: [{ file: "src/parser.ts", added: 3, removed: 6 }],
    checks: [{ title: { code: "timeline.didRunCommand", parameters: { command: "npm test" } }, passed: true }],
  };
  return { run, messages: [...run.opening({ running: false }), changes] };
}

/** The events of a run whose step changed a file. */
function markChange(events: readonly AgentEvent[], step: number): readonly AgentEvent[] {
  return events.map((event) => {
    if (event.type !== "ended" || event.step !== step) return event;
    return { ...event, outcome: { status: "done", output: "", files: [{ file: "a.ts", change: "changed" }] } };
  });
}

describe("a run that has finished", () => {
  const open = panels();

  it("counts its steps, in the singular and in the plural", async () => {
    const counted: string[] = [];
    for (const run of [new StagedRun(), workedRun()]) {
      const { page, send } = await open();
      await send(...finished(run).messages);
      counted.push((await page.locator(".card.end .totals").textContent()) ?? "");
    }
    assert.match(counted[0] ?? "", /\b1 step · /);
    assert.match(counted[1] ?? "", /\b\d+ steps · /);
  });

  it("keeps the result of a check in one line beside a long command", async () => {
    const { page, send } = await open({ width: 300 });
    const { messages } = finished();
    const title = {
      code: "timeline.didRunCommand",
      parameters: { command: `npm test && echo ${"long ".repeat(30)}` },
    };
    await send(
      ...messages.map((one) => (one.type === "changes" ? { ...one, checks: [{ title, passed: false }] } : one)),
    );
    const lines = await page
      .locator(".checks .hint")
      .evaluate(
        (element) => element.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(element).lineHeight),
      );
    assert.equal(Math.round(lines), 1);
  });

  it("shows its summary once, with what it changed and what can become of that", async () => {
    const { page, send, said } = await open();
    await send(...finished().messages);
    const end = page.locator(".card.end");
    await end.getByText("2 files changed").waitFor();
    const times = ((await page.locator(".run").textContent()) ?? "").split(SUMMARY).length - 1;
    for (const name of ["Review Changes", "Undo…", "Other ways to decide"])
      await end.getByRole("button", { name }).click();
    await page.getByRole("menuitem", { name: "Commit…" }).click();
    await end.getByRole("button", { name: "Other ways to decide" }).click();
    await page.getByRole("menuitem", { name: "Create pull request…" }).click();
    await end.getByRole("button", { name: "src/parser.ts", exact: true }).click();
    const figures = (await end.locator(".figures").textContent())?.replace(/\s+/g, " ").trim();
    const checks = (await end.locator(".checks li").allTextContents()).map((text) => text.trim().split(/\s+/).at(-1));
    assert.deepEqual(
      { times, figures, checks, said: await said() },
      {
        times: 1,
        figures: "3 lines added and 6 lines removed+3 −6",
        checks: ["Passed"],
        said: [
          { type: "act", action: "reviewChanges" },
          { type: "act", action: "undoRun" },
          { type: "act", action: "commitChanges" },
          { type: "act", action: "createPullRequest" },
          { type: "openFile", label: "src/parser.ts" },
        ],
      },
    );
  });

  it("shows the Markdown of its answer: headings, lists, tables and code, and no HTML", async () => {
    const run = workedRun();
    const summary =
      "## Done\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nparse()\n```\n<img src=x onerror=alert(1)>";
    run.add({ type: "over", end: { reason: "finished", summary } });
    const { page, send, troubles } = await open({ width: 300 });
    await send(...run.opening({ running: false }));
    const count = (selector: string) => page.locator(`.card.end .prose ${selector}`).count();
    assert.deepEqual(
      {
        items: await count("li"),
        cells: await count("td"),
        code: await count("pre"),
        images: await count("img"),
        troubles: troubles(),
      },
      { items: 2, cells: 2, code: 1, images: 0, troubles: [] },
    );
  });

  it("has no row for its end, whose thought is shown with those of the other steps", async () => {
    const { page, send } = await open();
    await send(...scene("finished-changes"));
    const readSteps = () => page.locator(".line-title, .thought-line").allTextContents();
    const before = await readSteps();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Show thoughts" }).click();
    const after = (await readSteps()).slice(before.length - 1);
    assert.deepEqual(
      { rows: before.filter((title) => /Finished/.test(title)), last: after.at(-1) },
      { rows: [], last: "All is done." },
    );
  });

  it("leads from the demo to a model of the user's own", async () => {
    const { page, send, said } = await open();
    const [snapshot, ...rest] = finished().messages;
    if (snapshot?.type !== "snapshot") throw new Error("A run opens with its snapshot.");
    const model = { ...snapshot.state.model, smart: DEMO_MODEL };
    await send({ ...snapshot, state: { ...snapshot.state, model } }, ...rest);
    const end = page.locator(".card.end");
    await end.getByText("2 files changed").waitFor();
    const buttons = (await end.locator(".row").getByRole("button").allTextContents()).map((text) => text.trim());
    await end.locator(".button.primary").click();
    assert.deepEqual(
      { buttons, said: await said() },
      {
        buttons: ["Set up model", "Review changes", "Undo…"],
        said: [{ type: "act", action: "openModels" }],
      },
    );
  });

  it("offers to redo what was undone, and nothing else while nothing is left", async () => {
    const { page, send, said } = await open();
    const { run, messages } = finished();
    await send(...messages, { type: "changes", run: run.id, files: [], count: 0, redoable: true });
    const buttons = page.locator(".card.end .row").getByRole("button");
    const offered = (await buttons.allTextContents()).map((text) => text.trim());
    await buttons.first().click();
    assert.deepEqual(
      { offered, said: await said() },
      {
        offered: ["Redo", "Keep working"],
        said: [{ type: "act", action: "redo" }],
      },
    );
  });

  it("is continued by a message: a follow-up, or that it isn't done", async () => {
    const { page, send, said } = await open();
    await send(...finished().messages);
    await page.locator("#composer").fill("Add a test.");
    await page.keyboard.press("Enter");
    const keepWorking = async (): Promise<void> => {
      await page.locator(".card.end").getByRole("button", { name: "Other ways to decide" }).click();
      await page.getByRole("menuitem", { name: "Keep working" }).click();
    };
    await keepWorking();
    await page.locator("#composer").fill("The sign is still lost.");
    await keepWorking();
    assert.deepEqual(await said(), [
      { type: "say", text: "Add a test." },
      { type: "say", text: "It isn't done yet. Check the goals again, and continue." },
      { type: "say", text: "The sign is still lost." },
    ]);
  });

  it("shows a plan with the button that carries it out", async () => {
    const { run, messages } = finished();
    const { page, send, said } = await open();
    const state = { ...run.state, mode: "plan", recent: [] } as const;
    await send(...messages.map((message) => (message.type === "snapshot" ? { ...message, state } : message)));
    await page.getByRole("button", { name: "Carry out plan" }).click();
    assert.deepEqual(await said(), [{ type: "act", action: "carryOut" }]);
  });

  it("lists the pages that its answer may rest on, with links and quotes", async () => {
    const run = workedRun();
    const pages = [
      { url: "https://a.example/sea", title: "The <sea>", quotes: ["It is blue, and **deep**."] },
      { url: "javascript:alert(1)", title: "", quotes: [] },
    ];
    run.add({ type: "over", end: { reason: "finished", summary: SUMMARY, pages } });
    const { page, send, said, troubles } = await open({ width: 300 });
    await send(...run.opening({ running: false }));
    const sources = page.locator(".read-pages");
    const text = (await sources.innerText()).split(/\n+/).map((line) => line.trim());
    await sources.getByRole("link", { name: "The <sea>" }).click();
    assert.deepEqual(
      { text, links: await sources.getByRole("link").count(), said: await said(), troubles: troubles() },
      {
        text: [
          "Sources",
          "2 pages",
          "The <sea> (https://a.example/sea)",
          "It is blue, and **deep**.",
          "javascript:alert(1)",
        ],
        links: 1,
        said: [{ type: "openLink", address: "https://a.example/sea" }],
        troubles: [],
      },
    );
  });

  it("lists no pages where none were read", async () => {
    const { page, send } = await open();
    await send(...finished().messages);
    await page.locator(".card.end").waitFor();
    assert.equal(await page.locator(".read-pages").count(), 0);
  });

  it("can be stepped through, step by step, and left again", async () => {
    const { run, messages } = finished();
    const { page, send, said } = await open();
    await send(...messages);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Step through" }).click();
    await send(...listStepMessages(run.id, markChange(run.events, 5), 2));
    await page.getByText("Step 2 of 6").waitFor();
    const steps = await page.locator("article.step").count();
    const icon = await page.locator(".run-header .activity svg path").getAttribute("d");
    const marks = await page.locator(".walk-marks path").getAttribute("d");
    await page.locator("#walk-slider").press("ArrowRight");
    await page.locator("#walk-back").click();
    await page.locator("#walk-slider").press("End");
    await page.locator("#walk-slider").press("Home");
    await page.locator("#walk-number").fill("5");
    await page.locator("#walk-number").press("Enter");
    await page.locator("#walk-leave").click();
    assert.deepEqual(
      { steps, isPauseSign: icon === ICON_PATHS.pause, marks, said: await said() },
      {
        steps: 2,
        isPauseSign: false,
        marks: "M5 0v1",
        said: [...[1, 3, 2, 6, 0, 5].map((step) => ({ type: "stepThrough", step })), { type: "stepThrough" }],
      },
    );
  });

  it("moves as many steps as there are clicks, however late the steps come", async () => {
    const run = workedRun();
    for (let count = 0; count < 30; count++) run.step({ call: { name: "do_nothing", args: {} } });
    const { page, send, said } = await open();
    await send(...listStepMessages(run.id, run.events, 1));
    for (let count = 0; count < 20; count++) await page.locator("#walk-on").click();
    const wanted = await page.locator("#walk-number").inputValue();
    await send(...listStepMessages(run.id, run.events, 3));
    const between = await page.locator("#walk-number").inputValue();
    await send(...listStepMessages(run.id, run.events, 21));
    await page.locator("#walk-on").click();
    assert.deepEqual(
      { wanted, between, last: (await said()).at(-1) },
      { wanted: "21", between: "21", last: { type: "stepThrough", step: 22 } },
    );
  });
});
