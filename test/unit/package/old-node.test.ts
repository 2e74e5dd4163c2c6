import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { tempFolders } from "../../support/temp-folders.ts";

const ROOT = join(import.meta.dirname, "../../..");
const tempFolder = tempFolders();

/** Activates `./extension.cjs` under a Node version that it takes for its own, and prints what the host was asked to do. */
const PROBE = `
const Module = require("node:module");
const seen = { messages: [], registered: [], html: "" };
const register = (name) => void seen.registered.push(name);
const webview = {};
const vscode = {
  env: { appName: "Theia" },
  commands: { registerCommand: (name, act) => (register(name), name === "autogpt.b" && act()) },
  window: {
    showErrorMessage: async (text) => void seen.messages.push(text),
    registerWebviewViewProvider: (name, { resolveWebviewView }) => (register(name), resolveWebviewView({ webview })),
    registerTreeDataProvider: register,
  },
};
const load = Module._load;
Module._load = (name, ...more) => (name === "vscode" ? vscode : load(name, ...more));
Object.defineProperty(process.versions, "node", { value: "20.20.2" });
const commands = [{ command: "autogpt.a" }, { command: "autogpt.b" }];
const context = { subscriptions: [], extension: { packageJSON: { contributes: { commands } } } };
seen.api = typeof require("./extension.cjs").activate(context);
seen.html = webview.html;
seen.loaded = Object.keys(require.cache).map((file) => require("node:path").basename(file)).sort();
console.log(JSON.stringify(seen));
`;

describe("a host whose Node is too old", () => {
  it("gets one clear message, for every action too, and nothing else is loaded", async () => {
    const folder = await tempFolder();
    await build({
      absWorkingDir: ROOT,
      entryPoints: { extension: "src/extension.ts", "old-node": "src/vscode/host/old-node.ts" },
      outdir: folder,
      outExtension: { ".js": ".cjs" },
      bundle: true,
      platform: "node",
      format: "cjs",
      external: ["vscode", "./*.cjs"],
      logLevel: "error",
    });
    await writeFile(join(folder, "probe.cjs"), PROBE);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "probe.cjs")]);
    const { html, ...seen } = JSON.parse(stdout);
    const message =
      "AutoGPT needs Node.js 22 or later, but Theia runs extensions with Node.js 20.20.2. Update Theia, or start it with a newer Node.js.";
    assert.deepEqual(
      { ...seen, isOnPage: html.includes(message) },
      {
        messages: [message, message],
        registered: ["autogpt.a", "autogpt.b", "autogpt.panel", "autogpt.runs"],
        api: "undefined",
        loaded: ["extension.cjs", "old-node.cjs", "probe.cjs"],
        isOnPage: true,
      },
    );
  });
});
