import assert from "node:assert/strict";
import { panels } from "./support/browser.ts";
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
    it(`cuts no label that is 40 % longer, at ${width} px`, async function () {
      this.timeout(60_000);
      const { page, show } = await open({ language: PSEUDO, width });
      const found: string[] = [];
      for (const scene of SCENES) {
        await show(scene);
        found.push(...(await page.evaluate(cutLabels)).map((text) => `${scene.name}: ${text}`));
      }
      assert.deepEqual([...new Set(found)], []);
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
