import path from "node:path";
import type { Page } from "playwright-core";

/** What the workbench shows and runs. Paths are of this machine. */
export interface Opening {
  readonly port: number;
  /** The folder or `.code-workspace` file to open; without one, an empty window. */
  readonly workspace?: string;
  /** Extensions under development, loaded from their folders. */
  readonly extensions?: readonly string[];
  /** A module whose `run()` the extension host calls once everything is loaded; the page is told how it ended. */
  readonly tests?: string;
}

/**
 * Opens VS Code in a page. What a desktop VS Code takes from its command line is put into the configuration that the
 * page reads: a built workbench ignores the URL parameters for it. The HTML itself must come from the server untouched,
 * or Chromium takes the page for a foreign one and refuses its WebSocket.
 */
export async function openPage(page: Page, { port, workspace, extensions = [], tests }: Opening): Promise<void> {
  const authority = `127.0.0.1:${port}`;
  const remote = (file: string) => ({ $mid: 1, scheme: "vscode-remote", authority, path: urlPath(file) });
  await page.addInitScript(addDevelopmentOptions, {
    ...(extensions.length > 0 ? { extensions: extensions.map(remote) } : {}),
    ...(tests ? { extensionTestsPath: remote(tests) } : {}),
  });
  await answerKeyRequests(page);
  const url = new URL(`http://${authority}/`);
  if (workspace)
    url.searchParams.set(workspace.endsWith(".code-workspace") ? "workspace" : "folder", urlPath(workspace));
  url.searchParams.set("payload", JSON.stringify([["skipWelcome", "true"]]));
  await page.goto(url.href);
}

/** The workbench encrypts secrets with a key it asks the server for; without an answer a reload would lose them. */
async function answerKeyRequests(page: Page): Promise<void> {
  const key = Buffer.alloc(32, 7);
  await page.route("**/mint-key", (route) => route.fulfill({ contentType: "application/octet-stream", body: key }));
}

function urlPath(file: string): string {
  const forward = path.resolve(file).replaceAll("\\", "/");
  return forward.startsWith("/") ? forward : `/${forward}`;
}

/** Runs in the page, before its own scripts. */
function addDevelopmentOptions(options: Readonly<Record<string, unknown>>): void {
  if (window !== window.top) return;
  const getAttribute = Element.prototype.getAttribute;
  Element.prototype.getAttribute = function (this: Element, name: string): string | null {
    const value = getAttribute.call(this, name);
    if (name !== "data-settings" || this.id !== "vscode-workbench-web-configuration" || !value) return value;
    const configuration = JSON.parse(value);
    const developmentOptions = { ...configuration.developmentOptions, ...options };
    return JSON.stringify({ ...configuration, developmentOptions });
  };
}
