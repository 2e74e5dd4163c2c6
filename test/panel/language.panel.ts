import assert from "node:assert/strict";
import { panels, translation } from "./support/browser.ts";
import { cutLabels, PSEUDO, shownTexts, untranslated } from "./support/pseudo-language.ts";
import { SCENES } from "./support/scenes.ts";

describe("the panel in another language", () => {
  const open = panels();

  it("has every text from a table", async function () {
    this.timeout(60_000);
    const { page, show } = await open({ language: PSEUDO });
    const found: string[] = [];
    for (const scene of SCENES) {
      await show(scene);
      await page.evaluate(unfoldAll);
      const shown = await page.evaluate(shownTexts);
      found.push(...untranslated(shown, SCENES).map((text) => `${scene.name}: ${text}`));
    }
    assert.deepEqual(found, []);
  });

  for (const width of [300, 340, 1200])
    it(`cuts no label that is 40% longer, at ${width} px`, async function () {
      this.timeout(60_000);
      const { page, show } = await open({ language: PSEUDO, width });
      const found: string[] = [];
      for (const scene of SCENES) {
        await show(scene);
        found.push(...(await page.evaluate(cutLabels)).map((text) => `${scene.name}: ${text}`));
      }
      assert.deepEqual([...new Set(found)], []);
    });

  for (const language of [undefined, translation("de"), translation("ja"), PSEUDO])
    it(`cuts a step's arguments and then its result before its verb, at 300 px (${language?.tag ?? "en"})`, async () => {
      const { page, show } = await open({ width: 300, ...(language ? { language } : {}) });
      const found: string[] = [];
      for (const scene of SCENES.filter(({ name }) => name === "long-steps")) await show(scene);
      found.push(...(await page.evaluate(cutVerbs)));
      assert.deepEqual(found, []);
    });

  it("has the row of decisions on one line that cuts nothing, at 300 px", async () => {
    for (const language of [translation("de"), translation("ja"), PSEUDO]) {
      const { page, show } = await open({ width: 300, language });
      for (const scene of SCENES.filter(({ name }) => name === "waiting-edited")) await show(scene);
      assert.deepEqual(await page.evaluate(rowOfDecisions), { cut: [], rows: 1, sticksOut: false });
    }
  });

  it("has the language and direction of the page", async () => {
    const { page } = await open({ language: { tag: "ar", texts: {} } });
    assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.dir]), ["ar", "rtl"]);
  });
});

/** Runs in the page: opens all that is folded. */
function unfoldAll(): void {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
}

/** Runs in the page: words of steps that are cut although the result or an argument could be cut further. */
function cutVerbs(): readonly string[] {
  return [...document.querySelectorAll<HTMLElement>(".line")].flatMap((line) => {
    const isCut = (element: Element): boolean => element.scrollWidth > element.clientWidth + 1;
    const words = [...line.querySelectorAll(".line-title > .word")].filter(isCut);
    const em = Number.parseFloat(getComputedStyle(line).fontSize);
    const roomy = [...line.querySelectorAll(".argument, .line-summary")].filter(
      (element) => element.getBoundingClientRect().width > 3 * em + 1,
    );
    return words.length > 0 && roomy.length > 0 ? [line.textContent?.replace(/\s+/g, " ").trim() ?? ""] : [];
  });
}

/** Runs in the page: labels of the pinned row that are cut, its rows, and whether it's wider than the page. */
function rowOfDecisions(): {
  readonly cut: readonly string[];
  readonly rows: number;
  readonly sticksOut: boolean;
} {
  const row = document.querySelector(".decisions .row");
  const boxes = [...(row?.children ?? [])]
    .map((child) => child.getBoundingClientRect())
    .filter(({ width }) => width > 0);
  const cut = [...(row?.querySelectorAll<HTMLElement>(".label") ?? [])].filter(
    ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
      scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 2,
  );
  const [first] = boxes;
  const isApart = (box: DOMRect): boolean =>
    first !== undefined && (box.top >= first.bottom || box.bottom <= first.top);
  return {
    cut: cut.map(({ textContent }) => textContent ?? ""),
    rows: boxes.some(isApart) ? 2 : 1,
    sticksOut: boxes.some(({ right }) => right > innerWidth),
  };
}
