import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Playwright from "playwright-core";
import { getErrorMessage } from "../../../../../src/headless/library.ts";

/** Where each system installs browsers that Playwright can drive. */
export const INSTALLED_BROWSERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"].map(
    (name) => `/usr/bin/${name}`,
  ),
  darwin: ["Google Chrome", "Chromium", "Microsoft Edge"].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: [process.env.ProgramFiles, process.env["ProgramFiles(x86)"]].flatMap((folder) => [
    `${folder}\\Google\\Chrome\\Application\\chrome.exe`,
    `${folder}\\Microsoft\\Edge\\Application\\msedge.exe`,
  ]),
};

const FLAGS = ["--no-sandbox", "--disable-gpu", "--window-size=1024,768", "--disable-dev-shm-usage"];

/** Time limit of the element and of its click. */
const WAIT_MS = 10_000;

/** Drives a browser, or says in a sentence why there is none. */
export type BrowserDriver = { readonly launch: () => Promise<Playwright.Browser> } | { readonly why: string };

/** Finds Playwright and a Chromium that starts: the one in CHROMIUM, a system browser, or Playwright's own. */
export async function findBrowserDriver(env: NodeJS.ProcessEnv = process.env): Promise<BrowserDriver> {
  const playwright = loadPlaywright();
  if (!playwright)
    return {
      why: 'It is graded with Playwright. Install it in this folder with "npm install playwright-core".',
    };
  const { chromium } = playwright;
  const own = [env.CHROMIUM ?? "", ...(INSTALLED_BROWSERS[process.platform] ?? []), chromium.executablePath()];
  const troubles: string[] = [];
  for (const executablePath of own.filter((path) => existsSync(path))) {
    const launch = () => chromium.launch({ executablePath, headless: true, args: FLAGS });
    try {
      await (await launch()).close();
      return { launch };
    } catch (error) {
      troubles.push(`${executablePath}: ${getErrorMessage(error).split("\n")[0]}`);
    }
  }
  const why = "It is graded in a browser. Install Chromium, or name one in CHROMIUM.";
  return { why: [why, ...troubles].join(" ") };
}

/** Takes the steps of the package's Selenium test: clicks on the dog and reads the message. Returns why it fails. */
export async function runDogTest(launch: () => Promise<Playwright.Browser>, file: string): Promise<string | undefined> {
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1024, height: 768 } });
    const dialogs: string[] = [];
    page.on("dialog", async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    await page.goto(pathToFileURL(file).href);
    await page.locator("#dog").first().click({ timeout: WAIT_MS });
    const info = page.locator("#info").first();
    const isShown = await info.isVisible();
    // biome-ignore lint/performance/useDomNodeTextContent: Selenium reads the text as it is shown.
    const text = isShown ? (await info.innerText({ timeout: WAIT_MS })).trim() : "";
    if (dialogs.length > 0) return `The page opened a dialog: ${dialogs[0]}`;
    return text === "Dogs are known as man's best friend!" ? undefined : `The message is ${JSON.stringify(text)}.`;
  } catch (error) {
    return getErrorMessage(error).split("\n")[0];
  } finally {
    await browser.close();
  }
}

/** Playwright from beside this program or from the current folder. */
function loadPlaywright(): typeof Playwright | undefined {
  for (const base of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json")).href])
    for (const name of ["playwright-core", "playwright"])
      try {
        return createRequire(base)(name);
      } catch {
        // It is not there.
      }
  return undefined;
}
