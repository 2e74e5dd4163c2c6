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
  /** Dark or light as the system is, which a page can pretend to be. */
  ofSystem: {
    "window.autoDetectColorScheme": true,
    "workbench.preferredDarkColorTheme": "Dark Modern",
    "workbench.preferredLightColorTheme": "Light Modern",
  },
} as const satisfies Readonly<Record<string, Settings>>;

/** Writes a dark picture to test/shots/NAME.png and a light one to NAME-light.png, in a window with the theme of its system. */
export async function takeBothPictures(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator(".monaco-workbench.vs").waitFor();
  await takePicture(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator(".monaco-workbench.vs-dark").waitFor();
  await takePicture(page, name);
}
