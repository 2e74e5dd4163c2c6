import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import * as esbuild from "esbuild";
import { playwrightPlugin } from "../../../../scripts/playwright-plugin.mjs";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { findTestBrowser } from "../../../support/real-browser.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { page, webServers } from "../../../support/web-server.ts";

const require = createRequire(import.meta.url);
const { signal } = new AbortController();

describe("Playwright in the bundle", function () {
  this.timeout(120_000);
  const server = webServers();
  const tempFolder = tempFolders();

  /** Bundles a source file or package as `esbuild.mjs` does. */
  const bundle = async (entry: string): Promise<string> => {
    const outfile = join(await tempFolder(), "part.cjs");
    const plugins = [playwrightPlugin];
    const supported = { "dynamic-import": false };
    const shared = { bundle: true, minify: true, platform: "node", format: "cjs", target: "node22" } as const;
    await esbuild.build({ ...shared, entryPoints: [entry], outfile, plugins, supported, logLevel: "silent" });
    return outfile;
  };

  it("is the part that drives a Chromium, and what isn't there says so", async () => {
    const file = await bundle("playwright-core");
    const { chromium } = require(file) as typeof import("playwright-core");
    const launched = await chromium.launch({ channel: "chrome" }).catch(String);
    const bytes = deflateRawSync(await readFile(file), { level: 9 }).length;
    assert.deepEqual(
      { isSmall: bytes < 300_000, launched: /isn't in the bundle: \S+registry/.test(String(launched)) },
      { isSmall: true, launched: true },
      String(launched),
    );
  });

  it("opens, reads, fills in, clicks and photographs a page", async function () {
    const program = await findTestBrowser();
    if (program === undefined) return this.skip();
    const { port } = await server((_asked, answer) =>
      page(
        answer,
        `<title>T</title><label>Name <input></label><input type="file">
        <iframe srcdoc="<button onclick=&quot;parent.document.title = 'Pressed'; alert(1)&quot;>In</button>"></iframe>`,
      ),
    );
    const { createRunBrowser } = require(
      await bundle("src/node/browser/run-browser.ts"),
    ) as typeof import("../../../../src/node/browser/run-browser.ts");
    const checkAddress = createAddressCheck(() => []);
    const browser = createRunBrowser({ program, isVisible: () => false, allowHosts: () => [], checkAddress });
    try {
      const { tree } = await browser.open(new URL(`http://localhost:${port}/`), signal);
      const find = (text: string): string =>
        new RegExp(`${text}.*?\\[((?:f\\d+)?e\\d+)\\]`).exec(tree)?.[1] ?? `nothing like ${text}`;
      const typed = await browser.type(find('textbox "Name"'), { text: "Ann", press: "Control+A" }, signal);
      const file = { name: "a.txt", bytes: Buffer.from("abc"), origin: `http://localhost:${port}` };
      const given = await browser.click(find("Choose File"), file, signal);
      const pressed = await browser.click(find('button "In"'), undefined, signal);
      const { data } = await browser.takePicture({ isWhole: true }, signal);
      assert.deepEqual(
        {
          typed: typed.tree.includes("Ann"),
          notes: [...given.notes, ...pressed.notes],
          title: pressed.title,
          picture: Buffer.from(data.subarray(1, 4)).toString(),
        },
        {
          typed: true,
          notes: ["The page got the file a.txt.", 'The page opened the dialog alert "1", which was dismissed.'],
          title: "Pressed",
          picture: "PNG",
        },
      );
    } finally {
      await browser.close();
    }
  });
});
