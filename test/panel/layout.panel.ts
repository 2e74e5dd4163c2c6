import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { panels } from "./support/browser.ts";
import { PSEUDO } from "./support/pseudo-language.ts";
import { SCENES, scene } from "./support/scenes.ts";
import type { ThemeId } from "./support/themes.ts";

const SHOTS = path.join(import.meta.dirname, "../shots");
const SIZES = [
  { width: 260, height: 620, place: "sideBar" },
  { width: 340, height: 900, place: "sideBar" },
  { width: 1200, height: 800, place: "editor" },
] as const;
/** A window of 1280 by 800 px at 200% and at 400%, and VS Code's narrowest side bar. */
const ZOOMED = [
  { width: 640, height: 400 },
  { width: 320, height: 200 },
  { width: 170, height: 638 },
] as const;

/** Pictures to look at: these states, in these themes, at each size. */
const PICTURED: ReadonlySet<string> = new Set([
  "start",
  "profile",
  "thinking",
  "waiting",
  "waiting-warned",
  "models",
  "permissions",
]);
const PICTURE_THEMES: readonly ThemeId[] = ["dark-2026", "light-2026", "hc-dark"];

const PICTURE_SIZES = SIZES.slice(1);

describe("the panel's layout", () => {
  const open = panels();

  for (const size of SIZES) {
    it(`lets nothing stick out, at ${size.width} by ${size.height}`, async function () {
      this.timeout(60_000);
      const panel = await open(size);
      const found: string[] = [];
      for (const scene of SCENES) {
        await panel.show(scene);
        found.push(...(await panel.page.evaluate(sticksOut)).map((what) => `${scene.name}: ${what}`));
      }
      assert.deepEqual(found, []);
    });
  }

  it("lets nothing stick out from right to left", async function () {
    this.timeout(60_000);
    const panel = await open({ width: 300, height: 620 });
    await panel.page.evaluate(() => {
      document.documentElement.dir = "rtl";
    });
    const found: string[] = [];
    for (const scene of SCENES) {
      await panel.show(scene);
      found.push(...(await panel.page.evaluate(sticksOut)).map((what) => `${scene.name}: ${what}`));
    }
    assert.deepEqual(found, []);
  });

  for (const size of ZOOMED)
    it(`lets nothing stick out and has every control in reach, at ${size.width} by ${size.height}`, async function () {
      this.timeout(60_000);
      const panel = await open(size);
      const found: string[] = [];
      for (const scene of SCENES) {
        await panel.show(scene);
        const lost = await panel.page.evaluate(outOfReach);
        found.push(...lost.map((what) => `${scene.name}: ${what}`));
      }
      assert.deepEqual(found, []);
    });

  for (const language of [undefined, PSEUDO])
    it(`shows the beginning of the command that is asked about at 400%, in at least half of the page${language ? ", in a longer language" : ""}`, async () => {
      const { page, send } = await open({ ...ZOOMED[1], ...(language ? { language } : {}) });
      await send(...scene("waiting"));
      const shown = await page.evaluate(commandInView);
      assert.deepEqual(
        { first: shown.first, lines: shown.lines >= 2, stream: shown.stream >= 0.5 },
        { first: true, lines: true, stream: true },
      );
    });

  for (const theme of PICTURE_THEMES) {
    it(`is pictured in test/shots, in the theme ${theme}`, async function () {
      this.timeout(60_000);
      fs.mkdirSync(SHOTS, { recursive: true });
      const files: string[] = [];
      for (const size of PICTURE_SIZES) {
        const panel = await open({ theme, ...size });
        for (const { name, messages } of SCENES.filter((scene) => PICTURED.has(scene.name))) {
          await panel.send(...messages);
          files.push(await picture(panel.page, `panel-${name}-${theme}-${size.width}`));
        }
      }
      assert.equal(files.filter((file) => fs.statSync(file).size > 2_000).length, PICTURE_SIZES.length * PICTURED.size);
    });
  }
});

async function picture(page: Page, name: string): Promise<string> {
  const file = path.join(SHOTS, `${name}.png`);
  await page.locator("#approve:disabled").waitFor({ state: "detached" });
  await page.screenshot({ path: file, animations: "disabled" });
  return file;
}

/** Runs in the page: whether the first line of the command is in view, how many lines are, and the stream's share of the page. */
function commandInView(): { readonly first: boolean; readonly lines: number; readonly stream: number } {
  const box = (selector: string): DOMRect => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  const [feed, question, text] = [box("#feed"), box(".proposal h2"), box(".card-body")];
  const [top, bottom] = [Math.max(feed.top, text.top), Math.min(feed.bottom, text.bottom)];
  const line = Number.parseFloat(
    getComputedStyle(document.querySelector(".card-body pre") ?? document.body).lineHeight,
  );
  return {
    first: text.top >= Math.max(feed.top, question.bottom) - 1 && text.top + line <= feed.bottom,
    lines: (bottom - top) / line,
    stream: feed.height / innerHeight,
  };
}

/** Runs in the page: what is wider than the page, and controls, of an open menu or list alone, that stay hidden or covered when scrolled to. */
function outOfReach(): readonly string[] {
  const opened = document.querySelector(".menu:popover-open, .composer:has(.offer)");
  const controls = (opened ?? document).querySelectorAll<HTMLElement>(
    "#panel :is(button, input, textarea, select, summary, a[href])",
  );
  const lost = [...controls].filter((control) => {
    if (!control.checkVisibility({ visibilityProperty: true })) return false;
    control.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, right, top, bottom } = control.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return !(hit && (control.contains(hit) || hit.contains(control)) && hit !== document.body);
  });
  const wide = [...document.querySelectorAll("#panel *:not(.argument *)")].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 1 && (left < -1 || right > document.documentElement.clientWidth + 1);
  });
  return [...lost, ...wide].map((element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120));
}

/** Runs in the page: what is wider than the page, without the arguments that a line cuts off, icons that are cut off, and controls that cannot be seen. */
function sticksOut(): readonly string[] {
  const { clientWidth, clientHeight } = document.documentElement;
  const shown = [...document.querySelectorAll<HTMLElement>("#panel *:not(.hidden, .argument *)")].filter((element) =>
    element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }),
  );
  const wide = shown.filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > clientWidth + 1 || box.left < -1);
  });
  const lost = [...document.querySelectorAll(".controls .button, #composer")].filter(
    (element) => element.getBoundingClientRect().bottom > clientHeight,
  );
  const cut = [...document.querySelectorAll<SVGPathElement>("svg.icon path")].filter((path) => {
    const { x, y, width, height } = path.getBBox();
    const grid = path.ownerSVGElement?.viewBox.baseVal.width ?? 0;
    return Math.max(x + width, y + height) > grid + 0.1;
  });
  return [...wide, ...lost, ...cut].map((element) => element.outerHTML.slice(0, 120));
}
