import type { Locator, Page } from "playwright-core";

/** The modal dialog that is open, such as the one about trust. */
const dialog = (page: Page): Locator => page.locator(".monaco-dialog-box");

/** Presses a button of the modal dialog, and returns what it said. */
export async function answerDialog(page: Page, button: string): Promise<string> {
  const text = (await dialog(page).textContent()) ?? "";
  await dialog(page).locator(".monaco-button", { hasText: button }).first().click();
  return text;
}
