import { escapeInvisible, escapeInvisibleJson } from "../core/base/text.ts";
import type { ListedPlugin, PluginCatalog } from "../plugins/catalog.ts";
import type { PluginPlace } from "../plugins/plugin.ts";
import { describePluginState, listPluginFacts, renderPluginDocument } from "../plugins/plugin-list.ts";
import { writeInEnglish } from "../texts/display-text.ts";
import { readFlags } from "./flags.ts";
import { createRunOptions } from "./options.ts";
import { runWithSession, type Subcommand } from "./session.ts";
import { UsageError } from "./usage-error.ts";

interface PluginsCall {
  readonly catalog: PluginCatalog;
  readonly place: PluginPlace;
  readonly listed: readonly ListedPlugin[];
  /** The plugin that is named. Throws `UsageError` if there is none. */
  getNamedPlugin(): ListedPlugin;
  writeLine(text: string): void;
  readonly isJson: boolean;
}

type PluginsAction = (call: PluginsCall) => Promise<void> | void;

const ACTIONS: Readonly<Record<string, PluginsAction>> = {
  list: ({ listed, writeLine, isJson }) => {
    if (listed.length === 0 && !isJson) writeLine(NONE);
    for (const one of listed)
      writeLine(isJson ? escapeInvisibleJson(JSON.stringify(createRow(one))) : renderPlugin(one));
  },
  show: ({ getNamedPlugin, writeLine }) =>
    writeLine(escapeInvisible(renderPluginDocument(getNamedPlugin(), writeInEnglish))),
  allow: async ({ catalog, place, getNamedPlugin, writeLine }) => {
    const { plugin } = getNamedPlugin();
    await catalog.answer(plugin, place.folder, true);
    writeLine(`${escapeInvisible(plugin.name)} may be used, as it is now.`);
  },
  deny: async ({ catalog, place, getNamedPlugin, writeLine }) => {
    const { plugin } = getNamedPlugin();
    await catalog.answer(plugin, place.folder, false);
    writeLine(`${escapeInvisible(plugin.name)} isn't used.`);
  },
};

const NONE =
  "There are no plugins here. They can be in .autogpt/plugins of the folder, or in your own folder of plugins.";

/** `autogpt plugins …`: lists plugins, and stores the user's consent. Throws `UsageError`. */
export const runPluginsCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, {});
  const [name = "", first] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new UsageError(`"plugins" takes one of these: ${Object.keys(ACTIONS).join(", ")}.`);
  const options = createRunOptions(flags, env, "stored run");
  return runWithSession(options, around, async ({ host, workspace, out, loaded }) => {
    const catalog = host.plugins;
    const place = { folder: workspace, isTrusted: true, settings: loaded.settings };
    const listed = await catalog.list(place);
    await action({
      catalog,
      place,
      listed,
      isJson: options.json,
      writeLine: (text) => out.writeLine(text),
      getNamedPlugin: () => {
        const found = listed.find((one) => one.plugin.id === first || formatExactName(one) === first);
        const names = listed.filter(({ plugin }) => plugin.id === first).map(formatExactName);
        if (new Set(names).size > 1)
          throw new UsageError(`Several are called "${first}". Name one of them: ${[...new Set(names)].join(", ")}.`);
        if (!found) throw new UsageError(`There is no plugin "${first ?? ""}". "plugins list" lists them.`);
        return found;
      },
    });
    return { kind: "done" };
  });
};

/** A plugin's exact name. Different kinds may share a name, so a workspace could choose the name of the intended server. */
function formatExactName({ plugin: { kind, id } }: ListedPlugin): string {
  return `${kind}:${id}`;
}

function createRow({ plugin, state, problem }: ListedPlugin) {
  const { id, kind, from, name, description, adds, isolation } = plugin;
  return {
    id,
    kind,
    from,
    name,
    description,
    adds,
    state,
    isolation: writeInEnglish(isolation),
    ...(problem === undefined ? {} : { problem: writeInEnglish(problem) }),
  };
}

function renderPlugin(one: ListedPlugin): string {
  const facts = listPluginFacts(one).map((fact) => escapeInvisible(writeInEnglish(fact)));
  return `${escapeInvisible(one.plugin.id)}: ${writeInEnglish(describePluginState(one))}\n  ${facts.join("\n  ")}`;
}
