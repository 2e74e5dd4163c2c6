import type { Page } from "playwright-core";
import { launchChromium } from "../../host/chromium.ts";
import { installExtension } from "../../host/installed.ts";
import { openPage } from "../../host/page.ts";
import { ROOT } from "../../host/places.ts";
import type { Settings } from "../../host/profile.ts";
import { type Server, startServer } from "../../host/server.ts";
import { copyWorkspace } from "../../host/workspace.ts";
import { listenForTroubles } from "./troubles.ts";

/** What a suite wants of its VS Code; nothing is needed. */
export interface Wishes {
  /** The folder to open a copy of; `null` opens an empty window. The sample workspace when not given. */
  readonly workspace?: string | null;
  readonly settings?: Settings;
  readonly env?: Readonly<Record<string, string>>;
  /** Asks whether the workspace is trusted, as on a user's machine. */
  readonly trust?: boolean;
  /** Folders of extensions beside ours, such as the one that gives VS Code a language model. */
  readonly extensions?: readonly string[];
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Called when the window is closed. */
  whenClosed?(): Promise<void>;
}

/** A VS Code with the packaged extension installed, shown in a browser, for one suite. */
export interface VsCode {
  readonly page: Page;
  /** The workspace copy; empty without one. */
  readonly folder: string;
  readonly server: Server;
  /** Errors of the panel so far: what it threw, logged as an error, or was refused by its security policy. */
  readonly troubles: readonly string[];
  /** Ends everything and deletes the workspace copy. */
  close(): Promise<void>;
}

const SAMPLE = `${ROOT}/test/fixtures/sample-workspace`;

/** The windows that are open now, for pictures of failures. */
export const openWindows = new Set<VsCode>();

/**
 * Starts a VS Code for a suite and waits until it can be used. With AUTOGPT_E2E=development the extension is loaded
 * from its folder, which saves packaging it.
 */
export async function openVsCode(wishes: Wishes = {}): Promise<VsCode> {
  const development = process.env.AUTOGPT_E2E === "development";
  const copy = wishes.workspace === null ? undefined : copyWorkspace(wishes.workspace ?? SAMPLE);
  const installed = development ? {} : { extensionsFolder: await installExtension() };
  const server = await startServer({ ...wishes, ...installed });
  const browser = await launchChromium();
  const context = await browser.newContext({
    viewport: wishes.viewport ?? { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const troubles = listenForTroubles(page);
  const close = async () => {
    openWindows.delete(vscode);
    await browser.close();
    server.stop();
    copy?.remove();
    await wishes.whenClosed?.();
  };
  const vscode: VsCode = { page, folder: copy?.folder ?? "", server, troubles, close };
  openWindows.add(vscode);
  await openPage(page, {
    port: server.port,
    ...(copy ? { workspace: copy.folder } : {}),
    extensions: [...(development ? [ROOT] : []), ...(wishes.extensions ?? [])],
  });
  await ready(page);
  return vscode;
}

/** Reloads the window, as a user does with "Developer: Reload Window". */
export async function reloadWindow({ page }: VsCode): Promise<void> {
  await page.reload();
  await ready(page);
}

/** The theme's name comes into the class list once its colours are in use. */
async function ready(page: Page): Promise<void> {
  const workbench = page.locator('.monaco-workbench[class*="-themes-"]');
  await workbench.locator(".activitybar .action-item").first().waitFor({ timeout: 60_000 });
}
