import type { Locator, Page } from "playwright-core";
import { eventually } from "./eventually.ts";

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

/** Presses VS Code's own arrow that takes back the change beside the line with this text. */
export async function clickRevertArrow({ whole, modified }: DiffEditor, text: string): Promise<void> {
  const line = modified.locator(".view-line").filter({ hasText: text }).first();
  // Off the title, whose hover would cover the arrow.
  await modified.locator(".view-lines").hover();
  const arrows = whole.locator('[aria-label^="Revert Block"], [aria-label^="Revert Change"]');
  const arrow = await eventually(`An arrow beside the line "${text}"`, async () => {
    const at = await line.boundingBox();
    for (const candidate of await arrows.all()) {
      const box = await candidate.boundingBox();
      if (at && box && Math.abs(box.y - at.y) < at.height) return candidate;
    }
    return undefined;
  });
  await arrow.click();
}

/** Presses a button in the title of the editor in front, by its tooltip. */
export async function clickTitleButton(page: Page, label: string): Promise<void> {
  await page.locator(`.editor-actions a.action-label[aria-label^="${label}"]`).first().click();
}
