import type { Page } from "playwright-core";

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
