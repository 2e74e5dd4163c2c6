import * as vscode from "vscode";
import { normalizeBaseUrl } from "../../models/http/endpoint.ts";
import { isMergedSetting, mergeSettings, type SettingsLayer } from "../../schema/read-settings.ts";
import type { SettingName, Settings } from "../../schema/settings.ts";

/** Reads the settings as they apply in a folder. VS Code itself keeps a workspace from deciding what its scope doesn't allow. */
export function readSettings(folder?: vscode.Uri): Settings {
  const settings = mergeSettings(
    listSettingsLayers(vscode.workspace.getConfiguration("autogpt", folder ?? null)),
  );
  const { model } = settings;
  return { ...settings, model: { ...model, baseUrl: normalizeBaseUrl(model.baseUrl) } };
}

/** The values that VS Code has resolved, and each layer of the lists that every layer adds to. */
function listSettingsLayers(all: vscode.WorkspaceConfiguration): readonly SettingsLayer[] {
  const inspectMergedSetting = (name: SettingName) => (isMergedSetting(name) ? all.inspect(name) : undefined);
  return [
    {
      origin: "user",
      get: (name) =>
        isMergedSetting(name) ? inspectMergedSetting(name)?.globalValue : copyPlainValue(all.get(name)),
    },
    { origin: "workspace", get: (name) => inspectMergedSetting(name)?.workspaceValue },
    { origin: "workspace", get: (name) => inspectMergedSetting(name)?.workspaceFolderValue },
  ];
}

/** A copy of a value. VS Code's own object loses what is below a key with a dot, such as `gpt-4.1`, once it's written as JSON. */
function copyPlainValue(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}
