import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** User settings of VS Code, by their full names. */
export type Settings = Readonly<Record<string, unknown>>;

/** The folders of one VS Code that knows nothing yet and is thrown away at the end. */
export interface Profile {
  readonly folder: string;
  readonly temporary: string;
  /** An empty home folder: the shells of tests neither read nor write what belongs to the user. */
  readonly home: string;
  remove(): void;
}

const QUIET: Settings = {
  "chat.commandCenter.enabled": false,
  "editor.cursorBlinking": "solid",
  "extensions.autoCheckUpdates": false,
  // In a browser VS Code saves by itself after a second.
  "files.autoSave": "off",
  "extensions.autoUpdate": "off",
  "extensions.ignoreRecommendations": true,
  // It would install packages of types for the files of tests.
  "js/ts.tsserver.automaticTypeAcquisition.enabled": false,
  "security.workspace.trust.startupPrompt": "once",
  "telemetry.telemetryLevel": "off",
  "typescript.disableAutomaticTypeAcquisition": true,
  "update.mode": "none",
  "window.menuBarVisibility": "hidden",
  "workbench.editor.useModal": "off",
  // Moving parts are drawn by the processor here.
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
};

/** Makes a fresh profile with these user settings on top of the ones that keep VS Code quiet. */
export function makeProfile(settings: Settings = {}): Profile {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "vscode-"));
  const user = path.join(folder, "data/User");
  const machine = path.join(folder, "data/Machine");
  const temporary = path.join(folder, "tmp");
  const home = path.join(folder, "home");
  for (const each of [user, machine, temporary, home]) fs.mkdirSync(each, { recursive: true });
  // Settings of machine scope are read from here; the others in it are passed over.
  fs.writeFileSync(path.join(machine, "settings.json"), JSON.stringify(settings, null, 2));
  fs.writeFileSync(path.join(user, "settings.json"), JSON.stringify({ ...QUIET, ...settings }, null, 2));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return { folder, temporary, home, remove };
}
