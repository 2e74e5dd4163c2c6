import path from "node:path";
import type { Locator, Page } from "playwright-core";

/**
 * Opens a view container by its title in the activity bar. A click on the icon of the one that is open closes it, so a window that
 * just then restores its side bar needs another click.
 */
export async function openViewContainer(page: Page, title: string): Promise<void> {
  const icon = page.locator(`.activitybar a.action-label[aria-label^="${title}"]`);
  const shown = page.locator(".sidebar .composite.title", { hasText: new RegExp(title, "i") });
  for (let tries = 1; !(await shown.isVisible()); tries++) {
    await icon.click();
    await shown.waitFor({ timeout: SHOWN_MS }).catch((error: unknown) => {
      if (tries === SHOWN_TRIES) throw error;
    });
  }
}

const SHOWN_MS = 5_000;
const SHOWN_TRIES = 4;

/** The number on the icon of a view container. */
export const activityBadge = (page: Page, title: string): Locator =>
  page
    .locator(".activitybar .action-item", { has: page.locator(`a.action-label[aria-label^="${title}"]`) })
    .locator(".badge-content");

/** Unfolds a section of the side bar, if it is folded. */
export const openPane = (page: Page, title: string): Promise<void> => foldPane(page, title, "true");

/** Folds a section of the side bar, if it is unfolded. */
export const closePane = (page: Page, title: string): Promise<void> => foldPane(page, title, "false");

async function foldPane(page: Page, title: string, expanded: "true" | "false"): Promise<void> {
  const header = page.locator(".pane-header", { hasText: title });
  if ((await header.getAttribute("aria-expanded")) !== expanded) await header.click();
}

/** The row of a tree view, by some of its text. */
export const treeRow = (page: Page, text: string | RegExp): Locator =>
  page.locator(".pane-body .monaco-list-row").filter({ hasText: text }).first();

/** A button that appears on a tree row under the mouse. */
export async function clickTreeRowButton(page: Page, text: string | RegExp, label: string): Promise<void> {
  const row = treeRow(page, text).first();
  await row.hover();
  await row.locator(`.action-label[aria-label^="${label}"]`).click();
}

/** Chooses an entry of a tree row's context menu. By key, because a new menu takes no click at first. */
export async function chooseFromTreeRowMenu(page: Page, text: string | RegExp, entry: string): Promise<void> {
  await treeRow(page, text).click({ button: "right" });
  const item = page.locator(".monaco-menu .action-item", { hasText: entry });
  await item.hover();
  await item.and(page.locator(".focused")).waitFor();
  await page.keyboard.press("Enter");
}

/** A notification at the bottom right, by some of its text. */
export const toast = (page: Page, text: string | RegExp): Locator =>
  page.locator(".notification-toast").filter({ hasText: text });

/** Presses a button of a notification. */
export async function answerToast(page: Page, text: string | RegExp, button: string): Promise<void> {
  await toast(page, text).locator(".monaco-button", { hasText: button }).first().click();
}

/** An editor tab, by its title. */
export const editorTab = (page: Page, title: string | RegExp): Locator =>
  page.locator(".tabs-container .tab").filter({ hasText: title });

/** Opens a file by its whole path: a name alone finds only what was there when VS Code last looked. */
export async function openFile(page: Page, file: string): Promise<void> {
  const name = path.basename(file);
  await page.keyboard.press("ControlOrMeta+p");
  await page.locator(".quick-input-widget input.input").fill(file);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
  await editorTab(page, name).waitFor();
}
