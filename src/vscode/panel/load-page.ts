import * as vscode from "vscode";
import { panelPage } from "../../panel/page.ts";
import { currentLanguage } from "../../texts/language.ts";

/** A page of the panel runs scripts and loads files of the extension alone. */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  const folders = ["dist", "media"].map((name) => vscode.Uri.joinPath(extensionUri, name));
  return { enableScripts: true, localResourceRoots: folders };
}

/** Loads the panel's program into a webview, in the language in use. */
export function loadPage(webview: vscode.Webview, extensionUri: vscode.Uri): void {
  const resource = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
  webview.html = panelPage({
    scriptUri: resource("panel.js"),
    styleUri: resource("panel.css"),
    cspSource: webview.cspSource,
    nonce: crypto.randomUUID().replaceAll("-", ""),
    language: currentLanguage(),
  });
}
