import assert from "node:assert/strict";
import path from "node:path";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import { displayText } from "../../src/texts/display-text.ts";
import { panels, translation } from "./support/browser.ts";
import { ISOLATED, isolatedReview, REVIEW, WAYS } from "./support/isolated-scenes.ts";
import { WELCOME, workedRun } from "./support/scenes.ts";

const SHOTS = path.join(import.meta.dirname, "../shots");

describe("the mode Isolated", () => {
  const open = panels();

  it("starts a run in a copy, and shows what it can reach with the settings to change that", async () => {
    const { page, send, said } = await open({ width: 300 });
    const isolation = { hosts: ["registries", "example.com"], lent: [".env.test"] };
    await send({ type: "welcome", welcome: { ...WELCOME, isolation } });
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Isolated");
    const lead = await page.locator(".lead").textContent();
    const text = await page.locator(".isolation .hint").textContent();
    await page.screenshot({ path: `${SHOTS}/isolated-start.png` });
    await page.getByRole("button", { name: "Allow hosts…" }).click();
    await page.getByRole("textbox").fill("Fix the parser");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { lead, text, said: await said() },
      {
        lead: "The agent works in a sandboxed copy and doesn't ask. You review all changes at the end.",
        text: "Network: only registries and example.com. Files with secrets: only .env.test.",
        said: [
          { type: "openSetting", setting: "autogpt.isolation.hosts" },
          { type: "start", task: "Fix the parser", isolated: true },
        ],
      },
    );
  });

  it("leads from the start page to changes that no one has reviewed", async () => {
    const { page, send, said } = await open({ width: 300 });
    const run = { id: "r-1", task: "Fix the parser", title: "Fix the parser", state: "finished" } as const;
    await send({ type: "welcome", welcome: { ...WELCOME, lastRuns: [{ ...run, toReview: true }] } });
    await page.getByRole("button", { name: "Finished: Fix the parser Changes to review" }).click();
    await page.screenshot({ path: `${SHOTS}/isolated-to-review.png` });
    assert.deepEqual(await said(), [{ type: "openRun", run: "r-1" }]);
  });

  it("sends nothing where there is no sandbox, and says why", async () => {
    const { page, send, said } = await open({ width: 300 });
    const isolation = {
      why: "bubblewrap isn't installed. Install the package bubblewrap.",
      hosts: [],
      lent: [],
    };
    await send({ type: "welcome", welcome: { ...WELCOME, isolation } });
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Isolated");
    await page.getByRole("textbox").fill("Fix the parser");
    await page.keyboard.press("Enter");
    const text = await page.locator(".notice p").textContent();
    await page.screenshot({ path: `${SHOTS}/isolated-unavailable.png` });
    await page.getByRole("button", { name: "Check again" }).click();
    assert.deepEqual(
      { text: text?.trim(), said: await said() },
      {
        text: "Isolated runs aren't available here. bubblewrap isn't installed. Install the package bubblewrap.",
        said: [],
      },
    );
  });
});

describe("the review of an isolated run", () => {
  const open = panels();

  it("offers the chosen files together, and each one with a reason on its own", async () => {
    const { page, send, said } = await open({ width: 340, height: 1200 });
    await send(...isolatedReview(workedRun(ISOLATED)));
    const end = page.locator(".card.end");
    await end.getByRole("checkbox", { name: "Accept src/old.ts with the others" }).uncheck();
    await end.getByRole("button", { name: "Accept 2 files" }).click();
    const while_ = await end.getByRole("button", { name: "Accept 2 files" }).isDisabled();
    await send({ type: "review", run: workedRun().id, review: REVIEW });
    await end.getByRole("button", { name: "Accept .vscode/tasks.json" }).click();
    await send({ type: "review", run: workedRun().id, review: REVIEW });
    const lines = await end.locator("li.own", { hasText: "package.json" }).locator("code").allTextContents();
    await end.getByRole("button", { name: "Edit src/cart.ts" }).click();
    await end.getByRole("button", { name: "Take mine: src/cart.ts" }).click();
    await send({ type: "review", run: workedRun().id, review: REVIEW });
    await end.getByRole("button", { name: "Take the run's: src/cart.ts" }).click();
    await send({ type: "review", run: workedRun().id, review: REVIEW });
    await end.getByRole("button", { name: "Open changes" }).click();
    for (const name of ["Keep as branch…", "Create pull request…", "Discard…", "Ask for changes…"]) {
      await end.getByRole("button", { name: "More ways to decide" }).click();
      await page.getByRole("menuitem", { name }).click();
    }
    const focus = await page.evaluate(() => document.activeElement?.id);
    assert.deepEqual(
      { while_, focus, lines, said: await said() },
      {
        while_: true,
        focus: "composer",
        lines: ['"postinstall": "node setup.js"'],
        said: [
          { type: "acceptChanges", version: "v1", files: ["src/parser.ts", "test/parser.test.ts"] },
          { type: "acceptChanges", version: "v1", files: [".vscode/tasks.json"] },
          { type: "showChange", file: "src/cart.ts" },
          { type: "acceptChanges", version: "v1", files: ["src/cart.ts"], side: "mine" },
          { type: "acceptChanges", version: "v1", files: ["src/cart.ts"], side: "run" },
          { type: "act", action: "reviewChanges" },
          { type: "act", action: "keepAsBranch" },
          { type: "act", action: "createPullRequest" },
          { type: "act", action: "discardChanges" },
        ],
      },
    );
  });

  it("shows each change on one line, unless it has more to say, and no conflict once it's merged", async () => {
    const { page, send } = await open({ width: 300, height: 1200 });
    const [first, ...rest] = REVIEW.rows;
    if (!first) throw new Error("The review has no rows.");
    await send(...isolatedReview(workedRun(ISOLATED)));
    const rows = page.locator(".review li:has(> .button, > .file)");
    const readHeights = () => rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height <= 26));
    const heights = await readHeights();
    const read = async () => (await rows.filter({ hasText: first.file }).locator(".tag").allTextContents()).join();
    const before = await read();
    await send({
      type: "review",
      run: workedRun().id,
      review: { ...REVIEW, rows: [{ file: first.file, kind: "edited", added: 4, removed: 1, edited: true }, ...rest] },
    });
    const after = await read();
    assert.deepEqual(
      { heights, before, after },
      { heights: [false, true, false, true, true, true, true, true], before: "Conflict", after: "" },
    );
  });

  it("offers to accept nothing while no file is chosen, and keeps its menu open meanwhile", async () => {
    const { page, send } = await open({ width: 300, language: translation("de") });
    await send(...isolatedReview(workedRun(ISOLATED)));
    const end = page.locator(".card.end");
    const buttons = async () => (await end.locator(".row .button").allTextContents()).map((one) => one.trim());
    const before = await buttons();
    for (const box of await end.getByRole("checkbox").all()) await box.uncheck();
    const after = await buttons();
    await end.getByRole("button", { name: "Weitere Möglichkeiten zum Entscheiden" }).click();
    const found = { file: "new.ts", kind: "created", added: 1, removed: 0 } as const;
    await send({ type: "review", run: workedRun().id, review: { ...REVIEW, rows: [...REVIEW.rows, found] } });
    await end.getByRole("button", { name: "1 Datei übernehmen" }).waitFor();
    assert.deepEqual(
      { before, after, isMenuOpen: await page.getByRole("menuitem", { name: "Verwerfen…" }).isVisible() },
      {
        before: ["3 Dateien übernehmen", "Änderungen öffnen", ""],
        after: ["Änderungen öffnen", ""],
        isMenuOpen: true,
      },
    );
  });

  it("says what became of the changes, and offers to take them back", async () => {
    const { page, send, said } = await open();
    const run = workedRun(ISOLATED);
    run.add({ type: "reviewed", what: "accepted", files: ["a.ts", "b.ts"], conflicts: ["c.ts"] });
    await send(...isolatedReview(run, { ...REVIEW, rows: [], count: 0, undoable: true }));
    const end = page.locator(".card.end");
    const text = (await end.locator(".result").textContent())?.replace(/\s+/g, " ").trim();
    await end.getByRole("button", { name: "Undo accepting…" }).click();
    assert.deepEqual(
      {
        text,
        buttons: (await end.locator(".row .button").allTextContents()).map((one) => one.trim()),
        said: await said(),
      },
      {
        text: "Accepted 2 files into the workspace. 1 file has conflicts and was left out.",
        buttons: ["Undo accepting…", "Ask for changes…"],
        said: [{ type: "act", action: "undoRun" }],
      },
    );
  });

  it("offers nothing once everything was discarded", async () => {
    const { page, send } = await open();
    const run = workedRun(ISOLATED);
    await send(...isolatedReview(run));
    const event = run.add({ type: "reviewed", what: "discarded", files: ["a.ts"] });
    await send({ type: "event", run: run.id, event });
    const end = page.locator(".card.end");
    await end.getByText("Discarded the changes of 1 file.").waitFor();
    const buttons = await end.locator("button").allTextContents();
    await page.locator(".read-only", { hasText: "so the run can only be read" }).waitFor();
    assert.deepEqual(
      { buttons: buttons.map((one) => one.trim()), boxes: await page.getByRole("textbox").count() },
      { buttons: [], boxes: 0 },
    );
  });

  it("can be opened while the run works, and shows its sandbox in the header", async () => {
    const { page, send, said } = await open();
    const run = workedRun(ISOLATED);
    run.step({ until: "asked" });
    await send(...run.opening({ sandbox: { limits: ["memory", "processes"] } }));
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Review changes" }).click();
    await send({ type: "review", run: run.id, review: REVIEW });
    const heading = (await page.locator(".card.end h2").textContent())?.trim();
    const badge = await page.locator(".badge").getAttribute("title");
    await page.locator(".facts summary").click();
    await page.locator(".sandbox li").first().waitFor();
    const limits = await page.locator(".sandbox li").allTextContents();
    assert.deepEqual(
      { heading, badge, limits: limits.map((text) => text.trim()), said: await said() },
      {
        heading: "Changes so far",
        badge: "Works in a sandboxed copy. What stays in it doesn't ask. Network: off.",
        limits: [
          "Memory is limited",
          "Number of processes is limited",
          "Disk space can't be limited here",
          "Processor time can't be limited here",
        ],
        said: [{ type: "act", action: "reviewChanges" }],
      },
    );
  });

  for (const [name, options] of [
    ["dark", { theme: "dark-2026", width: 300 }],
    ["light", { theme: "light-2026", width: 340 }],
    ["contrast", { theme: "hc-dark", width: 300 }],
    ["german", { theme: "dark-2026", width: 300, language: translation("de") }],
    ["japanese", { theme: "dark-2026", width: 300, language: translation("ja") }],
    ["wide", { theme: "light-2026", width: 1100, place: "editor" }],
  ] as const)
    it(`is pictured in test/shots (${name})`, async () => {
      const { page, send, troubles } = await open({ height: 1100, ...options });
      const messages: readonly PanelUpdate[] = isolatedReview(workedRun(ISOLATED), {
        ...REVIEW,
        notes: [displayText("approval.moreFiles", { count: 2 })],
      });
      await send(...messages);
      for (const fold of await page.locator(".review summary").all()) await fold.click();
      await page.screenshot({ path: `${SHOTS}/isolated-review-${name}.png` });
      assert.deepEqual(troubles(), []);
    });
});

describe("the comparison of several ways", () => {
  const open = panels();

  it("shows the check, cost and size of each, and opens one", async () => {
    const { page, send, said } = await open({ width: 1100, place: "editor", theme: "light-2026" });
    await send({ type: "ways", ways: WAYS });
    await page.screenshot({ path: `${SHOTS}/isolated-ways.png` });
    const rows = await page
      .locator("tbody tr")
      .evaluateAll((all) => all.map((row) => (row.textContent ?? "").replace(/\s+/g, " ").trim()));
    await page.getByRole("button", { name: "Accept gpt-large" }).click();
    await page.getByRole("button", { name: "Review gpt-large" }).click();
    await page.getByRole("button", { name: "Open changes of gpt-large" }).click();
    await page.getByText("Output").click();
    const output = await page.locator("pre").textContent();
    await page.screenshot({ path: `${SHOTS}/isolated-ways-output.png` });
    assert.deepEqual(
      { rows, output, said: await said() },
      {
        rows: [
          "gpt-large The sign stays: parse() no longer removes it. The check passed $0.21 14 3 min 2 files 9 lines added and 3 lines removed+9 −3 Accept Review Open changes",
          "qwen3-coder:30b Rewrote the parser with a table of tokens. The check failed (exit code 1) Output1 failing Unknown 31 12 min 5 files 80 lines added and 41 lines removed+80 −41 Accept Review Open changes",
          "Without new dependencies Running $0.02 3 24 s Review",
          "llama The disk is full. Couldn't start $0.00 0 0 s",
        ],
        output: "1 failing",
        said: [
          { type: "chooseWay", run: "r-1", look: "accept" },
          { type: "chooseWay", run: "r-1", look: "review" },
          { type: "chooseWay", run: "r-1", look: "changes" },
        ],
      },
    );
  });
});
