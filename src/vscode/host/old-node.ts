import * as vscode from "vscode";
import type { Action } from "../../schema/actions.ts";
import { IN_ENGLISH } from "../../texts/display-text.ts";
import { setLanguage, t } from "../../texts/language.ts";

/**
 * Registers views and actions that only explain why the extension can't run: the host's Node is too old for the bundle. Loads nothing else,
 * because the engine might not even parse.
 */
export function registerRefusal(context: vscode.ExtensionContext, actions: readonly Action[]): void {
  setLanguage({ ...IN_ENGLISH, app: vscode.env.appName });
  const text = t("trouble.oldNode", { version: process.versions.node });
  const show = async (): Promise<void> => void (await vscode.window.showErrorMessage(text));
  context.subscriptions.push(
    ...actions.map((action) => vscode.commands.registerCommand(`autogpt.${action}`, show)),
    vscode.window.registerWebviewViewProvider("autogpt.panel", {
      resolveWebviewView: ({ webview }) => {
        webview.html = renderSentencePage(text);
      },
    }),
    vscode.window.registerTreeDataProvider<never>("autogpt.runs", {
      getChildren: () => [],
      getTreeItem: (item) => item,
    }),
  );
  void show();
}

/** A page with nothing but a sentence. */
function renderSentencePage(text: string): string {
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>AutoGPT</title></head><body><p role="alert">${safe}</p></body></html>`;
}
