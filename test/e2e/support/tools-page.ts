import type { Locator, Page } from "playwright-core";
import type { PluginStep } from "../../../src/schema/plugin-values.ts";
import { t } from "../../../src/texts/language.ts";
import { answerDialog } from "./dialogs.ts";
import { runPaletteAction } from "./quick-input.ts";
import { pageInEditor, panel } from "./webview.ts";
import { openViewContainer } from "./workbench.ts";

/** Opens the page of tools and plugins beside the panel, and returns the row of a plugin. */
export async function openTools(page: Page, plugin: string): Promise<Locator> {
  await openViewContainer(page, "AutoGPT");
  await panel(page).locator("main, .run").first().waitFor();
  await runPaletteAction(page, "AutoGPT: Tools and Plugins");
  const row = toolsRow(page, plugin);
  await row.waitFor();
  return row;
}

/** The row of a plugin on the open page. */
export function toolsRow(page: Page, plugin: string): Locator {
  return pageInEditor(page)
    .locator(".tools-page .provider")
    .filter({ has: page.getByRole("heading", { name: plugin, exact: true }) });
}

/** Takes a step for a plugin, by its button or in its menu. */
export async function takeStep(page: Page, plugin: string, step: PluginStep, isInMenu = false): Promise<void> {
  const row = toolsRow(page, plugin);
  if (isInMenu) {
    await row.getByRole("button", { name: t("plugins.moreSteps", { name: plugin }) }).click();
    await row.getByRole("menuitem", { name: t(`plugins.step.${step}`) }).click();
    return;
  }
  const name = t("plugins.forPlugin", { action: t(`plugins.step.${step}`), name: plugin });
  await row.getByRole("button", { name }).click();
}

/** Allows a plugin on the page, and waits until it's in this state. */
export async function allowPlugin(page: Page, plugin: string, state: string): Promise<void> {
  const row = await openTools(page, plugin);
  await takeStep(page, plugin, "allow");
  await answerDialog(page, t("plugins.allowButton"));
  await row.locator(".state").getByText(state, { exact: true }).waitFor();
}
