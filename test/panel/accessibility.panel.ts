import assert from "node:assert/strict";
import { seriousFindings } from "./support/axe.ts";
import { panels } from "./support/browser.ts";
import { SCENES, scene } from "./support/scenes.ts";
import { THEME_IDS, type ThemeId } from "./support/themes.ts";

const SIDE_BAR = { place: "sideBar", width: 300 } as const;
const EDITOR = { place: "editor", width: 1100 } as const;

/** Each width in a dark, a light and a high contrast theme. */
const PLACES: Readonly<Record<ThemeId, typeof SIDE_BAR | typeof EDITOR>> = {
  "dark-2026": SIDE_BAR,
  "light-2026": EDITOR,
  dark: EDITOR,
  light: SIDE_BAR,
  "hc-dark": SIDE_BAR,
  "hc-light": EDITOR,
};

/** The themes at which all rules are checked, one per width; in the others, only colors can differ. */
const FULLY: readonly ThemeId[] = ["dark-2026", "light-2026"];

describe("the panel of a user who wants less motion", () => {
  const open = panels();

  it("moves nothing, by the system's wish or by VS Code's", async () => {
    const { page, send } = await open();
    const moving = (): Promise<number> => page.evaluate(() => document.getAnimations().length);
    await send(...scene("thinking"));
    const usually = await moving();
    await page.emulateMedia({ reducedMotion: "reduce" });
    const bySystem = await moving();
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.evaluate(() => document.body.classList.add("vscode-reduce-motion"));
    assert.deepEqual(
      { moves: usually > 0, bySystem, byEditor: await moving() },
      { moves: true, bySystem: 0, byEditor: 0 },
    );
  });
});

describe("the panel has nothing that axe-core calls serious", () => {
  const open = panels();
  for (const theme of THEME_IDS) {
    it(`in any state in the theme ${theme}`, async function () {
      this.timeout(60_000);
      const findings: string[] = [];
      const rules = FULLY.includes(theme) ? undefined : ["color-contrast"];
      const panel = await open({ theme, ...PLACES[theme] });
      for (const scene of SCENES) {
        await panel.show(scene);
        const found = await seriousFindings(panel.page, rules);
        findings.push(...found.map((finding) => `${scene.name}: ${finding}`));
      }
      assert.deepEqual([...findings, ...panel.troubles()], []);
    });
  }
});
