import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { DONE, finish, type SeenRequest, saying, stream, textChunks, usage } from "../../support/fake-model-server.ts";
import { git, writeFiles } from "../../support/repositories.ts";
import { eventually } from "../support/eventually.ts";
import { takePicture } from "../support/pictures.ts";
import { quickPickRow, runPaletteAction } from "../support/quick-input.ts";
import { toast } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

const ACTIONS = ".sidebar .pane-header .actions, .sidebar .composite.title";
const button = (page: Page, label: string) => page.locator(ACTIONS).locator(`[aria-label^="${label}"]`).first();

/** Presses a button of the title, which shows its buttons under the mouse. */
async function press(page: Page, label: string): Promise<void> {
  await button(page, label).waitFor({ state: "attached" });
  await page.locator(".scm-editor").first().hover();
  await button(page, label).click();
}

/** The text in the box of Source Control. */
const boxText = async (page: Page): Promise<string> =>
  (await page.locator(".scm-editor .view-lines .view-line").allTextContents()).join("\n").replaceAll("\u00a0", " ");

const FINDING = {
  severity: "high",
  file: "sum.js",
  line: 44,
  code: "for (let i = 0; i <= items.length; i++)",
  title: "One item too many",
  reason: "The last item is undefined, so the sum is not a number.",
  suggestion: "Compare with <.",
};

/** The time between two keys of someone who types. */
const KEY_MS = 60;

/** A finding in the view of comments. */
const commentRow = (page: Page) => page.locator(".comments-panel .monaco-list-row", { hasText: FINDING.title });

describe("Source Control", () => {
  const onStage = useStage();

  /** Makes the workspace a repository with a staged change, and opens its view. */
  async function openSourceControl(): Promise<string> {
    const { page, folder } = onStage();
    if (!fs.existsSync(path.join(folder, ".git"))) {
      git(folder, "init", "-q", "-b", "main");
      git(folder, "add", "-A");
      git(folder, "commit", "-q", "-m", "shop: first version");
      writeFiles(folder, {
        "sum.js":
          "export function sum(items) {\n  let total = 0;\n  for (let i = 0; i <= items.length; i++) total += items[i];\n  return total;\n}\n",
      });
      git(folder, "add", "sum.js");
    }
    const box = page.locator(".scm-editor").first();
    // The badge with the number of changes covers the icon, and passes clicks on.
    const icon = page.locator('.activitybar a.action-label[aria-label^="Source Control"]');
    if (!(await box.isVisible())) await icon.click({ force: true });
    await box.waitFor();
    await button(page, "Draft Commit Message").waitFor({ state: "attached" });
    return folder;
  }

  it("has a message drafted into its box, stops on demand, and commits nothing", async () => {
    const { page, model } = onStage();
    const folder = await openSourceControl();
    const never = new Promise<void>(() => undefined);
    model.play(
      stream(...textChunks("shop: a sum ", "that"), { until: never }),
      stream(...textChunks("shop: a sum of items"), finish(), usage(900, 9), DONE),
    );
    await press(page, "Draft Commit Message");
    const streamed = await eventually("The first words", async () => {
      const text = await boxText(page);
      return text.includes("shop: a sum") && text;
    });
    await takePicture(page, "scm-drafting");
    await press(page, "Stop Drafting");
    const stopped = await eventually("An empty box", async () => !(await boxText(page)).includes("shop") && "empty");
    await press(page, "Draft Commit Message");
    const drafted = await eventually("The draft", async () => {
      const text = await boxText(page);
      return text.includes("of items") && text;
    });

    const typed = Promise.withResolvers<void>();
    model.play(
      stream(
        ...textChunks("shop: other"),
        { until: typed.promise },
        ...textChunks(" words"),
        finish(),
        usage(9, 9),
        DONE,
      ),
    );
    await press(page, "Draft Commit Message");
    await eventually("The next words", async () => (await boxText(page)).includes("other"));
    await page.locator(".scm-editor").click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type(" of mine", { delay: KEY_MS });
    typed.resolve();
    await button(page, "Stop Drafting").waitFor({ state: "detached" });
    const afterTyping = await boxText(page);

    assert.deepEqual(
      {
        streamed: streamed.startsWith("shop: a sum"),
        stopped,
        drafted,
        afterTyping,
        commits: git(folder, "rev-list", "--count", "HEAD").trim(),
      },
      {
        streamed: true,
        stopped: "empty",
        drafted: "shop: a sum of items",
        afterTyping: "shop: other of mine",
        commits: "1",
      },
    );
  });

  it("has changes reviewed, with comments on the lines that can be fixed and dismissed", async () => {
    const { page, model } = onStage();
    const folder = await openSourceControl();
    model.play(saying(JSON.stringify({ findings: [FINDING, { ...FINDING, code: "total /= 2", title: "Nowhere" }] })));
    await runPaletteAction(page, "AutoGPT: Review Changes with AutoGPT");
    await quickPickRow(page, "Uncommitted changes").click();
    const summary = await toast(page, "1 finding").first().innerText();
    await takePicture(page, "scm-summary");
    await page.locator(".notification-toast .monaco-button", { hasText: "Show findings" }).click();
    await commentRow(page).click();
    const thread = page.locator(".review-widget", { hasText: "One item too many" });
    await thread.waitFor();
    const shown = await thread.innerText();
    await takePicture(page, "scm-finding");
    const asked = (): readonly SeenRequest[] =>
      model.server.requests.filter(({ body }) =>
        JSON.stringify(body ?? "").includes("what a review has found in sum.js"),
      );
    await thread.locator('[aria-label^="Fix"]').click();
    await eventually("A run that fixes it", () => asked().length > 0);
    await thread.locator('[aria-label^="Dismiss"]').click();
    await thread.waitFor({ state: "detached" });

    assert.deepEqual(
      {
        summary: /1 finding: 1 high, 0 medium, 0 low\..*1 finding cited code/s.test(summary),
        shown: ["High", "One item too many", "The last item is undefined", "Compare with <."].map((text) =>
          shown.includes(text),
        ),
        line: /line 3/.test(JSON.stringify(asked()[0]?.body)),
        file: git(folder, "status", "--short").trim(),
      },
      { summary: true, shown: [true, true, true, true], line: true, file: "A  sum.js" },
    );
  });

  it("shows the findings in a commit in its file as it was, if the file has changed since", async () => {
    const { page, model } = onStage();
    const folder = await openSourceControl();
    git(folder, "commit", "-q", "-m", "shop: sums");
    writeFiles(folder, { "sum.js": "// Rewritten.\n" });
    model.play(saying(JSON.stringify({ findings: [FINDING] })));
    await runPaletteAction(page, "AutoGPT: Review Changes with AutoGPT");
    await quickPickRow(page, "One commit").click();
    await quickPickRow(page, "shop: sums").click();
    await page.locator(".notification-toast .monaco-button", { hasText: "Show findings" }).click();
    await commentRow(page).click();
    await page.locator(".review-widget", { hasText: FINDING.title }).waitFor();

    const before = page.locator(".editor-instance .view-lines", { hasText: /export.function.sum/ });
    await before.first().waitFor();
    await runPaletteAction(page, "View: Close All Editors");
    assert.equal(fs.readFileSync(path.join(folder, "sum.js"), "utf8"), "// Rewritten.\n");
  });
});
