import assert from "node:assert/strict";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import type { Card } from "../../src/schema/panel-values.ts";
import { golden } from "../support/golden.ts";
import { panels } from "./support/browser.ts";
import type { PanelUnderTest } from "./support/harness.ts";
import { accessibleName, tabStops } from "./support/keyboard.ts";
import { MODELS, SCENES, type Scene, SHELL_CARD, scene, waitingRun, workedRun } from "./support/scenes.ts";

const RUN = { width: 300, height: 638 } as const;
/** High enough that nothing has to scroll. */
const ALL_IN_VIEW = { width: 300, height: 2_000 } as const;

function sceneOf(name: string): Scene {
  const found = SCENES.find((one) => one.name === name);
  assert.ok(found, `There is no scene "${name}".`);
  return found;
}

/** States whose proposal can be approved after a moment. */
const SHOWN_WHOLE: ReadonlySet<string> = new Set(["waiting", "approve-menu"]);

/** Shows a state once nothing in it is about to change, and nothing of the state before it is kept. */
async function show(panel: PanelUnderTest, name: string): Promise<void> {
  await panel.show(sceneOf("start"));
  await panel.show(sceneOf(name));
  if (SHOWN_WHOLE.has(name)) await panel.page.locator("#approve:enabled").waitFor();
}

/** States as a screen reader gets them, each with the part of the page that is special in it. */
const READ = [
  ["start", "main"],
  ["start-mentions", ".composer"],
  ["profile", "main"],
  ["waiting", ".run"],
  ["waiting-change", ".card.proposal"],
  ["approve-menu", ".menu:popover-open"],
  ["more-menu", ".menu:popover-open"],
  ["editing-command", ".card.proposal"],
  ["asking", ".dock"],
  ["run-menu", ".menu:popover-open"],
  ["runs-menu", ".menu:popover-open"],
  ["header-unfolded", ".run-header"],
  ["step-unfolded", "#step-1"],
  ["paused-key", ".card.paused"],
  ["finished-changes", ".card.end"],
  ["stepping", ".dock"],
  ["permissions", "main"],
  ["models", "main"],
  ["tools", "main"],
] as const;

/** Pages in which Tab leads from the first element to the last one. */
const TABBED = [
  "start",
  "start-rejected",
  "profile",
  "waiting",
  "waiting-change",
  "editing-command",
  "asking",
  "header-unfolded",
  "finished-changes",
  "stepping",
  "permissions",
  "models",
  "tools",
] as const;

describe("the panel for a screen reader", () => {
  const open = panels();

  it("has this tree of roles, names and states in each of its pages", async () => {
    const panel = await open(RUN);
    const trees: string[] = [];
    for (const [name, part] of READ) {
      await show(panel, name);
      trees.push(`== ${name}\n${await panel.page.locator(part).ariaSnapshot()}`);
    }
    golden("panel/tree.txt", trees.join("\n\n"));
  });

  it("is walked through by Tab in this order", async () => {
    const panel = await open(ALL_IN_VIEW);
    const orders: string[] = [];
    for (const name of TABBED) {
      await show(panel, name);
      orders.push([`== ${name}`, ...(await tabStops(panel.page))].join("\n"));
    }
    golden("panel/tab-order.txt", orders.join("\n\n"));
  });
});

const CHANGE: Card = {
  ...SHELL_CARD,
  command: "edit_file",
  args: { filename: "src/parser.ts" },
  text: "",
  file: "src/parser.ts",
  preview: "change",
  figures: { added: 3, removed: 6, hunks: 2, dropped: 0, edited: false },
};

describe("what a screen reader announces", () => {
  const open = panels();

  it("is each thing once: a proposal, what it waits for, the user's edit, the step, the end and an error", async () => {
    const { page, send } = await open(RUN);
    const run = workedRun();
    const { id } = run;
    const { step, hash } = CHANGE;
    const args = { filename: "src/parser.ts" };
    run.step({ call: { name: "edit_file", args }, until: "replied" });
    await send(...run.opening());
    await page.evaluate(listen);
    const figures = { added: 2, removed: 1, hunks: 1, dropped: 1, edited: true };
    const trouble: PanelUpdate = { type: "notice", kind: "error", text: "The disk is full." };
    const from = run.events.length;
    run.add({ type: "decided", step, allow: true, by: "user", reason: "approved", hash });
    run.add({ type: "began", step, command: "edit_file", args });
    run.add({ type: "ended", step, outcome: { status: "done", output: "Edited." } });
    run.add({ type: "over", end: { reason: "finished", summary: "All tests pass." } });
    await send({ type: "waiting", run: id, card: CHANGE }, { type: "waiting", run: id, card: CHANGE });
    await page.locator("#approve-hint").waitFor();
    await send({ type: "figures", run: id, hash, figures }, { type: "figures", run: id, hash, figures });
    await send({ type: "seen", run: id, hash });
    await send(...run.events.slice(from).map((event): PanelUpdate => ({ type: "event", run: id, event })));
    await send(...run.opening({ running: false }), trouble, trouble);
    assert.deepEqual(await page.evaluate(() => window.announced), [
      "Step 6: approval needed. Edit src/parser.ts?",
      "Open the diff to approve.",
      "1 change dropped. The proposal is now +2 −1.",
      "You can approve it now.",
      "In progress: Edit src/parser.ts.",
      "Step 6: Edited src/parser.ts. Done.",
      "Finished. All tests pass.",
      "The disk is full.",
    ]);
  });

  it("is no old news at the end of the page", async () => {
    const { page, send } = await open({ ...RUN, clock: true });
    await send(...scene("waiting"));
    const log = page.getByRole("log");
    const first = await log.innerText();
    await page.clock.runFor(11_000);
    assert.deepEqual([first === "", await log.innerText()], [false, ""]);
  });
});

declare global {
  interface Window {
    announced: string[];
  }
}

/** Runs in the page: collects what is added to its live region. */
function listen(): void {
  window.announced = [];
  const log = document.querySelector("[role=log]");
  if (!log) throw new Error("There is no live region.");
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof HTMLElement) window.announced.push(node.innerText);
  }).observe(log, { childList: true });
}

/** A press that removes or disables what has the focus, and where the focus is after that. */
interface Press {
  readonly state: string;
  readonly button: string;
  readonly answers?: readonly PanelUpdate[];
  readonly focus: string;
}

const RUN_ID = waitingRun().id;
const YOUR_TURN = 'region "Your turn"';
const AGENTS_TURN = 'region "Say something to the agent"';

const PRESSES: readonly Press[] = [
  { state: "waiting", button: "Reject", focus: YOUR_TURN },
  { state: "waiting", button: "Approve", answers: [{ type: "waiting", run: RUN_ID }], focus: AGENTS_TURN },
  { state: "editing-command", button: "Cancel", focus: 'heading "Run this command? Step 6" [level=2]' },
  { state: "start-blocked", button: "Close this message", focus: 'heading "AutoGPT" [level=1]' },
  {
    state: "permissions",
    button: "Revoke: npm test",
    answers: [{ type: "permissions", groups: [] }],
    focus: 'heading "What is allowed" [level=1]',
  },
  {
    state: "models",
    button: "Anthropic: Remove key",
    answers: [{ type: "models", models: { ...MODELS, providers: [] } }],
    focus: 'heading "Models" [level=1]',
  },
];

describe("the focus", () => {
  const open = panels();

  it("is never lost when what has it is gone", async () => {
    const panel = await open(RUN);
    const found: string[] = [];
    for (const { state, button, answers = [] } of PRESSES) {
      await show(panel, state);
      await panel.page.getByRole("button", { name: button, exact: true }).focus();
      await panel.page.keyboard.press("Enter");
      await panel.send(...answers);
      found.push(`${state}, ${button}: ${await focusOf(panel)}`);
    }
    assert.deepEqual(
      found,
      PRESSES.map(({ state, button, focus }) => `${state}, ${button}: ${focus}`),
    );
  });

  it("returns to what opened a menu, the details of the run or a step, on Escape", async () => {
    const panel = await open(RUN);
    const { page } = panel;
    await show(panel, "waiting");
    const found: boolean[] = [];
    for (const [opener, inside] of [
      [page.getByRole("button", { name: "Other ways to decide" }), ".menu:popover-open .menu-item"],
      [page.locator(".facts > summary"), ".facts .details"],
      [page.getByRole("button", { name: "Details of step 1" }), "#step-1 .inside button"],
    ] as const) {
      await opener.focus();
      await page.keyboard.press("Enter");
      await page.locator(inside).first().focus();
      await page.keyboard.press("Escape");
      await page.locator(OPENED).first().waitFor({ state: "detached" });
      found.push(await opener.evaluate((element) => element === document.activeElement));
    }
    await page.locator(".run-profile > summary").click();
    const edit = page.getByRole("button", { name: "Edit profile" });
    await edit.click();
    await page.keyboard.press("Escape");
    found.push(await edit.evaluate((element) => element === document.activeElement));
    assert.deepEqual(found, [true, true, true, true]);
  });

  it("moves between the steps by arrows, and Tab stops at one of them", async () => {
    const panel = await open(RUN);
    await show(panel, "waiting");
    const { page } = panel;
    await page.getByRole("button", { name: "Details of step 5" }).focus();
    const found: string[] = [];
    for (const key of ["ArrowUp", "Home", "ArrowUp", "ArrowDown", "Shift+Tab", "Tab", "End"]) {
      await page.keyboard.press(key);
      found.push(`${key}: ${await focusOf(panel)}`);
    }
    assert.deepEqual(found, [
      'ArrowUp: button "Details of step 4"',
      'Home: button "Details of step 1"',
      'ArrowUp: button "Details of step 1"',
      'ArrowDown: button "Details of step 2"',
      'Shift+Tab: link "src/parser.ts"',
      'Tab: button "Details of step 2"',
      'End: button "Details of step 5"',
    ]);
  });
});

describe("Tab", () => {
  const open = panels();

  it("stops at the newest step of a run at work, and at the step where the user has been", async () => {
    const { page, send } = await open(RUN);
    const run = workedRun();
    await send(...run.opening());
    const stop = page.locator(".line-toggle:not([tabindex='-1'])");
    const found = [accessibleName(await stop.ariaSnapshot())];
    const addStep = async (): Promise<void> => {
      const from = run.events.length;
      run.step({ call: { name: "edit_file", args: { filename: "src/parser.ts" } } });
      await send(...run.events.slice(from).map((event): PanelUpdate => ({ type: "event", run: run.id, event })));
      found.push(accessibleName(await stop.ariaSnapshot()));
    };
    await addStep();
    await page.getByRole("button", { name: "Details of step 2" }).focus();
    await addStep();
    assert.deepEqual(
      found,
      [5, 6, 2].map((step) => `button "Details of step ${step}"`),
    );
  });
});

/** What Escape closes. */
const OPENED = ".menu:popover-open, .facts[open], .step [aria-expanded=true]";

/** The role and name of what has the focus. */
async function focusOf({ page }: PanelUnderTest): Promise<string> {
  const focused = page.locator(":focus");
  if ((await focused.count()) === 0) return "nothing";
  return accessibleName(await focused.ariaSnapshot());
}
