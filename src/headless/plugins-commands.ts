import { visible, visibleJson } from "../core/base/text.ts";
import type { ListedPlugin, PluginCatalog } from "../plugins/catalog.ts";
import type { PluginPlace } from "../plugins/plugin.ts";
import { pluginDocument, pluginFacts, pluginState } from "../plugins/plugin-list.ts";
import { inEnglish } from "../texts/display-text.ts";
import type { ProgramEnd } from "./exit-code.ts";
import { readFlags } from "./flags.ts";
import { runOptions } from "./options.ts";
import { inSession, type Surroundings } from "./session.ts";
import { UsageError } from "./usage-error.ts";

interface PluginsCall {
  readonly catalog: PluginCatalog;
  readonly place: PluginPlace;
  readonly listed: readonly ListedPlugin[];
  /** The plugin that is named. Throws `UsageError` if there is none. */
  named(): ListedPlugin;
  line(text: string): void;
  readonly isJson: boolean;
}

type PluginsAction = (call: PluginsCall) => Promise<void> | void;

const ACTIONS: Readonly<Record<string, PluginsAction>> = {
  list: ({ listed, line, isJson }) => {
    if (listed.length === 0 && !isJson) line(NONE);
    for (const one of listed) line(isJson ? visibleJson(JSON.stringify(rowOf(one))) : textOf(one));
  },
  show: ({ named, line }) => line(visible(pluginDocument(named(), inEnglish))),
  allow: async ({ catalog, place, named, line }) => {
    const { plugin } = named();
    await catalog.answer(plugin, place.folder, true);
    line(`${visible(plugin.name)} may be used, as it is now.`);
  },
  deny: async ({ catalog, place, named, line }) => {
    const { plugin } = named();
    await catalog.answer(plugin, place.folder, false);
    line(`${visible(plugin.name)} isn't used.`);
  },
};

const NONE =
  "There are no plugins here. They can be in .autogpt/plugins of the folder, or in your own folder of plugins.";

/** `autogpt plugins …`: lists plugins, and stores the user's consent. Throws `UsageError`. */
export async function pluginsCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<ProgramEnd> {
  const flags = readFlags(argv, {});
  const [name = "", first] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new UsageError(`"plugins" takes one of these: ${Object.keys(ACTIONS).join(", ")}.`);
  const options = runOptions(flags, env, "stored run");
  return inSession(options, around, async ({ host, workspace, out, loaded }) => {
    const catalog = host.plugins;
    const place = { folder: workspace, isTrusted: true, settings: loaded.settings };
    const listed = await catalog.list(place);
    await action({
      catalog,
      place,
      listed,
      isJson: options.json,
      line: (text) => out.line(text),
      named: () => {
        const found = listed.find((one) => one.plugin.id === first || exactName(one) === first);
        const names = listed.filter(({ plugin }) => plugin.id === first).map(exactName);
        if (new Set(names).size > 1)
          throw new UsageError(
            `Several are called "${first}". Name one of them: ${[...new Set(names)].join(", ")}.`,
          );
        if (!found) throw new UsageError(`There is no plugin "${first ?? ""}". "plugins list" lists them.`);
        return found;
      },
    });
    return { kind: "done" };
  });
}

/** Plugins of different kinds may have one name, and a workspace could choose that of a server that the user means. */
function exactName({ plugin: { kind, id } }: ListedPlugin): string {
  return `${kind}:${id}`;
}

function rowOf({ plugin, state, problem }: ListedPlugin) {
  const { id, kind, from, name, description, adds, isolation } = plugin;
  return {
    ...{ id, kind, from, name, description, adds, state, isolation: inEnglish(isolation) },
    ...(problem === undefined ? {} : { problem: inEnglish(problem) }),
  };
}

function textOf(one: ListedPlugin): string {
  const facts = pluginFacts(one).map((fact) => visible(inEnglish(fact)));
  return `${visible(one.plugin.id)}: ${inEnglish(pluginState(one))}\n  ${facts.join("\n  ")}`;
}
