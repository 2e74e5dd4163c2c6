// Plays the demo in the real workbench and writes what is seen to test/shots/film: frames, and frames.json with the
// milliseconds of each, which count less where it isn't held. `npm run pictures` makes the README's animated picture of them.
import fs from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { ROOT } from "../host/places.ts";
import { byPath, fakeModelServer } from "../support/fake-model-server.ts";
import { THEMES } from "./support/pictures.ts";
import { cardButton, cardOf, endCard, untilArmed, waitingStep } from "./support/runs.ts";
import { openVsCode } from "./support/vscode.ts";
import { panel } from "./support/webview.ts";
import { openViewContainer } from "./support/workbench.ts";

/** No wider than a README on the marketplace, so that letters aren't scaled. */
const VIEWPORT = { width: 900, height: 600 };
const POINTER = { x: 640, y: 470 };
const MODEL = "gpt-5-mini";
const FOLDER = path.join(ROOT, "test/shots/film");
const SIDE_BAR_WIDTH = 340;
/** How long the start, each proposal and the end are shown; the later proposals are like the first ones. */
const START_MS = 1_200;
const READING_MS = [2_200, 3_000, 1_000, 800];
const END_MS = 4_000;
const RESTING_MS = 1_000;
const GLIDE_STEPS = 6;

const SETTINGS = {
  ...THEMES.dark,
  "autogpt.model.smart": MODEL,
  "autogpt.shell.terminal": "background",
  "breadcrumbs.enabled": false,
  "diffEditor.renderOverviewRuler": false,
  "diffEditor.renderSideBySide": false,
  "editor.fontSize": 12,
  "editor.lineNumbersMinChars": 3,
  "editor.minimap.enabled": false,
  "editor.wordWrap": "on",
  "window.commandCenter": false,
  "workbench.layoutControl.enabled": false,
};

interface Frame {
  readonly picture: Buffer;
  readonly at: number;
  /** How long it's shown, however long it was there. */
  holdMs?: number;
}

// The demo plays without it, but the start page names the model that the user has.
const server = await fakeModelServer(byPath({ "/v1/models": { data: [{ id: MODEL }] } }));
const settings = { ...SETTINGS, "autogpt.model.baseUrl": `${server.origin}/v1` };
const vscode = await openVsCode({ settings, viewport: VIEWPORT, whenClosed: () => server.close() });
const { page } = vscode;
const frames: Frame[] = [];
let isOver = false;

try {
  await openViewContainer(page, "AutoGPT");
  await widenSideBar();
  const demo = panel(page).getByRole("button", { name: "Try the demo" });
  await demo.waitFor();
  await drawPointer(page);
  const filmed = film();
  await hold(START_MS);
  await click(demo);
  const over = endCard(page, "Finished");
  for (let count = 0, step = await waitingStep(page, over); step !== undefined; count++) {
    await untilArmed(page, step);
    await hold(READING_MS[count] ?? 0);
    await click(cardButton(page, step, "Approve"));
    await cardOf(page, step).waitFor({ state: "detached" });
    step = await waitingStep(page, over);
  }
  await hold(END_MS);
  isOver = true;
  await filmed;
  write();
} finally {
  await vscode.close();
}

/** Takes a frame whenever the window has changed. */
async function film(): Promise<void> {
  const from = performance.now();
  while (!isOver) {
    const picture = await page.screenshot();
    if (!frames.at(-1)?.picture.equals(picture)) frames.push({ picture, at: performance.now() - from });
  }
  frames.push({ picture: Buffer.alloc(0), at: performance.now() - from });
}

/** Lets the window come to rest, and shows what it looks like then. */
async function hold(ms: number): Promise<void> {
  await page.waitForTimeout(RESTING_MS);
  const last = frames.at(-1);
  if (last) last.holdMs = ms;
}

function write(): void {
  fs.rmSync(FOLDER, { recursive: true, force: true });
  fs.mkdirSync(FOLDER, { recursive: true });
  const listed = frames.slice(0, -1).map(({ picture, at, holdMs }, index) => {
    const file = `${String(index).padStart(4, "0")}.png`;
    fs.writeFileSync(path.join(FOLDER, file), picture);
    return { file, ms: Math.round((frames[index + 1]?.at ?? at) - at), holdMs };
  });
  fs.writeFileSync(path.join(FOLDER, "frames.json"), JSON.stringify(listed));
}

async function widenSideBar(): Promise<void> {
  const box = await page.locator(".part.sidebar").boundingBox();
  if (!box) return;
  await page.mouse.move(box.x + box.width, VIEWPORT.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + SIDE_BAR_WIDTH, VIEWPORT.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(POINTER.x, POINTER.y);
}

/** Moves the drawn pointer to the middle of an element, and clicks it. */
async function click(target: Locator): Promise<void> {
  const box = await target.boundingBox();
  if (box) {
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (let step = 1; step <= GLIDE_STEPS; step++) {
      await page.evaluate(movePointer, { to, left: GLIDE_STEPS - step + 1 });
      await page.waitForTimeout(60);
    }
  }
  await page.waitForTimeout(250);
  await target.click();
}

/** A screenshot has no pointer of its own. */
async function drawPointer(shown: Page): Promise<void> {
  await shown.evaluate(({ x, y }) => {
    const pointer = document.createElement("div");
    const arrow = document.createElement("div");
    pointer.id = "film-pointer";
    pointer.style.cssText = "position: fixed; z-index: 100000; pointer-events: none; filter: drop-shadow(0 0 1px #000)";
    pointer.style.left = `${x}px`;
    pointer.style.top = `${y}px`;
    arrow.style.cssText =
      "width: 15px; height: 22px; background: #fff; clip-path: polygon(0 0, 0 78%, 27% 62%, 46% 100%, 63% 92%, 45% 56%, 84% 56%)";
    pointer.append(arrow);
    document.body.append(pointer);
  }, POINTER);
}

/** Runs in the page: moves the pointer a share of the way, one in `left`. */
function movePointer({ to, left }: { to: { x: number; y: number }; left: number }): void {
  const style = document.getElementById("film-pointer")?.style;
  if (!style) return;
  const x = Number.parseFloat(style.left);
  const y = Number.parseFloat(style.top);
  style.left = `${x + (to.x - x) / left}px`;
  style.top = `${y + (to.y - y) / left}px`;
}
