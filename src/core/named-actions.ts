/** Something that a message tells its reader to do, and that a button beside it does. */
export type NamedAction =
  | { readonly kind: "action"; readonly action: "setApiKey" | "selectModel" | "useServer" }
  | { readonly kind: "setting"; readonly setting: string };

/** The palette titles that messages name, as `AutoGPT: Set API Key…`. */
export const NAMED_TITLES = { setApiKey: "Set API Key…", selectModel: "Select Model…" } as const;

/** Text of a button for each action. */
export function namedLabel(named: NamedAction): string {
  if (named.kind === "setting") return "Open Setting";
  return named.action === "useServer" ? "Use Another Server…" : NAMED_TITLES[named.action];
}

/** The actions that a message names, in its order, each once; of settings only the first. Quoted words of a server name nothing. */
export function namedActions(message: string): readonly NamedAction[] {
  const own = message.replace(/ It said: ".*$/s, "");
  const found = [...own.matchAll(NAMED)].map(([text]) => namedBy(text));
  return found.filter(
    (one, index) =>
      found.findIndex((other) => (other.kind === "setting" ? one.kind === "setting" : same(one, other))) ===
      index,
  );
}

const NAMED = new RegExp(
  `AutoGPT: (?:${Object.values(NAMED_TITLES).join("|")})|\\bautogpt(?:\\.[a-zA-Z]+)+`,
  "g",
);

function namedBy(text: string): NamedAction {
  if (text === "autogpt.model.baseUrl") return { kind: "action", action: "useServer" };
  if (text.startsWith("autogpt.")) return { kind: "setting", setting: text };
  return { kind: "action", action: text.endsWith(NAMED_TITLES.setApiKey) ? "setApiKey" : "selectModel" };
}

function same(one: NamedAction, other: NamedAction): boolean {
  return one.kind === "action" && other.kind === "action" && one.action === other.action;
}
