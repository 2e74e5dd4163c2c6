import type { Locator, Page } from "playwright-core";

/** Clicks and keys as a person makes them, and how many there were. */
export class CountedInput {
  clicks = 0;
  keys = 0;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks++;
  }

  /** Keys that are held together count as one. */
  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    this.keys++;
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.keys += text.length;
  }
}
