import path from "node:path";
import type { Page } from "playwright-core";
import { ROOT } from "../../host/places.ts";
import type { Settings } from "../../host/profile.ts";

/** Writes a picture of the window to test/shots/NAME.png. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(ROOT, "test/shots", `${name}.png`), animations: "disabled" });
}

/** The settings for each kind of theme that the interface must look right in. */
export const THEMES = {
  dark: { "workbench.colorTheme": "Dark Modern" },
  light: { "workbench.colorTheme": "Light Modern" },
  highContrast: { "workbench.colorTheme": "Default High Contrast" },
  highContrastLight: { "workbench.colorTheme": "Default High Contrast Light" },
} as const satisfies Readonly<Record<string, Settings>>;
