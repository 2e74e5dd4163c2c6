import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { launchChromium } from "../host/chromium.ts";
import { ROOT } from "../host/places.ts";
import { eventually } from "./support/eventually.ts";
import { openWindows } from "./support/vscode.ts";
import { panel } from "./support/webview.ts";

describe("npm start", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "start-"));
  let start: ChildProcess | undefined;

  before(async () => {
    for (const other of openWindows) await other.close();
  });
  after(async () => {
    if (start && start.exitCode === null) {
      start.kill("SIGTERM");
      await once(start, "exit");
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it("opens the browser and prints its address last, and there the panel is in view", async function () {
    // Only there a variable says which browser to open, and only the package can be served.
    if (process.platform !== "linux" || process.env.AUTOGPT_E2E === "development") this.skip();
    const [browser, opened] = [path.join(folder, "browser"), path.join(folder, "opened")];
    fs.writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" >'${opened}'\n`, { mode: 0o755 });
    const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
    start = spawn(process.execPath, ["scripts/run.mjs", "start", "--no-package"], {
      cwd: ROOT,
      env: { ...env, BROWSER: browser },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    start.stdout?.on("data", (data) => {
      printed += data;
    });
    const url = await eventually("The address", () => /^(http:\/\/\S+)\n$/m.exec(printed)?.[1]);
    const chromium = await launchChromium();
    try {
      const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(url);
      const task = panel(page).getByRole("textbox", { name: "What should the agent do?" });
      await task.and(page.locator(":enabled")).waitFor({ timeout: 45_000 });

      assert.deepEqual([printed.trimEnd().split("\n").at(-1), fs.readFileSync(opened, "utf8")], [url, url]);
    } finally {
      await chromium.close();
    }
  });
});
