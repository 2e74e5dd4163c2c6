import type { FrameLocator, Page } from "playwright-core";

const OURS = 'iframe.webview[src*="extensionId=autogpt-vscode.autogpt"]';

/** The document of our panel in the side bar. It is looked up at each use, so it outlives a reload. */
export const panel = (page: Page): FrameLocator => content(page, `${OURS}[src*="purpose=webviewView"]`);

/** The document of our panel as an editor tab. */
export const editorPanel = (page: Page): FrameLocator =>
  content(page, `${OURS}:not([src*="purpose=webviewView"])`);

/** VS Code puts a webview's own document into a frame of a frame. */
function content(page: Page, selector: string): FrameLocator {
  return page.frameLocator(selector).frameLocator("#active-frame");
}
