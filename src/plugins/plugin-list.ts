import { assertNever } from "../core/base/errors.ts";
import type { PluginStep } from "../schema/plugin-values.ts";
import { type DisplayText, displayText, type Sentence } from "../texts/display-text.ts";
import type { ListedPlugin } from "./catalog.ts";

/** Facts about a plugin that determine its steps. */
interface PluginFacts {
  /** False if the user could sign in but hasn't. */
  readonly isSignedIn?: boolean;
  /** The user can enter a password or a key for it. */
  readonly takesSecret?: boolean;
}

/** The steps that make sense for a plugin, the most likely one first. */
export function listPluginSteps(
  { plugin, state }: ListedPlugin,
  { isSignedIn, takesSecret = false }: PluginFacts,
): readonly PluginStep[] {
  const secret: readonly PluginStep[] = takesSecret ? ["secret"] : [];
  const open: readonly PluginStep[] = [
    ...(plugin.file === undefined ? [] : (["open"] as const)),
    ...(plugin.server && plugin.from === "user" ? (["remove"] as const) : []),
  ];
  const isIdle = plugin.server && ["idle", "failed"].includes(plugin.server.getState().kind);
  switch (state) {
    case "new":
      return ["allow", "deny", "look", ...open];
    case "changed":
      return ["allow", "compare", "deny", "look", ...open];
    case "on":
      return [
        ...(isIdle ? (["start"] as const) : []),
        ...(isSignedIn === false ? (["signIn"] as const) : []),
        ...(plugin.prompts ? (["prompt"] as const) : []),
        ...secret,
        "configure",
        ...open,
        "look",
        "log",
        ...(isSignedIn ? (["signOut"] as const) : []),
        "deny",
        ...(plugin.consent || plugin.isOptional ? (["forget"] as const) : []),
      ];
    case "off":
      return ["allow", "look", "configure"];
    case "denied":
      return ["allow", "look", "forget", ...open];
    case "excluded":
      return ["configure", "look", ...open];
    case "broken":
      return ["configure", "look", ...open, "log"];
    default:
      return assertNever(state);
  }
}

/** The setting that configures a plugin. */
export function getPluginSetting({ plugin, state }: ListedPlugin): string {
  if (state === "excluded") return "autogpt.plugins";
  return plugin.kind === "mcp" ? "autogpt.mcp.servers" : "autogpt.plugins.config";
}

const GROUPS = {
  waiting: ["new", "changed"],
  broken: ["broken"],
  on: ["on"],
  unused: ["off", "denied", "excluded"],
} as const satisfies Readonly<Record<string, readonly ListedPlugin["state"][]>>;

/** The plugins in groups, beginning with those that wait for the user. */
export function groupPlugins(listed: readonly ListedPlugin[]) {
  const groups = (Object.keys(GROUPS) as readonly (keyof typeof GROUPS)[]).map((name) => {
    const states: readonly ListedPlugin["state"][] = GROUPS[name];
    const title = displayText(`plugins.group.${name}`);
    return { title, listed: listed.filter(({ state }) => states.includes(state)) };
  });
  return groups.filter((group) => group.listed.length > 0);
}

/** A plugin's state in a few words. */
export function describePluginState({ state }: ListedPlugin): DisplayText {
  return displayText(`plugins.state.${state}`);
}

/** A plugin's origin and kind, what it adds, and how it's isolated, or why it can't be used. */
export function listPluginFacts({ plugin, problem }: ListedPlugin): readonly Sentence[] {
  const { warning, isolation } = plugin;
  return [...listPluginOrigins(plugin), ...(warning === undefined ? [] : [warning]), problem ?? isolation];
}

/** A plugin's kind and origin, and the names of its hooks and commands. */
export function listPluginOrigins({ kind, from, adds }: ListedPlugin["plugin"]): readonly Sentence[] {
  return [
    displayText(`plugins.kind.${kind}`),
    ...(from === "extension" ? [] : [displayText(`plugins.from.${from}`)]),
    ...(adds.length > 0 ? [displayText("plugins.adds", { names: [...adds] })] : []),
  ];
}

/** Everything there is to see about a plugin, as a text document. */
export function renderPluginDocument(listed: ListedPlugin, write: (text: Sentence) => string): string {
  const { name, description, consent } = listed.plugin;
  const facts = [describePluginState(listed), ...listPluginFacts(listed)].map(write);
  return `${[name, description, "", ...facts, "", consent?.shown ?? ""].join("\n")}\n`;
}
