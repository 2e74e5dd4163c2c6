import { namedActions } from "../core/named-actions.ts";
import type { PanelAction } from "../protocol.ts";

/** A remedy for trouble: an action, or a setting to change. */
export type Help =
  | { readonly kind: "action"; readonly action: PanelAction }
  | { readonly kind: "setting"; readonly setting: string };

/** The buttons of a card about trouble, the primary one first: the key where its message names it, else the card's own first. */
export function helpFor(message: string, actions: readonly PanelAction[]): readonly Help[] {
  const named: readonly Help[] = namedActions(message);
  const own = actions.map((action): Help => ({ kind: "action", action }));
  const key = named.filter((help) => help.kind === "action" && help.action === "setApiKey");
  const all = [...key, ...own.slice(0, 1), ...named, ...own.slice(1)];
  return all.filter((help, index) => all.findIndex((other) => nameOf(other) === nameOf(help)) === index);
}

function nameOf(help: Help): string {
  return help.kind === "action" ? help.action : help.setting;
}
