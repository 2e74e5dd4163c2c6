import * as vscode from "vscode";
import { normalizeBaseUrl } from "../../models/http/endpoint.ts";
import { isMergedSetting, mergeSettings, type SettingsLayer } from "../../schema/read-settings.ts";
import type { SettingName, Settings } from "../../schema/settings.ts";

/** Reads the settings in effect for a folder. VS Code enforces the scopes that limit what a workspace can set. */
export function readSettings(folder?: vscode.Uri): Settings {
  const settings = mergeSettings(listSettingsLayers(vscode.workspace.getConfiguration("autogpt", folder ?? null)));
  const { model } = settings;
  return { ...settings, model: { ...model, baseUrl: normalizeBaseUrl(model.baseUrl) } };
}

/** The values that VS Code resolved, and the separate layers of settings whose lists are merged. */
function listSettingsLayers(all: vscode.WorkspaceConfiguration): readonly SettingsLayer[] {
  const inspectMergedSetting = (name: SettingName) => (isMergedSetting(name) ? all.inspect(name) : undefined);
  return [
    {
      origin: "user",
      get: (name) => (isMergedSetting(name) ? inspectMergedSetting(name)?.globalValue : copyPlainValue(all.get(name))),
    },
    { origin: "workspace", get: (name) => inspectMergedSetting(name)?.workspaceValue },
    { origin: "workspace", get: (name) => inspectMergedSetting(name)?.workspaceFolderValue },
  ];
}

/** Copies a value. Converting VS Code's own object to JSON loses values below keys with a dot, such as `gpt-4.1`. */
function copyPlainValue(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}
