import type { Page } from "playwright-core";
import { panel } from "./webview.ts";

const MOST_TABS = 40;

/** Goes on by Tab until the button of the panel with this text has the focus. */
export async function tabTo(page: Page, button: string): Promise<void> {
  const focused = panel(page).locator("button:focus").filter({ hasText: button });
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`No Tab leads to "${button}".`);
}

const MOST_LETTERS = 300;
const BETWEEN_LETTERS_MS = 100;

/** Types a letter after the other, as people do, until something holds; `done` is told how many there are. Returns what was typed. */
export async function typeUntil(page: Page, done: (length: number) => Promise<boolean>): Promise<string> {
  for (let length = 1; length <= MOST_LETTERS; length++) {
    await page.keyboard.type("x");
    if (await done(length)) return "x".repeat(length);
    await page.waitForTimeout(BETWEEN_LETTERS_MS);
  }
  throw new Error("In vain typed on.");
}
