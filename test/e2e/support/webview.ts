import type { FrameLocator, Page } from "playwright-core";

const OURS = 'iframe.webview[src*="extensionId=autogpt-vscode.autogpt"]';
/** A webview that belongs to an editor says where that is; one of a view does not. */
const OF_VIEW = ':is([data-parent-flow-to-element-id=""], :not([data-parent-flow-to-element-id]))';

/** The document of our panel in the side bar. It is looked up at each use, so it outlives a reload. */
export const panel = (page: Page): FrameLocator => content(page, `${OF_VIEW} > ${OURS}`);

/** The document of our page in an editor tab, which was opened after the side bar's. */
export const pageInEditor = (page: Page): FrameLocator =>
  page.locator(OURS).last().contentFrame().frameLocator("#active-frame");

/** VS Code puts a webview's own document into a frame of a frame. The side bar's is the first one. */
function content(page: Page, selector: string): FrameLocator {
  return page.frameLocator(selector).first().frameLocator("#active-frame");
}
