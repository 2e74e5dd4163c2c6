import type { Locator, Page } from "playwright-core";

const MOST_STOPS = 120;

/** Presses Tab until the element of this name has the focus, which must then be visible. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(focused);
    if (at.name === name) {
      if (at.outline === "none") throw new Error(`"${name}" has the focus, but nothing shows it.`);
      return;
    }
    passed.push(at.name);
  }
  throw new Error(`Tab never came to "${name}". It passed: ${passed.join(" | ")}`);
}

/** Runs in the page. */
function focused(): { readonly name: string; readonly outline: string } {
  const { activeElement: element } = document;
  if (!element) return { name: "", outline: "none" };
  const labelled =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels?.[0] : null;
  const name = element.getAttribute("aria-label") ?? labelled?.textContent ?? element.textContent ?? "";
  return { name: name.replace(/\s+/g, " ").trim(), outline: getComputedStyle(element).outlineStyle };
}

/** The Tab stops from the first to the last one, each by its role and name as a screen reader gets them. */
export async function tabStops(page: Page): Promise<readonly string[]> {
  await page.evaluate(focusPage);
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    if ((await focused.count()) === 0) return stops;
    if (stops.length === MOST_STOPS) throw new Error(`Tab never left the page: ${stops.join(" | ")}`);
    stops.push(accessibleName(await focused.ariaSnapshot()));
  }
}

/** The role and name of a tree's first element. */
export function accessibleName(tree: string): string {
  const [first = ""] = tree.split("\n");
  return first.replace(/^- (text: )?|(?<=["\]']):.*$/g, "").replace(/^'(.*)'$/, "$1");
}

/** Runs in the page: the next Tab leads to its first element. */
function focusPage(): void {
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
}

/** Chooses an entry of the menu that a button opens. */
export async function choose(
  page: Page,
  menu: string,
  entry: string,
  role: "menuitem" | "menuitemcheckbox" = "menuitem",
): Promise<void> {
  await page.getByRole("button", { name: menu }).click();
  await page.getByRole(role, { name: entry, exact: true }).click();
}

/** How a browser reports a key that an input method took: within a composition, by its code alone, or right after its end. */
export const COMPOSING = ["isComposing", "keyCode", "ended"] as const;

/** Presses a key that an input method takes, as the focused element gets it. No later key is taken for it. */
export async function pressComposing(
  box: Locator,
  key: string,
  how: (typeof COMPOSING)[number],
  more: { readonly ctrlKey?: boolean } = {},
): Promise<void> {
  await box.focus();
  const pressedMs = await box.evaluate(composingKey, { key, how, more });
  await box.page().waitForFunction((since) => performance.now() - since > 40, pressedMs);
}

/** Runs in the page. */
function composingKey(
  element: Element,
  { key, how, more }: { key: string; how: string; more: { readonly ctrlKey?: boolean } },
): number {
  const keyCode = how === "ended" ? 13 : 229;
  const common = { bubbles: true, cancelable: true, composed: true };
  if (how !== "isComposing") element.dispatchEvent(new CompositionEvent("compositionend", common));
  const composing = how === "isComposing";
  element.dispatchEvent(new KeyboardEvent("keydown", { ...common, ...more, key, keyCode, isComposing: composing }));
  return performance.now();
}
