import * as vscode from "vscode";
import { plainBaseUrl } from "../../models/http/endpoint.ts";
import { isMergedSetting, mergeSettings, type SettingsLayer } from "../../schema/read-settings.ts";
import type { SettingName, Settings } from "../../schema/settings.ts";

/** Reads the settings as they apply in a folder. VS Code itself keeps a workspace from deciding what its scope doesn't allow. */
export function readSettings(folder?: vscode.Uri): Settings {
  const settings = mergeSettings(layersOf(vscode.workspace.getConfiguration("autogpt", folder ?? null)));
  const { model } = settings;
  return { ...settings, model: { ...model, baseUrl: plainBaseUrl(model.baseUrl) } };
}

/** The values that VS Code has resolved, and each layer of the lists that every layer adds to. */
function layersOf(all: vscode.WorkspaceConfiguration): readonly SettingsLayer[] {
  const merged = (name: SettingName) => (isMergedSetting(name) ? all.inspect(name) : undefined);
  return [
    {
      origin: "user",
      get: (name) => (isMergedSetting(name) ? merged(name)?.globalValue : plain(all.get(name))),
    },
    { origin: "workspace", get: (name) => merged(name)?.workspaceValue },
    { origin: "workspace", get: (name) => merged(name)?.workspaceFolderValue },
  ];
}

/** A copy of a value. VS Code's own object loses what is below a key with a dot, such as `gpt-4.1`, once it's written as JSON. */
function plain(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}
