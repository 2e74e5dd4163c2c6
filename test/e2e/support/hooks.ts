import type { Context } from "mocha";
import { takePicture } from "./pictures.ts";
import { openWindows } from "./vscode.ts";

/**
 * Takes a picture of every open window when a test fails and closes them, so that the next test finds nothing of it; at the end
 * closes those that are left. Mocha finds this by its name.
 */
export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== "failed") return;
    const name = test.fullTitle().replaceAll(/[^\w]+/g, "-");
    for (const [index, window] of [...openWindows].entries()) {
      await takePicture(window.page, `failed-${name}-${index}`);
      await window.close();
    }
  },
  async afterAll(): Promise<void> {
    for (const window of openWindows) await window.close();
  },
};
