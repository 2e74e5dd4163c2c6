import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { PluginCatalog } from "../../plugins/catalog.ts";
import { Consents } from "../../plugins/consents.ts";
import { announcedIn, ExtensionPlugins } from "../../plugins/extensions.ts";
import { pluginSources } from "../../plugins/sources.ts";
import { readSettings } from "../host/settings.ts";
import { chosenInterpreter } from "../workspace/python-extension.ts";

/** The plugins within reach of this window. */
export function editorPlugins(
  { globalStorageUri, extensionPath }: vscode.ExtensionContext,
  log: Pick<vscode.LogOutputChannel, "info">,
): { readonly plugins: PluginCatalog; readonly extensionPlugins: ExtensionPlugins } {
  const storage = globalStorageUri.fsPath;
  const extensionPlugins = new ExtensionPlugins(announced, (plugin, text) => log.info(`${plugin}: ${text}`));
  const sources = pluginSources({
    userFolder: join(homedir(), ".autogpt", "plugins"),
    storage: join(storage, "plugin-copies"),
    named: [],
    classicBridge: join(extensionPath, "dist", "classic_bridge.py"),
    runner: join(extensionPath, "dist", "plugin-runner.mjs"),
    pythonInterpreter: async (folder) =>
      readSettings().python.interpreter || (await chosenInterpreter(folder)),
  });
  const consents = new Consents(join(storage, "plugin-consents.json"));
  return { plugins: new PluginCatalog([extensionPlugins, ...sources], consents, "editor"), extensionPlugins };
}

/** The plugins that installed extensions announce; no extension is activated for it. */
function announced() {
  return vscode.extensions.all.flatMap((extension) =>
    announcedIn(extension.packageJSON, async () => extension.activate()),
  );
}
