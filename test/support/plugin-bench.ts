import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isPrepared, type PreparedCall } from "../../src/core/commands/command.ts";
import { type CommandSet, createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import type { Offers } from "../../src/plugins/hook-answers.ts";
import { createInProcessPlugin } from "../../src/plugins/in-process.ts";
import type { LoadedPlugin, Plugin, PluginRun } from "../../src/plugins/plugin.ts";
import { RunPlugins } from "../../src/runtime/run-plugins.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import type { Settings } from "../../src/schema/settings.ts";

/** Settings that differ from the defaults in some of the web's and the plugins' values. */
interface PluginSettings {
  readonly web?: Partial<Settings["web"]>;
  readonly plugins?: Partial<Settings["plugins"]>;
}

/** All settings, with these in place of the defaults. */
function pluginSettings({ web, plugins }: PluginSettings): Settings {
  return {
    ...DEFAULT_SETTINGS,
    web: { ...DEFAULT_SETTINGS.web, ...web },
    plugins: { ...DEFAULT_SETTINGS.plugins, ...plugins },
  };
}

/** A run in a folder, as plugins see it. */
export function runOfPlugin(folder: string, settings: PluginSettings = {}): PluginRun {
  const home = join(folder, ".autogpt", "runs", "one");
  mkdirSync(home, { recursive: true });
  return {
    id: "one",
    folder,
    listFolders: () => [{ name: "project", path: folder }],
    home,
    settings: pluginSettings(settings),
    notice: () => undefined,
    redact: (text) => text,
  };
}

/** The commands of a plugin, as a run has them. */
export interface PluginBench {
  readonly specs: CommandSet["specs"];
  prepare(name: string, args: Readonly<Record<string, unknown>>): Promise<PreparedCall | Outcome>;
  run(prepared: PreparedCall, signal?: AbortSignal): Promise<Outcome>;
  /** Prepares and runs a call, as a user does who allows whatever is shown. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

/** What plugins offer to a run with this task. */
export function openPlugins(loaded: readonly LoadedPlugin[], task: string): Promise<Offers> {
  const plugins = new RunPlugins({
    load: async () => loaded,
    notice: () => undefined,
    keep: async () => undefined,
  });
  const profile = { name: "n", role: "r", goals: [] };
  return plugins.open({ task, profile }, { commands: createCommandSet([]), own: [] });
}

/** Loads a plugin for a run in a folder. `keys` are the stored ones, by their addresses. */
export async function pluginBench(
  plugin: Plugin,
  folder: string,
  settings: PluginSettings = {},
  keys: Readonly<Record<string, string>> = {},
): Promise<PluginBench> {
  const { signal } = new AbortController();
  const services = { findKey: async (address: string) => keys[address], log: () => undefined };
  const run = runOfPlugin(folder, settings);
  const loaded = createInProcessPlugin(plugin, { from: "user", kind: "own", run, services });
  const { commands } = await openPlugins([loaded], "t");
  const set = createCommandSet(commands);
  const prepare: PluginBench["prepare"] = (name, args) =>
    set.prepare(set.understand({ name, args }).call, { step: 1, signal });
  const running: PluginBench["run"] = (prepared, stopped = signal) =>
    set.run(prepared, {
      step: 1,
      signal: stopped,
      output: () => undefined,
      record: async () => undefined,
    });
  return {
    specs: set.specs,
    prepare,
    run: running,
    async call(name, args) {
      const prepared = await prepare(name, args);
      return isPrepared(prepared) ? running(prepared) : prepared;
    },
  };
}
