import assert from "node:assert/strict";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import { panels } from "./support/browser.ts";
import { StagedRun, type StagedStep } from "./support/staged-run.ts";

const spaced = (text: string | null): string => (text ?? "").replace(/\s+/g, " ").trim();

const WHY = {
  reasoning: "A failing test says more than the code alone, so it comes first. ".repeat(3),
  plan: "- run the tests\n- read the cart\n- fix the discount\n- run the tests again",
  criticism: "Running all tests may take long.",
  speak: "I look at what fails.",
};

const FAILURE = `Exit code 1 after 1.2 s.
> shop@1.0.0 test
> node --test

✖ voucher takes 10 percent (1.2ms)
  AssertionError: Expected 90, got 99.9
      at test/cart.test.js:14:10
ℹ pass 4
ℹ fail 1`;

const SHELL = { name: "execute_shell", args: { command_line: "npm test" } };

/** Ten steps as a real run has them: looks, a failing program, edits, a rejection. */
const TEN: readonly StagedStep[] = [
  look("list_files", { folder: "." }),
  look("read_file", { filename: "src/cart.js" }),
  look("read_file", { filename: "src/money.js" }),
  {
    call: { name: "execute_shell", args: { command_line: "npm test" } },
    outcome: { status: "done", exitCode: 1, output: FAILURE },
  },
  {
    call: { name: "edit_file", args: { filename: "src/cart.js", edits: [{ search: "a", replace: "b" }] } },
    outcome: {
      status: "done",
      output: 'Edited "src/cart.js" in 2 places.',
      files: [{ file: "src/cart.js", change: "changed", added: 3, removed: 6, line: 12 }],
    },
  },
  {
    call: { name: "execute_shell", args: { command_line: "npm test" } },
    outcome: { status: "done", output: "Exit code 0.\nAll good." },
  },
  look("search_files", { pattern: "voucher", folder: "docs" }),
  look("read_file", { filename: "README.md" }),
  {
    call: { name: "write_to_file", args: { filename: "docs/vouchers.md", contents: "# Vouchers" } },
    outcome: {
      status: "done",
      output: "Wrote it.",
      files: [{ file: "docs/vouchers.md", change: "created", added: 24, removed: 0 }],
    },
  },
  {
    call: { name: "delete_file", args: { filename: "src/old.js" } },
    outcome: { status: "refused", feedback: "The user says: Keep it, the shop uses it." },
  },
];

function look(name: string, args: Readonly<Record<string, unknown>>): StagedStep {
  return { call: { name, args }, rule: "read", outcome: { status: "done", output: "a line\n".repeat(26) } };
}

function played(steps: readonly StagedStep[]): StagedRun {
  const run = new StagedRun({ task: "Fix the voucher discount in the cart." });
  for (const step of steps) run.step({ thoughts: { text: "The next thing is this one.", ...WHY }, ...step });
  return run;
}

describe("the stream of steps", () => {
  const open = panels();

  it("has a line for each step once it is done, and one for several that only looked", async () => {
    const { page, send } = await open({ width: 300, height: 638 });
    const run = played(TEN);
    run.add({ type: "over", end: { reason: "stopped" } });
    await send(...run.opening());
    const lines = await page.locator(".line").allInnerTexts();
    assert.deepEqual(lines.map(spaced), [
      "Steps 1 to 3: Explored 3 places (Done)",
      "Step 4: npm test (Failed) Exit code 1",
      "Step 5: Edited src/cart.js (Done) 3 lines added and 6 lines removed +3 −6",
      "Step 6: npm test (Done)",
      "Steps 7 to 8: Explored 2 places (Done)",
      "Step 9: Created docs/vouchers.md (Done) 24 lines added +24",
      "Step 10: Delete src/old.js (Rejected by you) Rejected by you",
    ]);
  });

  it("takes at most one and a half heights of the panel for ten steps", async () => {
    const { page, send } = await open({ width: 300, height: 638 });
    await send(...played(TEN).opening());
    const height = await page.locator("#feed > div").evaluate((all) => all.getBoundingClientRect().height);
    assert.ok(height <= 1.5 * 638, `The steps are ${height} px high.`);
  });

  it("opens files at their changes from its lines, and the steps behind a line by mouse and by keyboard", async () => {
    const { page, send, said } = await open({ width: 300, height: 638 });
    await send(...played(TEN).opening());
    await page.locator("#step-5").getByRole("link", { name: "src/cart.js" }).click();
    const files = await said();
    await page.locator(".looks").first().locator(".line-title > .word").first().click();
    const inside = await page.locator(".looks").first().locator(".step .line-title").allInnerTexts();
    const details = page.getByRole("button", { name: "Details of step 2" });
    await details.focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(
      {
        files,
        inside: inside.map(spaced),
        open: await details.getAttribute("aria-expanded"),
        parts: await page.locator("#step-2 h4").allInnerTexts(),
        foot: spaced(await page.locator("#step-2 .decision").textContent()),
      },
      {
        files: [{ type: "openFile", label: "src/cart.js", line: 12 }],
        inside: ["Step 1: Listed files (Done)", "Step 2: Read src/cart.js (Done)", "Step 3: Read src/money.js (Done)"],
        open: "true",
        parts: ["Reasoning", "Plan", "Self-review", "Command read_file", "Result, as the agent got it"],
        foot: "No approval needed",
      },
    );
  });

  it("names the instructions that came with a step, each to be opened", async () => {
    const { page, send, said } = await open();
    const rules = [
      { file: "src/AGENTS.md", text: "" },
      { file: ".cursor/rules/js.mdc", text: "" },
    ];
    const call = { name: "execute_shell", args: { command_line: "npm test" } };
    await send(...played([{ call, outcome: { status: "done", output: "Fine.", rules } }]).opening());
    await page.getByRole("button", { name: "Details of step 1" }).click();
    const shown = page.locator("#step-1 .outcome .hint");
    await shown.getByRole("button", { name: "src/AGENTS.md" }).click();
    assert.deepEqual(
      { text: spaced(await shown.textContent()), said: await said() },
      {
        text: "Instructions for these files, which can't widen permissions: src/AGENTS.md .cursor/rules/js.mdc",
        said: [{ type: "openFile", label: "src/AGENTS.md" }],
      },
    );
  });

  it("keeps the latest thoughts in view until the next ones arrive", async () => {
    const { page, send } = await open();
    const run = played(TEN.slice(0, 2));
    await send(...run.opening());
    const thoughts = async () => (await page.locator(".thoughts .prose").allInnerTexts()).map(spaced);
    const from = run.events.length;
    run.step({ until: "asked" });
    await send(...events(run, from));
    const waiting = await thoughts();
    const delta = { field: "text", text: "Now the tests." } as const;
    await send({ type: "thought", run: run.id, step: 3, deltas: [delta] });
    assert.deepEqual(
      { waiting, streaming: await thoughts() },
      { waiting: ["The next thing is this one."], streaming: ["Now the tests."] },
    );
  });

  it("grows at least every 250 ms while a reply streams at 30 tokens a second", async () => {
    const { page, send } = await open({ width: 300, height: 638 });
    const run = played(TEN.slice(0, 2));
    run.step({ until: "asked" });
    await send(...run.opening());
    const fields = ["text", "reasoning", "plan", "criticism", "speak"] as const;
    const lengths: number[] = [];
    for (let token = 0; token < 40; token++) {
      const field = fields[Math.floor(token / 8)] ?? "speak";
      await send({ type: "thought", run: run.id, step: 3, deltas: [{ field, text: `word${token} ` }] });
      lengths.push((await page.locator("#feed").innerText()).length);
    }
    const still = lengths.filter((length, index) => index > 0 && length <= (lengths[index - 1] ?? 0)).length;
    assert.equal(still, 0, "Each token is visible at once, so 30 a second are one each 33 ms.");
  });

  it("shows a failed test with its name, difference and place, and only without one the last lines, without spinners", async () => {
    const { page, send, said } = await open();
    const test = { name: "cart › counts", expected: "5", actual: "2", file: "test/cart.test.js", line: 8 };
    const run = played([
      { call: SHELL, outcome: { status: "done", exitCode: 1, output: FAILURE, failedTests: [test] } },
      { call: SHELL, outcome: { status: "done", exitCode: 1, output: "Exit code 1.\nNo such file\n⠙\n" } },
    ]);
    await send(...run.opening());
    const tests = await page.locator(".failed-tests li").allTextContents();
    await page.getByRole("link", { name: "test/cart.test.js:8" }).click();
    assert.deepEqual(
      {
        tests: tests.map(spaced),
        lines: (await page.locator(".last-lines").allTextContents()).map(spaced),
        said: await said(),
      },
      {
        tests: ["cart › counts expected 5, got 2 test/cart.test.js:8"],
        lines: ["No such file"],
        said: [{ type: "openFile", label: "test/cart.test.js", line: 8 }],
      },
    );
  });

  it("doesn't repeat a spoken thought that the first one contains, not even while it streams", async () => {
    const { page, send } = await open();
    const run = played(TEN.slice(0, 2));
    run.step({ until: "asked" });
    const deltas = [
      { field: "text", text: "Good: I write the **page**, then the test." },
      { field: "speak", text: "I write the page, th" },
    ] as const;
    await send(...run.opening(), { type: "thought", run: run.id, step: 3, deltas });
    const same = await page.locator("#step-3 .speak").count();
    await send({ type: "thought", run: run.id, step: 3, deltas: [{ field: "speak", text: "at's all." }] });
    assert.deepEqual([same, await page.locator("#step-3 .speak").count()], [0, 1]);
  });

  it("shows how much of a long command has arrived after the thoughts", async () => {
    const { page, send } = await open();
    const run = played(TEN.slice(0, 2));
    run.step({ until: "asked" });
    const delta = { field: "text", text: "I write the page." } as const;
    await send(...run.opening(), { type: "thought", run: run.id, step: 3, deltas: [delta] });
    const line = async () => spaced(await page.locator("#step-3 .line").innerText());
    const thinking = await line();
    const lines: string[] = [];
    for (const written of [1_200, 1_320]) {
      await send({ type: "thought", run: run.id, step: 3, deltas: [], written });
      lines.push(await line());
    }
    assert.deepEqual(
      { thinking, lines },
      {
        thinking: "Step 3: Thinking…",
        lines: ["Step 3: Writing the command… 1,200 characters", "Step 3: Writing the command… 1,320 characters"],
      },
    );
  });

  it("merges what was undone at once into one line, with its files", async () => {
    const { page, send, said } = await open();
    const run = played(TEN);
    for (const [step, file] of [
      [9, "docs/vouchers.md"],
      [5, "src/cart.js"],
    ] as const)
      run.add({ type: "undone", step, files: [file] });
    await send(...run.opening());
    const notes = (await page.locator(".note").allInnerTexts()).map(spaced);
    await page.locator(".note").getByText("src/cart.js").click();
    assert.deepEqual(
      { notes, said: await said() },
      {
        notes: ["Undid 2 steps: docs/vouchers.md and src/cart.js"],
        said: [{ type: "openFile", label: "src/cart.js" }],
      },
    );
  });
});

function events(run: StagedRun, from: number): readonly PanelUpdate[] {
  return run.events.slice(from).map((event) => ({ type: "event", run: run.id, event }));
}
