import type { Frame, Locator } from "playwright-core";
import { WebError } from "../../core/ports/services.ts";

/** The frame that an element is in: that of the page itself, or one within it. */
export async function findElementFrame(locator: Locator, timeout: number): Promise<Frame> {
  const element = await locator.elementHandle({ timeout });
  const frame = await element.ownerFrame();
  await element.dispose();
  if (!frame) throw new WebError("The element is no longer on the page. read_page shows those that are there.");
  return frame;
}

/**
 * The address that a frame's document acts for; undefined if its own says nothing. A page of others can have gone to `data:` or
 * `about:blank`, so these don't act for the page around them, as only its own text in a frame does.
 */
export function findFrameAddress(frame: Frame): URL | undefined {
  const parent = frame.parentFrame();
  if (parent && frame.url() === "about:srcdoc") return findFrameAddress(parent);
  const url = URL.parse(frame.url());
  const address = url?.protocol === "blob:" ? URL.parse(url.origin) : url;
  return address && /^https?:$/.test(address.protocol) ? address : undefined;
}
