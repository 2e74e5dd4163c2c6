import type { Locator, Page } from "playwright-core";

/** The box at the top of the window: palette, quick picks and input boxes are all this one. */
export const quickInput = (page: Page): Locator => page.locator(".quick-input-widget");

/** The rows a quick pick offers. */
export const quickPickRow = (page: Page, label: string): Locator =>
  quickInput(page).locator(".quick-input-list .monaco-list-row").filter({ hasText: label });

/**
 * Runs a palette action by its whole title, such as "AutoGPT: Start Agent". Other titles may begin with it. A page that has
 * just opened takes the focus when it is ready, and so closes the palette; then it is opened again.
 */
export async function runPaletteAction(page: Page, title: string): Promise<void> {
  const input = quickInput(page).locator("input.input");
  const row = quickInput(page)
    .locator(".quick-input-list .label-name")
    .filter({ hasText: new RegExp(`^${title.replace(/[().]/g, "\\$&")}$`) })
    .first();
  for (let tries = 1; ; tries++) {
    try {
      await page.keyboard.press("F1");
      await input.waitFor({ state: "visible", timeout: PALETTE_MS });
      await input.fill(`>${title}`, { timeout: PALETTE_MS });
      await row.click({ timeout: PALETTE_MS });
      return;
    } catch (error) {
      if (tries === PALETTE_TRIES) throw error;
    }
  }
}

const PALETTE_MS = 5_000;
const PALETTE_TRIES = 3;

/** Waits for an input box that asks for this, types the text and accepts it. */
export async function answer(page: Page, question: string | RegExp, text: string): Promise<void> {
  await asks(page, question).waitFor();
  const input = quickInput(page).locator("input.input");
  await input.fill(text);
  await input.press("Enter");
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
