import * as vscode from "vscode";
import { renderPanelPage } from "../../editor/panel/page.ts";
import { getCurrentLanguage } from "../../texts/language.ts";

/** Options of a panel page: it can run scripts, and load files only from the extension. */
export function createPageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  const folders = ["dist", "media"].map((name) => vscode.Uri.joinPath(extensionUri, name));
  return { enableScripts: true, localResourceRoots: folders };
}

/** Loads the panel's program into a webview, in the language in use. */
export function loadPage(webview: vscode.Webview, extensionUri: vscode.Uri): void {
  const getResourceUri = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
  webview.html = renderPanelPage({
    scriptUri: getResourceUri("panel.js"),
    styleUri: getResourceUri("panel.css"),
    cspSource: webview.cspSource,
    nonce: crypto.randomUUID().replaceAll("-", ""),
    language: getCurrentLanguage(),
  });
}
