import { omitUndefined } from "../core/base/objects.ts";
import { escapeInvisible } from "../core/base/text.ts";
import { type Rule, readDeny, readRules } from "../safety/policy/rules.ts";
import type { ShownPlugin, ShownTool, ToolsPage } from "../schema/plugin-values.ts";
import type { Settings } from "../schema/settings.ts";
import { getPluginKey, type ListedPlugin } from "./catalog.ts";
import { KNOWN_SERVERS } from "./mcp/known-servers.ts";
import type { ServerTool } from "./plugin.ts";
import { groupPlugins, listPluginOrigins, listPluginSteps } from "./plugin-list.ts";

/** Facts that only the host knows. */
export interface ToolsPageFacts {
  readonly settings: Settings;
  /** True if the plugin has a password or a key that the user can enter. */
  canTakeSecret(listed: ListedPlugin): boolean;
  /** True if the secret that a server's entry names is stored. */
  hasSecret(listed: ListedPlugin, name: string): Promise<boolean>;
}

/** The page of tools and plugins. Creating it starts nothing, reaches no server and reads no secret's value. */
export async function createToolsPage(listed: readonly ListedPlugin[], facts: ToolsPageFacts): Promise<ToolsPage> {
  const groups = groupPlugins(listed).map(async ({ title, listed: plugins }) => ({
    title,
    plugins: await Promise.all(plugins.map((one) => createShownPlugin(one, facts))),
  }));
  const there = new Set(listed.map(({ plugin }) => plugin.id.toLowerCase()));
  const known = KNOWN_SERVERS.filter(({ id }) => !there.has(id));
  return { groups: await Promise.all(groups), known: known.map(({ id, label, about }) => ({ id, label, about })) };
}

async function createShownPlugin(listed: ListedPlugin, facts: ToolsPageFacts): Promise<ShownPlugin> {
  const { plugin, state, problem } = listed;
  const isSignedIn = await plugin.account?.hasSignIn();
  const connection = state === "on" ? plugin.server?.getState() : undefined;
  const inputs = plugin.server?.inputs ?? [];
  const stored = await Promise.all(inputs.map((name) => facts.hasSecret(listed, name)));
  const tools = await plugin.server?.listTools();
  return {
    key: getPluginKey(plugin),
    name: escapeInvisible(plugin.name),
    facts: [...listPluginOrigins(plugin)],
    description: escapeInvisible(plugin.description),
    state: connection && connection.kind !== "idle" ? connection.kind : state,
    limits: plugin.isolation,
    ...omitUndefined({
      why: problem ?? (connection?.kind === "failed" ? connection.why : undefined),
      warning: plugin.warning,
    }),
    steps: [...listPluginSteps(listed, { ...omitUndefined({ isSignedIn }), takesSecret: facts.canTakeSecret(listed) })],
    secrets: inputs.map((name, index) => ({ name: escapeInvisible(name), stored: stored[index] === true })),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map((tool) => createShownTool(tool, facts)) }),
  };
}

function createShownTool({ name, command, description }: ServerTool, { settings }: ToolsPageFacts): ShownTool {
  const { rules, deny } = settings.approval;
  return { name, description, calls: findCallRule(command, [...readDeny(deny), ...readRules(rules)]) };
}

/** The decision of the user's rules about all calls of a command, the strictest first. Rules about single arguments leave it at asking. */
function findCallRule(command: string, rules: readonly Rule[]): ShownTool["calls"] {
  const actions = rules
    .filter((rule) => rule.match === undefined && (rule.command === "*" || rule.command === command))
    .map(({ action }) => action);
  if (actions.includes("refuse")) return "refused";
  return actions.includes("allow") && !actions.includes("ask") ? "allowed" : "ask";
}
