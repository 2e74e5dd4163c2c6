import type { Locator, Page } from "playwright-core";
import { eventually } from "./eventually.ts";

/** How long a click that isn't lost takes to show. */
const CLICK_MS = 3_000;

/** The diff editor in front, and its two sides. */
export interface DiffEditor {
  readonly whole: Locator;
  readonly original: Locator;
  readonly modified: Locator;
}

/** The diff editor that is shown. */
export function diffEditor(page: Page): DiffEditor {
  const whole = page.locator(".monaco-diff-editor").filter({ visible: true });
  return { whole, original: whole.locator(".editor.original"), modified: whole.locator(".editor.modified") };
}

/** The visible text of an editor, with plain spaces, a string a line. */
export async function linesOf(editor: Locator): Promise<readonly string[]> {
  const lines = await editor.locator(".view-line").evaluateAll((elements) =>
    elements
      .map((element) => ({
        top: Number.parseFloat((element as HTMLElement).style.top),
        text: element.textContent ?? "",
      }))
      .sort((one, other) => one.top - other.top)
      .map(({ text }) => text),
  );
  return lines.map((line) => line.replaceAll("\u00a0", " "));
}

/** Puts the cursor at the end of the line with this text. */
export async function clickLine(editor: Locator, text: string): Promise<void> {
  await editor.locator(".view-line").filter({ hasText: text }).first().click();
  await editor.page().keyboard.press("End");
}

/** Presses VS Code's own arrow beside the line with this text, until the line is gone: a click is lost when VS Code draws its arrows anew. */
export async function clickRevertArrow({ whole, modified }: DiffEditor, text: string): Promise<void> {
  const line = modified
    .locator(".view-line")
    .filter({ hasText: new RegExp(text) })
    .first();
  // Off the title, whose hover would cover the arrow.
  await modified.locator(".view-lines").hover();
  const arrows = whole.locator('[aria-label^="Revert Block"], [aria-label^="Revert Change"]');
  const limit = { timeout: CLICK_MS };
  let isClicked = false;
  await eventually(`A line "${text}" that its arrow reverts`, async () => {
    if (isClicked && (await line.count()) === 0) return true;
    const at = await line.boundingBox(limit).catch(() => undefined);
    for (const arrow of at ? await arrows.all() : []) {
      const box = await arrow.boundingBox(limit).catch(() => undefined);
      if (!at || !box || Math.abs(box.y - at.y) >= at.height) continue;
      isClicked = true;
      await arrow.click(limit).catch(() => undefined);
      await line.waitFor({ ...limit, state: "detached" }).catch(() => undefined);
      break;
    }
    return false;
  });
}

/** Presses a button in the title of the editor in front, by its tooltip. */
export async function clickTitleButton(page: Page, label: string): Promise<void> {
  await page.locator(`.editor-actions a.action-label[aria-label^="${label}"]`).first().click();
}
