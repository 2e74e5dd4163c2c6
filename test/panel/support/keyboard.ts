import type { Page } from "playwright-core";

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
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? element.labels?.[0]
      : null;
  const name = element.getAttribute("aria-label") ?? labelled?.textContent ?? element.textContent ?? "";
  return { name: name.replace(/\s+/g, " ").trim(), outline: getComputedStyle(element).outlineStyle };
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
