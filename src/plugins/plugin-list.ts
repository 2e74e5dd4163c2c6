import { assertNever } from "../core/base/errors.ts";
import { type DisplayText, displayText, type Sentence } from "../texts/display-text.ts";
import type { ListedPlugin } from "./catalog.ts";

/** Something that the user can do about a plugin of the list. */
export type PluginStep = "allow" | "deny" | "forget" | "look" | "compare" | "configure" | "log" | "prompt";

/** The steps that make sense for a plugin, the most likely one first. */
export function pluginSteps({ plugin, state }: ListedPlugin): readonly PluginStep[] {
  const look: readonly PluginStep[] = plugin.consent ? ["look"] : [];
  switch (state) {
    case "new":
      return [...look, "allow", "deny"];
    case "changed":
      return ["compare", ...look, "allow", "deny"];
    case "on":
      return [
        ...(plugin.prompts ? (["prompt"] as const) : []),
        "configure",
        ...look,
        "log",
        "deny",
        "forget",
      ];
    case "off":
      return [...look, "allow", "configure"];
    case "denied":
      return [...look, "allow", "forget"];
    case "excluded":
      return [...look, "configure"];
    case "broken":
      return [...look, "log"];
    default:
      return assertNever(state);
  }
}

/** State of a plugin in a few words. */
export function pluginState({ state }: ListedPlugin): DisplayText {
  return displayText(`plugins.state.${state}`);
}

/** Origin and kind of a plugin, what it adds, and how it is kept apart, or why it can't be used. */
export function pluginFacts({ plugin, problem }: ListedPlugin): readonly Sentence[] {
  const { kind, from, adds, isolation } = plugin;
  return [
    displayText(`plugins.kind.${kind}`),
    ...(from === "extension" ? [] : [displayText(`plugins.from.${from}`)]),
    ...(adds.length > 0 ? [displayText("plugins.adds", { names: [...adds] })] : []),
    problem ?? isolation,
  ];
}

/** All that there is to see of a plugin, as a text document. */
export function pluginDocument({ plugin }: ListedPlugin): string {
  return `${plugin.name}\n${plugin.description}\n\n${plugin.consent?.shown ?? ""}\n`;
}
