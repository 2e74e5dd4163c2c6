import type { Page } from "playwright-core";

/** Whether a message comes from a webview, and not from the workbench around it. */
const FROM_WEBVIEW = /vscode-webview|\/webview\/|fake\.html|blob:/;

/** Collects what goes wrong in the page's webviews from now on, a line each. */
export function listenForTroubles(page: Page): readonly string[] {
  const troubles: string[] = [];
  page.on("pageerror", (error) => {
    if (FROM_WEBVIEW.test(error.stack ?? "")) troubles.push(error.stack ?? error.message);
  });
  page.on("console", (message) => {
    const violation = message.text().includes("Content Security Policy");
    if (message.type() !== "error" || !(violation || FROM_WEBVIEW.test(message.location().url))) return;
    troubles.push(`${message.text()} (${message.location().url})`);
  });
  return troubles;
}
