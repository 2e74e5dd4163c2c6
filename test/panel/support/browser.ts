import fs from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { createTranslatedLanguage } from "../../../src/texts/languages.ts";
import type { Language } from "../../../src/texts/writer.ts";
import { launchChromium } from "../../host/chromium.ts";
import { openPanel, type PanelOptions, type PanelUnderTest } from "./harness.ts";

/** The browser that all suites share. */
let browser: Promise<Browser> | undefined;

after("closes the browser", async () => {
  await (await browser)?.close();
});

/** Opens panels for a suite, and closes them after each test. */
export function panels(): (options?: PanelOptions) => Promise<PanelUnderTest> {
  const open: PanelUnderTest[] = [];
  afterEach(async () => {
    for (const panel of open.splice(0)) await panel.close();
  });
  return async (options) => {
    browser ??= launchChromium();
    const panel = await openPanel(await browser, options);
    open.push(panel);
    return panel;
  };
}

/** A language as its translators have made it. */
export function translation(tag: string): Language {
  const file = path.join(import.meta.dirname, "../../../l10n", `${tag}.json`);
  return createTranslatedLanguage(tag, JSON.parse(fs.readFileSync(file, "utf8")));
}
