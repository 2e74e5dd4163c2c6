import fs from "node:fs";
import path from "node:path";
import type { Settings } from "../../host/profile.ts";
import { runPaletteAction } from "./quick-input.ts";
import type { VsCode } from "./vscode.ts";
import { editorTab } from "./workbench.ts";

/** Changes user settings while VS Code runs: in their editor, because it does not watch the file. */
export async function changeSettings({ page, server }: VsCode, settings: Settings): Promise<void> {
  const file = path.join(server.profileFolder, "data/User/settings.json");
  const before = JSON.parse(fs.readFileSync(file, "utf8"));
  await runPaletteAction(page, "Preferences: Open User Settings (JSON)");
  const tab = editorTab(page, "settings.json");
  await page.locator(".editor-group-container.active .view-line", { hasText: "{" }).first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(JSON.stringify({ ...before, ...settings }, null, 2));
  await page.keyboard.press("ControlOrMeta+s");
  await tab.and(page.locator(":not(.dirty)")).waitFor();
  await runPaletteAction(page, "View: Close Editor");
  await tab.waitFor({ state: "detached" });
}
