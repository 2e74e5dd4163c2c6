import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
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
    await page.emulateMedia({ reducedMotion: "no-preference" });
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

const SHOTS = path.join(import.meta.dirname, "../shots");

describe("the panel in the system's forced colors", () => {
  const open = panels();

  it("has borders around its controls, icons in the color of text, and a focus ring", async () => {
    const panel = await open({ theme: "dark-2026", ...SIDE_BAR });
    const { page } = panel;
    await page.emulateMedia({ forcedColors: "active", colorScheme: "light" });
    fs.mkdirSync(SHOTS, { recursive: true });
    const found: string[] = [];
    for (const name of ["start", "waiting", "finished-changes", "header-unfolded", "approve-menu", "models"]) {
      const state = SCENES.find((one) => one.name === name);
      assert.ok(state);
      await panel.show(state);
      found.push(...(await page.evaluate(hardToSee)).map((what) => `${name}: ${what}`));
      await page.screenshot({ path: path.join(SHOTS, `panel-${name}-forced-colors.png`) });
    }
    assert.deepEqual(found, []);
  });
});

/** Runs in the page: controls and cards without a border, icons in a color of the theme, and focus without a ring. */
function hardToSee(): readonly string[] {
  const canvas = document.createElement("p");
  canvas.style.color = "CanvasText";
  document.body.append(canvas);
  const text = getComputedStyle(canvas).color;
  canvas.remove();
  const shown = (selector: string): HTMLElement[] =>
    [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
  const bare = shown(".button:not(.quiet), .card, .box, .menu, select").filter(
    (element) => Number.parseFloat(getComputedStyle(element).borderTopWidth) === 0,
  );
  const pale = shown("svg.icon").filter((element) => {
    const disabled = element.closest(":disabled, [aria-disabled=true]") !== null;
    return !disabled && element.closest("button, summary, select") === null && getComputedStyle(element).fill !== text;
  });
  const ringless = shown("button:enabled, textarea:enabled, select, summary").filter((element) => {
    element.focus({ focusVisible: true } as FocusOptions);
    return (
      document.activeElement === element &&
      !element.matches("textarea") &&
      getComputedStyle(element).outlineStyle === "none"
    );
  });
  return [...bare, ...pale, ...ringless].map((element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120));
}

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
