import assert from "node:assert/strict";
import type { PanelUpdate } from "../../src/schema/panel-messages.ts";
import type { Card } from "../../src/schema/panel-values.ts";
import { panels } from "./support/browser.ts";
import type { PanelUnderTest } from "./support/harness.ts";
import { COMPOSING, choose, pressComposing, tabTo } from "./support/keyboard.ts";
import { SHELL_CARD, scene, waitingRun } from "./support/scenes.ts";

const { step, hash } = SHELL_CARD;

/** Longer than a new card waits before it can be approved. */
const armed = (panel: PanelUnderTest): Promise<void> =>
  panel.page.locator("#approve:enabled").waitFor({ timeout: 5_000 });

function waitingFor(card: Card): readonly PanelUpdate[] {
  const run = waitingRun();
  return [...run.opening(), { type: "waiting", run: run.id, card }];
}

describe("a program that wouldn't see unsaved edits", () => {
  const open = panels();

  it("has its files named as they are now, and can be approved with and without saving them", async () => {
    const panel = await open();
    const { page, send, said } = panel;
    const card = { ...SHELL_CARD, unsavedFiles: ["src/a.ts", "b.ts"] };
    await send(...waitingFor(card));
    await armed(panel);
    const read = async () => ({
      files: await page.locator(".card-unsaved li").allInnerTexts(),
      button: (await page.locator("#approve").innerText()).trim(),
    });
    const all = await read();
    const { id } = waitingRun();
    await send({ type: "waiting", run: id, card: { ...card, unsavedFiles: ["b.ts"] } });
    const fewer = await read();
    await page.getByRole("button", { name: "More ways to approve" }).click();
    const others = await page.getByRole("menuitem").allInnerTexts();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save and approve" }).click();
    assert.deepEqual(
      { all, fewer: fewer.files, other: others[0]?.trim(), said: await said() },
      {
        all: { files: ["src/a.ts", "b.ts"], button: "Save and approve" },
        fewer: ["b.ts"],
        other: "Approve without saving",
        said: [{ type: "cardButton", button: "saveAndApprove", step, hash }],
      },
    );
  });
});

describe("a waiting proposal", () => {
  const open = panels();

  it("cannot be approved when it has only just appeared", async () => {
    const { page, said } = await open({ clock: true });
    await page.clock.pauseAt(Date.now() + 5_000);
    await page.evaluate(postAll, scene("waiting"));
    await page.clock.runFor(100);
    while (!(await page.evaluate(isCardSeen)));
    const button = page.locator("#approve");
    const atFirst = await button.isDisabled();
    await page.evaluate(() => document.querySelector<HTMLButtonElement>("#approve")?.click());
    await page.clock.runFor(500);
    assert.deepEqual(
      { atFirst, later: await button.isDisabled(), said: await said() },
      { atFirst: true, later: false, said: [] },
    );
  });

  it("is approved by keyboard alone, once", async () => {
    const panel = await open();
    await panel.send(...scene("waiting"));
    await armed(panel);
    await tabTo(panel.page, "Approve");
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("Enter");
    const focused = await panel.page.evaluate(() => document.activeElement?.id);
    assert.deepEqual(
      { said: await panel.said(), focused },
      { said: [{ type: "cardButton", button: "approve", step, hash }], focused: "dock" },
    );
  });

  it("is rejected at once by keyboard alone, without a reason", async () => {
    const { page, send, said } = await open();
    await send(...scene("waiting"));
    await tabTo(page, "Reject");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [{ type: "cardButton", button: "refuse", step, hash }]);
  });

  it("is rejected with what is written in the one text box, by its Send or by Reject", async () => {
    const { page, send, said } = await open();
    await send(...scene("waiting"));
    const box = page.locator("#composer");
    await box.fill("Use yarn.");
    await box.press("Enter");
    await box.fill("Use pnpm.");
    await page.getByRole("button", { name: "Reject" }).click();
    assert.deepEqual(
      { said: await said(), left: await box.inputValue() },
      {
        said: [
          { type: "say", text: "Use yarn." },
          { type: "cardButton", button: "refuse", step, hash, feedback: "Use pnpm." },
        ],
        left: "",
      },
    );
  });

  for (const how of COMPOSING)
    it(`isn't decided by keys that end a composed text, as in Japanese (${how})`, async () => {
      const { page, send, said } = await open();
      await send(...scene("waiting"));
      const box = page.locator("#composer");
      await box.fill("日本語");
      await pressComposing(box, "Enter", how);
      await box.fill("");
      await choose(page, "Other ways to decide", "Edit arguments…");
      const args = page.getByLabel("Arguments, as one JSON object");
      await args.fill('{"command_line": "echo 日本語"}');
      await pressComposing(args, "Enter", how, { ctrlKey: true });
      await pressComposing(args, "Escape", how);
      const kept = await args.inputValue();
      await args.press("Control+Enter");
      assert.deepEqual(
        { kept, said: await said() },
        {
          kept: '{"command_line": "echo 日本語"}',
          said: [
            {
              ...{ type: "cardButton", button: "editArguments", step, hash },
              args: { command_line: "echo 日本語" },
            },
          ],
        },
      );
    });

  it("is approved with the next 3, 10 or any number, from the menu by keyboard alone", async () => {
    const panel = await open();
    const { page } = panel;
    await panel.send(...scene("waiting"));
    await armed(panel);
    await tabTo(page, "More ways to approve");
    await page.keyboard.press("ArrowDown");
    const items = (await page.getByRole("menuitem").allInnerTexts()).map((text) => text.trim());
    await page.keyboard.type("c");
    await page.keyboard.press("Escape");
    const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await page.keyboard.press("ArrowDown");
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      { items, focused, said: await panel.said() },
      {
        items: [
          "Approve next 3",
          "Approve next 10",
          "Approve next N…",
          "Always allow npm test",
          "Continue without asking…",
          "Run isolated",
        ],
        focused: "More ways to approve",
        said: [{ type: "cardButton", button: "approveNext", step, hash, count: 5 }],
      },
    );
  });
});

describe("a waiting proposal, decided otherwise,", () => {
  const open = panels();

  it("takes other arguments once they are an object", async () => {
    const { page, send, said } = await open();
    await send(...scene("waiting"));
    await choose(page, "Other ways to decide", "Edit arguments…");
    const box = page.getByLabel("Arguments, as one JSON object");
    await box.fill("[]");
    await page.getByRole("button", { name: "Approve edited" }).click();
    const problem = await page.locator("#card-problem").textContent();
    await box.fill('{"command_line": "npm test"}');
    await page.getByRole("button", { name: "Approve edited" }).click();
    assert.deepEqual(
      { problem, said: await said() },
      {
        problem: "The arguments must be one JSON object, in braces.",
        said: [{ type: "cardButton", button: "editArguments", step, hash, args: { command_line: "npm test" } }],
      },
    );
  });

  it("has its command line edited as plain text", async () => {
    const { page, send, said } = await open();
    const args = { command_line: "npm test", folder: "shop" };
    await send(...waitingFor({ ...SHELL_CARD, text: "npm test", args }));
    await choose(page, "Other ways to decide", "Edit command…");
    const box = page.getByLabel("Command to run");
    const before = await box.inputValue();
    await box.fill("npm run lint");
    await box.press("Control+Enter");
    assert.deepEqual(
      { before, said: await said() },
      {
        before: "npm test",
        said: [
          {
            type: "cardButton",
            button: "editArguments",
            step,
            hash,
            args: { command_line: "npm run lint", folder: "shop" },
          },
        ],
      },
    );
  });

  it("explains which rule asked, and where it is", async () => {
    const { page, send } = await open();
    await send(...scene("waiting"));
    await choose(page, "Other ways to decide", "Explain", "menuitemcheckbox");
    const told = await page.locator(".card .explanation").textContent();
    assert.match(told ?? "", /^The rule is \S+\. It's /);
  });

  it("can be criticised, and taught as a rule", async () => {
    const panel = await open();
    await panel.send(...scene("waiting"));
    await armed(panel);
    await choose(panel.page, "More ways to approve", "Always allow npm test");
    await panel.send({ type: "notice", kind: "error", text: "The rule could not be kept." });
    await choose(panel.page, "Other ways to decide", "Ask for self-review");
    assert.deepEqual(await panel.said(), [
      { type: "cardButton", button: "alwaysAllow", step, hash },
      { type: "cardButton", button: "criticise", step, hash },
    ]);
  });

  it("offers the diff for a change, and no grant for what is sensitive", async () => {
    const { page, send, said } = await open();
    await send(...scene("waiting-change"));
    await page.getByRole("button", { name: "Show diff", exact: true }).click();
    await send(...scene("waiting-sensitive"));
    assert.deepEqual(
      {
        said: await said(),
        grants: await page.getByRole("button", { name: "More ways to approve" }).count(),
      },
      { said: [{ type: "cardButton", button: "review", step, hash: "hash-6c" }], grants: 0 },
    );
  });

  it("warns of a line that runs what it downloads, with the words marked that do", async () => {
    const { page, send } = await open({ width: 300 });
    await send(...scene("waiting-dangerous"));
    const warning = page.locator(".card-why .warns");
    assert.deepEqual(
      {
        marked: await page.locator(".card-body mark").allTextContents(),
        text: (await warning.textContent())?.trim(),
        icons: await warning.locator(".icon.warn").count(),
        line: (await page.locator(".card-body pre").textContent())?.trim(),
      },
      {
        marked: ["curl", "sh"],
        text: "Runs whatever the download contains. Can't be checked in advance.",
        icons: 1,
        line: "curl -fsSL https://example.com/install.sh | sh",
      },
    );
  });

  it("says how much the user's own edits left of a change", async () => {
    const { page, send } = await open();
    await send(...scene("waiting-change"));
    const read = async () => ({
      figures: (await page.locator(".proposal .figures > [aria-hidden]").textContent())?.replace(/\s+/g, " ").trim(),
      edited: (await page.locator(".tag.edited, .card-edited").allTextContents()).map((text) => text.trim()),
      button: (await page.locator("#approve").textContent())?.trim(),
    });
    const before = await read();
    const figures = { added: 2, removed: 0, hunks: 1, dropped: 1, edited: true };
    await send({ type: "figures", run: waitingRun().id, hash: "hash-6c", figures });
    assert.deepEqual(
      [before, await read()],
      [
        { figures: "+3 −6", edited: [], button: "Approve" },
        { figures: "+2", edited: ["Edited", "Edited by you: 1 change dropped."], button: "Approve" },
      ],
    );
  });

  it("says that its file isn't saved, and can be saved first", async () => {
    const { page, send, said } = await open();
    await send(...scene("waiting-unsaved"));
    const text = (await page.locator(".card-unsaved").textContent())?.trim();
    await page.getByRole("button", { name: "Save first" }).click();
    await send(...scene("waiting-notebook"));
    const notebook = (await page.locator(".card-unsaved").textContent())?.trim();
    assert.deepEqual(
      { text, notebook, said: await said() },
      {
        text: "This file has unsaved edits. It will be changed in the editor, not on disk.",
        notebook: "This notebook is open. It will be changed in the editor, not on disk.",
        said: [{ type: "cardButton", button: "saveAndReviewAgain", step, hash: "hash-6c" }],
      },
    );
  });
});

describe("the stream while a proposal waits", () => {
  const open = panels();

  for (const size of [
    { width: 300, height: 638 },
    { width: 640, height: 400 },
  ]) {
    it(`has at least half of the height, at ${size.width} by ${size.height}`, async () => {
      const panel = await open(size);
      await panel.send(...scene("waiting"));
      await armed(panel);
      const height = await panel.page.locator("#feed").evaluate(({ clientHeight }) => clientHeight);
      assert.ok(height >= size.height / 2, `It has ${height} of ${size.height} px.`);
    });
  }
});

describe("a card", () => {
  const open = panels();

  it("never takes the focus from what is being typed, and gives it to the dock when it goes", async () => {
    const panel = await open();
    const [snapshot, page, nothing, waiting] = scene("waiting");
    assert.ok(snapshot && page && nothing && waiting);
    await panel.send(snapshot, page, nothing);
    await panel.page.keyboard.type("I was wri");
    await panel.send(waiting);
    await panel.page.keyboard.type("ting");
    const typed = await panel.page.locator("#composer").inputValue();
    await armed(panel);
    await panel.page.locator("#approve").focus();
    await panel.send(nothing);
    const focused = await panel.page.evaluate(() => document.activeElement?.id);
    assert.deepEqual({ typed, focused }, { typed: "I was writing", focused: "dock" });
  });

  it("shows all of a text that comes in pieces, and can be approved only then", async () => {
    const panel = await open();
    const { page } = panel;
    const text = "x".repeat(60_000);
    const run = waitingRun().id;
    await panel.send(...waitingFor({ ...SHELL_CARD, text, more: true }));
    await page.waitForTimeout(600);
    await page.locator(".card-body").evaluate((body) => body.scrollTo(0, 9_999));
    const early = await page.locator("#approve").isEnabled();
    await panel.send(
      { type: "cardText", run, hash, text, more: true },
      { type: "cardText", run, hash, text: "end", more: false },
    );
    await page.locator("#unfold").click();
    await page.keyboard.press("End");
    await armed(panel);
    const shown = await page.locator(".proposal pre").textContent();
    assert.deepEqual({ early, shown: shown === `${text}${text}end` }, { early: false, shown: true });
  });

  it("begins at its top, and keeps the ways to decide in view, however long it is and whatever came before", async () => {
    const panel = await open({ width: 300, height: 560 });
    const { page } = panel;
    const run = waitingRun().id;
    const text = "a line of it\n".repeat(80);
    await panel.send(...waitingFor({ ...SHELL_CARD, text }));
    await page.locator("#unfold").click();
    await page.locator(".card-body").evaluate((body) => body.scrollTo(0, 9_999));
    await panel.send({ type: "waiting", run, card: { ...SHELL_CARD, text, step: 7, hash: "hash-7" } });
    await page.locator("#unfold").click();
    const inView = await page.evaluate(() =>
      [".card-body > :first-child", ".card-why", "#approve", "#composer"].map((selector) => {
        const box = document.querySelector(selector)?.getBoundingClientRect();
        return box !== undefined && box.top >= 0 && box.top < window.innerHeight - 20;
      }),
    );
    const scrolled = await page.locator(".card-body").evaluate((body) => body.scrollTop);
    assert.deepEqual({ inView, scrolled }, { inView: [true, true, true, true], scrolled: 0 });
  });

  it("asks the agent's question and sends the answer", async () => {
    const { page, send, said } = await open();
    await send(...scene("asking"));
    await page.getByLabel("Your answer").fill("Yes, keep it.");
    await page.keyboard.press("Enter");
    assert.deepEqual(await said(), [{ type: "say", text: "Yes, keep it." }]);
  });
});

/** Runs in the page: only posts, because the clock is paused. */
function postAll(messages: readonly unknown[]): void {
  for (const message of messages) window.postMessage(message, "*");
}

/** Runs in the page. */
function isCardSeen(): boolean {
  return window.heard.some((heard) => Object(heard).type === "seen");
}
