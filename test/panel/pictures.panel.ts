import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { panels, translation } from "./support/browser.ts";
import type { PanelOptions } from "./support/harness.ts";
import { SCENES } from "./support/scenes.ts";

const ROOT = path.join(import.meta.dirname, "../..");

const NARROW = { width: 300, height: 638 } as const;
const WIDE = { width: 1200, height: 800, place: "editor" } as const;

const PICTURES: readonly PanelOptions[] = [
  ...(["dark-2026", "light-2026", "hc-dark", "hc-light"] as const).flatMap((theme) => [
    { theme, ...NARROW },
    { theme, ...WIDE },
  ]),
  { width: 170, height: 638 },
  { theme: "light-2026", width: 170, height: 638 },
  { width: 640, height: 400 },
  { width: 320, height: 200 },
  { ...NARROW, language: translation("de") },
  { ...NARROW, language: translation("ja") },
  // English texts, in a page that runs from right to left.
  { ...NARROW, language: { tag: "ar", texts: {} } },
];

// Only with `PICTURES=all`: they are to be looked at, and take a minute.
if (process.env.PICTURES === "all")
  describe("the panel, pictured in every state", () => {
    const open = panels();

    for (const options of PICTURES) {
      const { theme = "dark-2026", width, height, language } = options;
      const name = `${language?.tag ?? theme}-${width}x${height}`;
      it(`in test/shots/${name}`, async function () {
        this.timeout(120_000);
        const folder = path.join(ROOT, "test/shots", name);
        fs.mkdirSync(folder, { recursive: true });
        const { page, show, troubles } = await open(options);
        for (const scene of SCENES) {
          await show(scene);
          // A short page doesn't show a card's end, so Approve stays disabled.
          const unarmed = page.locator("#approve:disabled");
          await unarmed.waitFor({ state: "detached", timeout: 1_000 }).catch(() => undefined);
          await page.screenshot({ path: path.join(folder, `${scene.name}.png`), animations: "disabled" });
        }
        assert.deepEqual(troubles(), []);
      });
    }
  });
