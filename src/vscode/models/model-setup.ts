import * as vscode from "vscode";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { SettingChanges } from "../../models/provider-settings.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";

/** Dependencies of setting up models. */
export interface ModelSetup {
  readonly keys: KeyRing;
  readonly desk: ModelResolver;
  /** Called after a key, a provider or a model was changed. */
  notifySetupChanged(): void;
}

/** Writes settings of the user. */
export async function writeSettings(changes: SettingChanges): Promise<void> {
  const settings = vscode.workspace.getConfiguration("autogpt");
  for (const [name, value] of Object.entries(changes)) {
    await settings.update(name, value, vscode.ConfigurationTarget.Global);
  }
}
