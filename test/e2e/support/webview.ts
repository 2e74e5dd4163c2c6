import type { FrameLocator, Page } from "playwright-core";

const OURS = 'iframe.webview[src*="extensionId=autogpt-vscode.autogpt"]';
/** A webview that belongs to an editor says where that is; one of a view does not. */
const OF_VIEW = '[data-parent-flow-to-element-id=""]';

/** The document of our panel in the side bar. It is looked up at each use, so it outlives a reload. */
export const panel = (page: Page): FrameLocator => content(page, `${OF_VIEW} > ${OURS}`);

/** VS Code puts a webview's own document into a frame of a frame. */
function content(page: Page, selector: string): FrameLocator {
  return page.frameLocator(selector).frameLocator("#active-frame");
}
