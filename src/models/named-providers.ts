import { omitUndefined } from "../core/base/objects.ts";
import { PRESET_NAMES, type SettingValue } from "../schema/settings.ts";
import { getHostName } from "../texts/language.ts";
import type { Prices } from "./catalog/prices.ts";
import { isLocal, isOpenAi, normalizeBaseUrl } from "./http/endpoint.ts";
import { getPreset, isPresetName, type Preset } from "./presets.ts";
import type { ModelOrigin, ProviderName, ProviderSettings } from "./provider.ts";

/** An entry of the setting `model.providers`. */
export type ProviderEntry = SettingValue<"model.providers">[string];

/** A provider under the name by which `model@name` refers to it. */
export interface NamedProvider {
  readonly id: string;
  readonly label: string;
  readonly kind: ProviderName;
  /** Base URL or endpoint; "" for the host's own models, or if none is set. */
  readonly address: string;
  /** The user's entry in the settings, which can be edited and removed; absent for a built-in provider. */
  readonly entry?: ProviderEntry;
  readonly preset?: Preset;
}

/** Names of the providers that other settings describe. */
const SERVER = "server";
const AZURE = "azure";
const EDITOR = "vscode";

/** The provider with a name: the user's own, a built-in one, or a preset. */
export function findNamedProvider(id: string, settings: ProviderSettings): NamedProvider | undefined {
  const { providers, baseUrl } = settings.model;
  const entry = Object.hasOwn(providers, id) ? providers[id] : undefined;
  if (entry) return createOwnProvider(id, entry);
  switch (id) {
    case SERVER:
      return { id, label: URL.parse(baseUrl)?.host ?? baseUrl, kind: "openai", address: baseUrl };
    case AZURE:
      return { id, label: "Azure OpenAI", kind: "azure", address: settings.azure.endpoint };
    case EDITOR:
      return { id, label: getHostName(), kind: "vscode", address: "" };
    default:
      return isPresetName(id) ? createPresetProvider(id, getPreset(id)) : undefined;
  }
}

function createPresetProvider(id: string, preset: Preset): NamedProvider {
  return { id, label: preset.label, kind: "openai", address: preset.address, preset };
}

function createOwnProvider(id: string, entry: ProviderEntry): NamedProvider {
  const preset = entry.preset === undefined ? undefined : getPreset(entry.preset);
  const kind = entry.kind ?? "openai";
  const given = entry.address?.trim() ?? "";
  return {
    id,
    label: preset && id === entry.preset ? preset.label : id,
    kind,
    address: normalizeBaseUrl(given === "" ? (preset?.address ?? "") : given),
    entry,
    ...omitUndefined({ preset }),
  };
}

/** The user's own providers, in the order of the setting. */
export function listOwnProviders({ model: { providers } }: ProviderSettings): readonly NamedProvider[] {
  return Object.entries(providers).map(([id, entry]) => createOwnProvider(id, entry));
}

/** Every provider that settings describe or name: OpenAI, the server at the base URL, the user's own, Azure and the host. */
export function listProviders(settings: ProviderSettings): readonly NamedProvider[] {
  const { baseUrl, providers } = settings.model;
  const own = [...listOwnProviders(settings), ...listNamedPresets(settings)];
  const isNamed = own.some(({ address }) => address === baseUrl) || isLocalPreset(baseUrl);
  const usesServer = baseUrl !== "" && !isOpenAi(baseUrl) && !isNamed;
  const ids = [
    "openai",
    ...(usesServer ? [SERVER] : []),
    ...(settings.azure.endpoint === "" ? [] : [AZURE]),
    EDITOR,
  ].filter((id) => !Object.hasOwn(providers, id));
  const always = ids.map((id) => findNamedProvider(id, settings)).filter((one) => one !== undefined);
  return [...always.filter(({ id }) => id !== EDITOR), ...own, ...always.filter(({ id }) => id === EDITOR)];
}

/** Presets that are mentioned only in the models' names. */
function listNamedPresets(settings: ProviderSettings): readonly NamedProvider[] {
  const { smart, fast, fallback, providers } = settings.model;
  const named = [smart, fast, ...fallback].flatMap((name) => parseModelReference(name, settings).provider ?? []);
  return named.filter(
    ({ id, preset }, index) =>
      preset !== undefined &&
      id !== "openai" &&
      !Object.hasOwn(providers, id) &&
      named.findIndex((other) => other.id === id) === index,
  );
}

/** The names of servers to search for on this machine. */
const LOCAL_PRESETS = ["ollama", "lmstudio"] as const;

function isLocalPreset(address: string): boolean {
  return LOCAL_PRESETS.some((name) => getPreset(name).address === address);
}

/** The name of a provider at an origin that the settings select without naming it. */
export function getProviderId(
  { provider, address }: Pick<ModelOrigin, "provider" | "address">,
  settings: ProviderSettings,
): string {
  if (provider !== "openai") return provider;
  const own = listOwnProviders(settings).find((one) => one.address === address);
  const local = LOCAL_PRESETS.find((name) => getPreset(name).address === address);
  return own?.id ?? local ?? (isOpenAi(address) ? "openai" : SERVER);
}

/** The name of the main model's provider; for `auto`, the provider whose server is asked for its models. */
export function getMainProviderId(settings: ProviderSettings): string {
  const { smart, provider, baseUrl } = settings.model;
  const named = parseModelReference(smart, settings).provider;
  const kind = provider === "auto" ? "openai" : provider;
  return named?.id ?? getProviderId({ provider: kind, address: baseUrl }, settings);
}

/** A model as named in settings: with a provider after the last `@`, or without one. */
export interface ModelReference {
  readonly model: string;
  /** Absent: the provider that `model.provider` selects. */
  readonly provider?: NamedProvider;
}

/** Reads `model@provider`. Anything after an `@` that names no provider is part of the model's name. */
export function parseModelReference(text: string, settings: ProviderSettings): ModelReference {
  const at = text.lastIndexOf("@");
  const provider = at > 0 ? findNamedProvider(text.slice(at + 1), settings) : undefined;
  return provider ? { model: text.slice(0, at), provider } : { model: text };
}

/** A model as settings name it. */
export function formatModelReference(model: string, { id }: Pick<NamedProvider, "id">): string {
  return `${model}@${id}`;
}

/** Settings with only one provider, and with the model as its main one. */
export function createProviderSettings(
  provider: NamedProvider,
  settings: ProviderSettings,
  model: string,
): ProviderSettings {
  const { id, address, entry, kind } = provider;
  const apiOwner = entry?.api === undefined ? undefined : id;
  const contextWindow = settings.model.contextWindow || (entry?.contextWindow ?? 0);
  const prices = selectPrices(provider, settings.model.prices);
  const api = entry?.api ?? settings.model.api;
  const common = { ...settings.model, provider: kind, api, contextWindow, prices, smart: model, fast: "" };
  switch (kind) {
    case "openai":
      return { ...settings, apiOwner, model: { ...common, baseUrl: address } };
    case "vscode":
      return { ...settings, apiOwner, model: common };
    case "azure": {
      const { endpoint, apiVersion, smartDeployment } = settings.azure;
      const azure = {
        endpoint: address || endpoint,
        apiVersion: entry?.apiVersion ?? apiVersion,
        smartDeployment: model || (entry?.models?.[0] ?? (entry ? "" : smartDeployment)),
        fastDeployment: "",
      };
      return { apiOwner, model: common, azure };
    }
  }
}

/** The user's prices at a provider: a name with the provider takes precedence over the same name without it. */
function selectPrices({ id }: NamedProvider, prices: Prices): Prices {
  const ending = `@${id}`;
  const own = Object.entries(prices).filter(([name]) => name.endsWith(ending));
  return {
    ...prices,
    ...Object.fromEntries(own.map(([name, price]) => [name.slice(0, -ending.length), price])),
  };
}

/** The settings for the main model alone, with the provider in its name. */
export function selectMainSettings(settings: ProviderSettings): ProviderSettings {
  const { model, provider } = parseModelReference(settings.model.smart, settings);
  return provider ? createProviderSettings(provider, settings, model) : settings;
}

/** Environment variables that hold a provider's key on a command line. */
export function listKeyVariables({ id, preset }: NamedProvider): readonly string[] {
  const own = `${id.replace(/[^a-z0-9]+/gi, "_").toUpperCase()}_API_KEY`;
  return [...new Set([own, ...(preset ? [preset.variable] : [])])];
}

/** Every provider that a model's name can refer to and whose key can come from an environment variable. */
export function listKeyedProviders(settings: ProviderSettings): readonly NamedProvider[] {
  const presets = PRESET_NAMES.map((name) => findNamedProvider(name, settings)).filter((one) => one !== undefined);
  const own = listOwnProviders(settings).filter(({ id }) => !isPresetName(id));
  return [...own, ...presets].filter(({ kind, address }) => kind !== "vscode" && address !== "");
}

/** True if a provider works without a key: on this machine or in a private network. */
export function canWorkWithoutKey({ kind, address }: NamedProvider): boolean {
  return kind === "vscode" || (kind === "openai" && isLocal(address));
}

/** True if a provider can have a key. */
export function canHaveKey({ kind }: NamedProvider): boolean {
  return kind !== "vscode";
}

/** The provider of the main model by the names of OpenTelemetry's conventions, else the host of its server. */
export function getProviderName(settings: ProviderSettings): string {
  const { model } = selectMainSettings(settings);
  if (model.provider === "azure") return "azure.ai.openai";
  if (model.provider === "vscode") return "vscode";
  const host = URL.parse(model.baseUrl)?.hostname ?? "";
  return CONVENTIONAL_NAMES[host] ?? host;
}

const CONVENTIONAL_NAMES: Readonly<Record<string, string>> = {
  "api.openai.com": "openai",
  "api.anthropic.com": "anthropic",
  "generativelanguage.googleapis.com": "gcp.gemini",
  "api.mistral.ai": "mistral_ai",
  "api.deepseek.com": "deepseek",
  "api.groq.com": "groq",
  "api.x.ai": "x_ai",
};
