import type { ConnectionProblem, ModelSource } from "../../schema/panel-values.ts";
import { assertNever } from "../base/errors.ts";

export type { ConnectionProblem, ModelSource, SourceState } from "../../schema/panel-values.ts";

/** An action that can help with a source. */
export type SourceStep = "setApiKey" | "useServer" | "selectModel" | "openSettings";

/** Describes a source's state in one or two sentences that name no button. */
export function sourceSentence({ name, state }: ModelSource): string {
  switch (state.kind) {
    case "connected":
      return state.models === 0
        ? `${name} is connected, but lists no models.`
        : `${name} is connected and offers ${modelCount(state.models)}.`;
    case "unlisted":
      return `${name} gives no list of models (${state.status}).`;
    case "noKey":
      return `${name} needs an API key, and none is set.`;
    case "brokenKey":
      return `The API key for ${name} contains characters that no key has, so something else was pasted with it.`;
    case "rejected":
      return withWords(`${name} rejected the API key (${state.status}).`, state.said);
    case "unreachable":
      return `Can't reach ${name}. ${UNREACHABLE[state.why]}`;
    case "silent":
      return `${name} didn't answer within ${state.seconds} seconds.`;
    case "failed":
      return withWords(`${name} returned an error (${state.status}).`, state.said);
    case "moved":
      return `${name} redirects to ${state.to || "another address"}, and an API key is never sent there. Use that address if it's the right one.`;
    case "noApi":
      return `${name} has no OpenAI-compatible API at this address. Such addresses usually end in /v1.`;
    case "badAddress":
      return "The address of the model server isn't a web address like https://api.openai.com/v1.";
    case "incomplete":
      return `${name} isn't set up yet: ${state.setting} is empty.`;
    case "noChatModels":
      return "VS Code has no language models. Sign in to GitHub Copilot or another provider.";
    default:
      return assertNever(state);
  }
}

/** Describes a source's state in a few words, for a row of a list. */
export function sourceLabel({ name, state }: ModelSource): string {
  switch (state.kind) {
    case "connected":
      return `Connected, ${modelCount(state.models)}`;
    case "unlisted":
      return "No list of models";
    case "noKey":
      return "No API key";
    case "brokenKey":
      return "Key is malformed";
    case "rejected":
      return `Key rejected (${state.status})`;
    case "unreachable":
      return `Can't reach ${name}`;
    case "silent":
      return `No answer within ${state.seconds} seconds`;
    case "failed":
      return `Server error (${state.status})`;
    case "moved":
      return "Redirects to another address";
    case "noApi":
      return "No API at this address";
    case "badAddress":
      return "Not a web address";
    case "incomplete":
      return "Not set up";
    case "noChatModels":
      return "No models";
    default:
      return assertNever(state);
  }
}

/** Actions that help with a source without models, best first. */
export function sourceSteps({ state }: ModelSource): readonly SourceStep[] {
  switch (state.kind) {
    case "connected":
      return ["selectModel"];
    case "noKey":
    case "brokenKey":
    case "rejected":
      return ["setApiKey", "useServer"];
    case "unlisted":
    case "failed":
    case "silent":
    case "noChatModels":
      return ["selectModel"];
    case "unreachable":
    case "moved":
    case "noApi":
    case "badAddress":
      return ["useServer"];
    case "incomplete":
      return ["openSettings", "selectModel"];
    default:
      return assertNever(state);
  }
}

/** True if the source needs a key or another key. */
export function needsKey(source: ModelSource): boolean {
  return sourceSteps(source)[0] === "setApiKey";
}

/** A number of models, for people. */
export function modelCount(count: number): string {
  return count === 1 ? "1 model" : `${count} models`;
}

const UNREACHABLE: Readonly<Record<ConnectionProblem, string>> = {
  refused: "Start the server, or use another one.",
  unknownHost: "Check the network and the spelling of its address.",
  certificate: "Its certificate isn't trusted on this machine.",
  noHttps: "It doesn't speak HTTPS. If it's your own server, use http:// instead.",
  noHttp: "What answers there isn't a web server.",
  proxy: "The proxy asks for a name and password. Put them into VS Code's http.proxy setting.",
  lost: "Check the network, then try again.",
};

function withWords(sentence: string, said: string): string {
  return said === "" ? sentence : `${sentence} ${said}`;
}

/** An action that a message recommends and a button beside it performs. */
export type NamedAction =
  | { readonly kind: "action"; readonly action: "setApiKey" | "selectModel" | "useServer" }
  | { readonly kind: "setting"; readonly setting: string };

/** Palette titles that messages mention, as in `AutoGPT: Set API Key…`. */
export const NAMED_TITLES = { setApiKey: "Set API Key…", selectModel: "Select Model…" } as const;

/** Label of the button for an action. */
export function namedLabel(named: NamedAction): string {
  if (named.kind === "setting") return "Open Setting";
  return named.action === "useServer" ? "Use Another Server…" : NAMED_TITLES[named.action];
}

/**
 * Finds the actions that a message mentions, in order and without duplicates, but only the first setting. Quoted words of a server don't
 * count.
 */
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
