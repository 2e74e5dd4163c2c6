import type { PluginPlace, PluginRun } from "../../src/plugins/plugin.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import type { Settings } from "../../src/schema/settings.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";

/** What plugins told the user of a run, in English. */
export interface RecordedRun {
  readonly run: PluginRun;
  readonly told: string[];
  readonly stopped: string[];
}

/** A trusted folder in which plugins are looked for. */
export function pluginPlace(folder: string, plugins: Partial<Settings["plugins"]> = {}): PluginPlace {
  return { folder, isTrusted: true, settings: withPlugins(plugins) };
}

/** A run in a folder, of which a plugin's words are kept. */
export function pluginRun(folder: string, plugins: Partial<Settings["plugins"]> = {}): RecordedRun {
  const told: string[] = [];
  const stopped: string[] = [];
  const run: PluginRun = {
    id: "run-1",
    folder,
    listFolders: () => [],
    home: folder,
    settings: withPlugins(plugins),
    notice: (text) => told.push(writeInEnglish(text)),
    stop: (text) => stopped.push(writeInEnglish(text)),
    redact: (text) => text,
  };
  return { run, told, stopped };
}

function withPlugins(plugins: Partial<Settings["plugins"]>): Settings {
  return { ...DEFAULT_SETTINGS, plugins: { ...DEFAULT_SETTINGS.plugins, ...plugins } };
}
