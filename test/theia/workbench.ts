import type { FrameLocator, Locator, Page } from "playwright-core";
import { eventually } from "../e2e/support/eventually.ts";
import { quickInput, quickPickRow } from "../e2e/support/quick-input.ts";

/** The icon of a view container of an extension. */
export const activityIcon = (page: Page, container: string): Locator =>
  page.locator(`[id="shell-tab-plugin-view-container:workbench.view.extension.${container}"]`);

/** The page of our panel in the side bar. Theia puts it into one frame. */
export const panel = (page: Page): FrameLocator =>
  page.frameLocator("#theia-left-side-panel iframe.webview").first().frameLocator("#active-frame");

/** A button of the panel, by its whole name. */
export const panelButton = (page: Page, name: RegExp): Locator => panel(page).getByRole("button", { name }).first();

/** Clicks as a person does: a click without a movement before it doesn't reach a webview of Theia. */
export async function press(target: Locator): Promise<void> {
  await target.hover();
  const box = await target.boundingBox();
  if (box) await target.page().mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  await target.click();
}

/** Runs an action from the palette, by its whole title. */
export async function runAction(page: Page, title: string): Promise<void> {
  const input = quickInput(page).locator("input.input");
  await eventually(`The palette with "${title}"`, async () => {
    await page.keyboard.press("F1");
    await input.waitFor({ state: "visible", timeout: 2_000 }).catch(() => undefined);
    if (!(await input.isVisible())) return false;
    await input.fill(`>${title}`);
    const row = quickPickRow(page, title).first();
    await row.waitFor({ timeout: 3_000 }).catch(() => undefined);
    if (!(await row.isVisible())) return false;
    await row.click();
    return true;
  });
}

/** The status bar's entry of an extension. */
export const statusEntry = (page: Page, id: string): Locator => page.locator(`[id="status-bar-${id}"]`);

/** A notification by some of its text. */
export const toast = (page: Page, text: string | RegExp): Locator =>
  page.locator(".theia-notification-toasts .theia-notification-list-item").filter({ hasText: text });

/** A button in the title of the editor in front. */
export const titleButton = (page: Page, action: string): Locator =>
  page.locator(`[id="${action}-as-tabbar-toolbar-item"]`).filter({ visible: true }).first();

/** An editor tab by its title. */
export const editorTab = (page: Page, title: string | RegExp): Locator =>
  page.locator("#theia-main-content-panel .lm-TabBar-tab").filter({ hasText: title });

/** The two sides of the diff in front. */
export function diff(page: Page): { readonly original: Locator; readonly modified: Locator } {
  const whole = page.locator(".monaco-diff-editor").filter({ visible: true }).last();
  return { original: whole.locator(".editor.original"), modified: whole.locator(".editor.modified") };
}

/** Answers the modal dialog, and returns what it said. */
export async function answerDialog(page: Page, button: string): Promise<string> {
  const dialog = page.locator(".lm-Widget.dialogOverlay").filter({ visible: true });
  const answer = dialog.getByRole("button", { name: button, exact: true });
  await answer.waitFor();
  const text = (await dialog.textContent()) ?? "";
  await answer.click();
  return text;
}
