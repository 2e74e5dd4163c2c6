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
