import type { Browser, Page } from "playwright-core";
import { renderPanelPage } from "../../../src/editor/panel/page.ts";
import type { PanelRequest, PanelUpdate } from "../../../src/schema/panel-messages.ts";
import { readPanelRequest } from "../../../src/schema/readers.ts";
import type { Language } from "../../../src/texts/writer.ts";
import { panelBundle } from "./bundle.ts";
import type { Scene } from "./scenes.ts";
import { THEMES, type ThemeId } from "./themes.ts";

/** Messages that the page sends by itself. */
const UNASKED: ReadonlySet<string> = new Set(["ready", "focus", "seen", "typed"]);

export interface PanelOptions {
  readonly theme?: ThemeId;
  readonly width?: number;
  readonly height?: number;
  /** Where the view stands, which decides what is behind it. */
  readonly place?: "sideBar" | "editor";
  /** Time can be moved on by `page.clock`. */
  readonly clock?: boolean;
  /** What an earlier page has kept. */
  readonly kept?: unknown;
  readonly language?: Language;
}

/** The panel in a page of its own, with this test as its extension. */
export interface PanelUnderTest {
  readonly page: Page;
  send(...messages: readonly PanelUpdate[]): Promise<void>;
  /** Sends a scene's messages, and opens what is open in it. */
  show(scene: Scene): Promise<void>;
  /** The panel's messages since the last call, without `ready` and `focus`; those that a card was seen are in only where asked for. */
  said(also?: "seen"): Promise<readonly PanelRequest[]>;
  /** What the page keeps over a reload. */
  kept(): Promise<unknown>;
  /** Errors and breaches of the content security policy so far. */
  troubles(): readonly string[];
  close(): Promise<void>;
}

const ORIGIN = "http://panel.test";

/** Opens the panel's own page, under its own content security policy. */
export async function openPanel(browser: Browser, options: PanelOptions = {}): Promise<PanelUnderTest> {
  const { theme = "dark-2026", width = 340, height = 900, place = "sideBar", clock = false, kept } = options;
  // Moving parts are drawn by the processor here, in each frame.
  const context = await browser.newContext({
    viewport: { width, height },
    serviceWorkers: "block",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error") troubles.push(line.text());
  });
  await servePanel(page, options.language);
  await page.addInitScript(standInForEditor, kept);
  if (clock) await page.clock.install();
  await page.goto(`${ORIGIN}/`);
  await page.evaluate(wearTheme, { theme: THEMES[theme], place });
  return {
    page,
    send: (...messages) => page.evaluate(postAll, messages),
    show: async ({ messages, opens = [], answers = [] }) => {
      await page.evaluate(closeMenus);
      await page.evaluate(postAll, messages);
      for (const selector of opens) await page.evaluate(openOne, selector);
      if (answers.length > 0) await page.evaluate(postAll, answers);
    },
    said: async (also) => {
      const raw = await page.evaluate(() => window.heard.splice(0));
      return raw.map(checked).filter(({ type }) => !UNASKED.has(type) || type === also);
    },
    kept: () => page.evaluate(() => window.kept),
    troubles: () => troubles,
    close: () => context.close(),
  };
}

declare global {
  interface Window {
    heard: unknown[];
    kept: unknown;
  }
}

function checked(raw: unknown): PanelRequest {
  const message = readPanelRequest(raw);
  if (!message) throw new Error(`The panel sent what no panel may send: ${JSON.stringify(raw)}`);
  return message;
}

async function servePanel(page: Page, language?: Language): Promise<void> {
  const { script, style } = await panelBundle();
  const html = renderPanelPage({
    scriptUri: `${ORIGIN}/panel.js`,
    styleUri: `${ORIGIN}/panel.css`,
    cspSource: ORIGIN,
    nonce: "nonce",
    ...(language ? { language } : {}),
  });
  await page.route(`${ORIGIN}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === "/") return route.fulfill({ contentType: "text/html", body: html });
    if (pathname === "/panel.js") return route.fulfill({ contentType: "text/javascript", body: script });
    if (pathname === "/panel.css") return route.fulfill({ contentType: "text/css", body: style });
    return route.fulfill({ status: 204 });
  });
}

/** Runs in the page: what VS Code gives to a webview's script. */
function standInForEditor(kept: unknown): void {
  window.heard = [];
  window.kept = kept;
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: unknown) => window.heard.push(message),
      getState: () => window.kept,
      setState: (state: unknown) => {
        window.kept = state;
      },
    }),
  });
}

/** Runs in the page: sets what VS Code sets on a webview's document. */
function wearTheme({ theme, place }: { theme: (typeof THEMES)[ThemeId]; place: string }): void {
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(theme.variables)) style.setProperty(name, value);
  style.background = `var(--vscode-${place === "editor" ? "editor" : "sideBar"}-background)`;
  document.body.className = theme.bodyClass;
  document.body.dataset.vscodeThemeKind = theme.kind;
}

/** Runs in the page. */
function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLElement>(".menu:popover-open")) menu.hidePopover();
}

/** Runs in the page: a menu is opened and a button clicked, if it's there at this width. */
async function openOne(selector: string): Promise<void> {
  const element = document.querySelector<HTMLElement>(selector);
  if (element?.matches(".menu")) element.showPopover();
  else element?.click();
  for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Runs in the page: resolves once what was posted is drawn. */
async function postAll(messages: readonly unknown[]): Promise<void> {
  for (const message of messages) window.postMessage(message, "*");
  await new Promise((resolve) => setTimeout(resolve));
  for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
}
