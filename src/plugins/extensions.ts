import { isObject } from "../core/base/json.ts";
import { cutText } from "../core/base/text.ts";
import { DisplayError, displayText } from "../texts/display-text.ts";
import type { PluginServices } from "./call-context.ts";
import { checkPlugin, createInProcessPlugin, listPluginHooks } from "./in-process.ts";
import type { FoundPlugin, LoadedPlugin, Plugin, PluginRun, PluginSource } from "./plugin.ts";

/** A plugin declared in an extension's package.json, before the extension is activated. */
export interface AnnouncedPlugin {
  readonly id: string;
  readonly description: string;
  readonly hooks: readonly string[];
  /** Name of the extension, for people. */
  readonly extension: string;
  /** Activates the extension, which then registers the plugin. */
  activate(): Promise<unknown>;
}

/** The plugins of other extensions: registered ones, and declared ones that wait for their first run. */
export class ExtensionPlugins implements PluginSource {
  private readonly announced: () => readonly AnnouncedPlugin[];
  private readonly services: PluginServices;
  private readonly registered = new Map<string, Plugin>();

  constructor(announced: () => readonly AnnouncedPlugin[], services: PluginServices) {
    this.announced = announced;
    this.services = services;
  }

  /** Adds a plugin to future runs. Throws a sentence if the plugin can't be used. */
  register(plugin: Plugin): () => void {
    const problem = checkPlugin(plugin);
    if (problem !== undefined) throw new Error(problem);
    if (this.registered.has(plugin.id)) throw new DisplayError(displayText("plugins.sameName", { name: plugin.id }));
    this.registered.set(plugin.id, plugin);
    return () => {
      if (this.registered.get(plugin.id) === plugin) this.registered.delete(plugin.id);
    };
  }

  async find(): Promise<readonly FoundPlugin[]> {
    const { services } = this;
    const load = (plugin: Plugin, run: PluginRun): LoadedPlugin =>
      createInProcessPlugin(plugin, { from: "extension", kind: "extension", run, services });
    const known = [...this.registered.values()].map((plugin) =>
      createFoundPlugin(
        plugin.id,
        plugin.name ?? plugin.id,
        plugin.description ?? "",
        listPluginHooks(plugin),
        async (run) => load(plugin, run),
      ),
    );
    const waiting = this.announced().filter(({ id }) => !this.registered.has(id));
    return [
      ...known,
      ...waiting.map(({ id, description, hooks, extension, activate }) =>
        createFoundPlugin(id, extension, description, hooks, async (run) => {
          await activate();
          const plugin = this.registered.get(id);
          if (!plugin) throw new DisplayError(displayText("plugins.notRegistered", { extension, name: id }));
          return load(plugin, run);
        }),
      ),
    ];
  }
}

function createFoundPlugin(
  id: string,
  name: string,
  description: string,
  adds: readonly string[],
  load: FoundPlugin["load"],
): FoundPlugin {
  const isolation = displayText("plugins.inExtension");
  return { id, kind: "extension", from: "extension", name, description, adds, isolation, load };
}

/** The plugins declared in an extension's package.json. Invalid declarations are left out. */
export function parseAnnouncedPlugins(
  packageJson: unknown,
  activate: () => Promise<unknown>,
): readonly AnnouncedPlugin[] {
  const { contributes, displayName, name } = isObject(packageJson)
    ? packageJson
    : { contributes: undefined, displayName: undefined, name: undefined };
  const list: unknown = isObject(contributes) ? contributes["autogptPlugins"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (!isObject(entry) || checkPlugin(entry) !== undefined) return [];
    const hooks: readonly unknown[] = Array.isArray(entry["hooks"]) ? entry["hooks"] : [];
    return [
      {
        id: String(entry["id"]),
        description: cutText(String(entry["description"] ?? ""), 300),
        hooks: hooks.filter((hook) => typeof hook === "string"),
        extension: cutText(String(displayName ?? name ?? entry["id"]), 100),
        activate,
      },
    ];
  });
}
