import type { Locator, Page } from "playwright-core";

/** The box at the top of the window: palette, quick picks and input boxes are all this one. */
export const quickInput = (page: Page): Locator => page.locator(".quick-input-widget");

/** The rows a quick pick offers. */
export const quickPickRow = (page: Page, label: string): Locator =>
  quickInput(page).locator(".quick-input-list .monaco-list-row").filter({ hasText: label });

/** Runs a palette action by its whole title, such as "AutoGPT: Start Agent". Other titles may begin with it. */
export async function runPaletteAction(page: Page, title: string): Promise<void> {
  await page.keyboard.press("F1");
  const input = quickInput(page).locator("input.input");
  await input.waitFor({ state: "visible" });
  await input.fill(`>${title}`);
  await quickInput(page)
    .locator(".quick-input-list .label-name")
    .filter({ hasText: new RegExp(`^${title.replace(/[().]/g, "\\$&")}$`) })
    .first()
    .click();
}

/** Waits for an input box that asks for this, types the text and accepts it. */
export async function answer(page: Page, question: string | RegExp, text: string): Promise<void> {
  await asks(page, question).waitFor();
  await quickInput(page).locator("input.input").fill(text);
  await page.keyboard.press("Enter");
}

/** Waits for a quick pick that asks for this, and picks the row with that label. */
export async function pick(page: Page, question: string | RegExp, label: string): Promise<void> {
  await asks(page, question).waitFor();
  await quickPickRow(page, label).first().click();
}

/** The open box, if its title, prompt or placeholder has this text. */
function asks(page: Page, question: string | RegExp): Locator {
  const box = quickInput(page).filter({ visible: true });
  return box
    .filter({ hasText: question })
    .or(box.filter({ has: page.getByPlaceholder(question) }))
    .first();
}
