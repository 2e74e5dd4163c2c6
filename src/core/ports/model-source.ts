import type { ConnectionProblem, ModelSource, SourceState } from "../../schema/panel-values.ts";
import {
  type DisplayText,
  displayText,
  type Sentence,
  type TextCode,
  writeInEnglish,
} from "../../texts/display-text.ts";
import type { TextParameter, UnwrittenText } from "../../texts/writer.ts";
import { assertNever } from "../base/errors.ts";

export type { ConnectionProblem, ModelSource, SourceState } from "../../schema/panel-values.ts";

/** An action that can help with a source. */
export type SourceStep = "setApiKey" | "useServer" | "selectModel" | "openSettings";

/** The status of a server that limits requests or has no quota left, so it's no error of its own. */
const LIMITED = 429;

/** Describes a source's state in one or two sentences that name no button. */
export function describeModelSource({ name, state }: ModelSource): DisplayText {
  switch (state.kind) {
    case "connected":
      return state.models === 0
        ? displayText("models.emptySentence", { name })
        : displayText("models.connectedSentence", { name, count: state.models });
    case "unlisted":
      return displayText("models.unlistedSentence", { name, status: String(state.status) });
    case "noKey":
      return displayText("models.noKeySentence", { name });
    case "brokenKey":
      return displayText("models.brokenKeySentence", { name });
    case "rejected":
      return displayText("models.rejectedSentence", {
        name,
        status: String(state.status),
        said: quoteServer(state),
      });
    case "unreachable":
      return displayText("models.unreachableSentence", { name, advice: getConnectionAdvice(state) });
    case "silent":
      return displayText("models.silentSentence", { name, count: state.seconds });
    case "failed":
      return state.status === LIMITED
        ? displayText("models.limitedSentence", { name, said: quoteServer(state) })
        : displayText("models.failedSentence", { name, status: String(state.status), said: quoteServer(state) });
    case "moved":
      return state.to === ""
        ? displayText("models.movedAwaySentence", { name })
        : displayText("models.movedSentence", { name, address: state.to });
    case "noApi":
      return displayText("models.noApiSentence", { name });
    case "badAddress":
      return displayText("models.badAddressSentence");
    case "incomplete":
      return displayText("models.incompleteSentence", { name, setting: state.setting });
    case "noChatModels":
      return displayText("models.noChatModelsSentence");
    default:
      return assertNever(state);
  }
}

/** Describes a source's state in a few words, for a row of a list. */
export function formatSourceLabel({ name, state }: ModelSource): DisplayText {
  switch (state.kind) {
    case "connected":
      return displayText("models.connected", { count: state.models });
    case "unlisted":
      return displayText("models.unlisted");
    case "noKey":
      return displayText("models.noKey");
    case "brokenKey":
      return displayText("models.brokenKey");
    case "rejected":
      return displayText("models.rejected", { status: String(state.status) });
    case "unreachable":
      return displayText("models.unreachable", { name });
    case "silent":
      return displayText("models.silent", { count: state.seconds });
    case "failed":
      return state.status === LIMITED
        ? displayText("models.limited")
        : displayText("models.failed", { status: String(state.status) });
    case "moved":
      return displayText("models.moved");
    case "noApi":
      return displayText("models.noApi");
    case "badAddress":
      return displayText("models.badAddress");
    case "incomplete":
      return displayText("models.incomplete");
    case "noChatModels":
      return displayText("models.noChatModels");
    default:
      return assertNever(state);
  }
}

/** The reason for a state, for a line below its label; undefined where the label says it all. */
export function explainSourceState(source: ModelSource): DisplayText | undefined {
  const { state } = source;
  switch (state.kind) {
    case "connected":
    case "noKey":
    case "noChatModels":
      return undefined;
    case "rejected":
    case "failed":
      return state.said === "" ? undefined : displayText("models.said", { said: state.said });
    case "unreachable":
      return getConnectionAdvice(state);
    default:
      return describeModelSource(source);
  }
}

/** The server's own words as the end of a sentence. */
export function quoteServer({ said }: { readonly said: Sentence }): Sentence {
  return said === "" ? "" : displayText("models.saidAfter", { said });
}

/** Actions that help with a source without models, best first. */
export function listSourceSteps({ state }: ModelSource): readonly SourceStep[] {
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
export function isKeyRequired(source: ModelSource): boolean {
  return listSourceSteps(source)[0] === "setApiKey";
}

function getConnectionAdvice({ why, remote }: Extract<SourceState, { readonly kind: "unreachable" }>): DisplayText {
  return remote === undefined ? displayText(ADVICE[why]) : displayText("models.refusedRemotelyAdvice", { remote });
}

const ADVICE = {
  refused: "models.refusedAdvice",
  unknownHost: "models.unknownHostAdvice",
  certificate: "models.certificateAdvice",
  noHttps: "models.noHttpsAdvice",
  noHttp: "models.noHttpAdvice",
  proxy: "models.proxyAdvice",
  lost: "models.lostAdvice",
} as const satisfies Readonly<Record<ConnectionProblem, TextCode>>;

/** An action that a message recommends and a button beside it performs. */
export type NamedAction =
  | {
      readonly kind: "action";
      readonly action:
        | "setApiKey"
        | "selectModel"
        | "useServer"
        | "openTools"
        | "importMcpServers"
        | "signInToMcpServer"
        | "shareMemory"
        | "clearMemory"
        | "chooseEmbedding";
    }
  | { readonly kind: "setting"; readonly setting: string };

/** Palette titles that messages mention, as in `AutoGPT: Set API Key…`. */
export const NAMED_TITLES = {
  setApiKey: "Set API Key…",
  selectModel: "Select Model…",
  openTools: "Tools and Plugins",
  importMcpServers: "Import MCP Servers…",
  signInToMcpServer: "Sign In to MCP Server…",
  clearMemory: "Clear Memory",
} as const;

/** Label of the button for an action. */
export function getActionLabel(named: NamedAction): DisplayText {
  if (named.kind === "setting") return displayText("models.openSettingButton");
  return displayText(NAMED_LABELS[named.action]);
}

const NAMED_LABELS = {
  setApiKey: "actions.setApiKeyButton",
  selectModel: "actions.selectModelButton",
  useServer: "actions.useServerButton",
  openTools: "actions.openToolsButton",
  importMcpServers: "actions.importMcpServersButton",
  signInToMcpServer: "actions.signInToMcpServerButton",
  shareMemory: "actions.shareMemoryButton",
  clearMemory: "actions.clearMemoryButton",
  chooseEmbedding: "actions.chooseEmbeddingButton",
} as const;

/**
 * Finds the actions that a message mentions, in order and without duplicates, but only the first setting. Words of a server or of git
 * don't count.
 */
export function findMentionedActions(message: Sentence): readonly NamedAction[] {
  const own =
    typeof message === "string"
      ? message.replace(/(?: It said: "|\bGit says: ).*$/s, "")
      : writeInEnglish(removeForeignWords(message));
  const found = [...own.matchAll(NAMED)].map(([text]) => resolveNamedAction(text));
  return found.filter(
    (one, index) =>
      found.findIndex((other) => (other.kind === "setting" ? one.kind === "setting" : isSameAction(one, other))) ===
      index,
  );
}

const NAMED = new RegExp(`AutoGPT: (?:${Object.values(NAMED_TITLES).join("|")})|\\bautogpt(?:\\.[a-zA-Z]+)+`, "g");

/** A text without the words in its parameters, except those that are such a name alone. */
function removeForeignWords<Value extends UnwrittenText | TextParameter>(value: Value): Value;
function removeForeignWords(value: TextParameter): TextParameter {
  if (typeof value === "number") return value;
  if (typeof value === "string") return value.replace(NAMED, "") === "" ? value : "";
  if (Array.isArray(value)) return value.map((item: string | UnwrittenText) => removeForeignWords(item));
  const { parameters = {}, ...text } = value as UnwrittenText;
  const own = Object.entries(parameters).map(([name, one]) => [name, removeForeignWords(one)] as const);
  return { ...text, parameters: Object.fromEntries(own) };
}

function resolveNamedAction(text: string): NamedAction {
  if (text === "autogpt.model.baseUrl") return { kind: "action", action: "useServer" };
  if (text === "autogpt.model.embedding") return { kind: "action", action: "chooseEmbedding" };
  if (text === "autogpt.memory.url") return { kind: "action", action: "shareMemory" };
  // An entry of a setting is edited where the setting is.
  const [entries] = /^autogpt\.(?:plugins\.config|mcp\.servers)(?=\.)/.exec(text) ?? [];
  if (text.startsWith("autogpt.")) return { kind: "setting", setting: entries ?? text };
  const names = Object.keys(NAMED_TITLES).filter(isNamedTitle);
  return { kind: "action", action: names.find((name) => text.endsWith(NAMED_TITLES[name])) ?? "selectModel" };
}

function isNamedTitle(name: string): name is keyof typeof NAMED_TITLES {
  return Object.hasOwn(NAMED_TITLES, name);
}

function isSameAction(one: NamedAction, other: NamedAction): boolean {
  return one.kind === "action" && other.kind === "action" && one.action === other.action;
}
