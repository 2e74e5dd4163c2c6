import { PRESET_NAMES } from "../schema/settings.ts";
import { isOpenAi, normalizeBaseUrl } from "./http/endpoint.ts";
import {
  findNamedProvider,
  formatModelReference,
  listOwnProviders,
  type NamedProvider,
  type ProviderEntry,
} from "./named-providers.ts";
import { getPreset, PRESETS_BY_ADDRESS, type PresetName } from "./presets.ts";
import type { ProviderSettings } from "./provider.ts";

/** Settings to write, by name. Undefined resets one. */
export type SettingChanges = Readonly<Record<string, unknown>>;

/** A provider with the settings that add it; without settings if it already exists. */
export interface AddedProvider {
  readonly provider: NamedProvider;
  readonly changes: SettingChanges;
}

/** Adds a preset as a provider, at its own address or another one. */
export function addPreset(name: PresetName, address: string, settings: ProviderSettings): AddedProvider {
  const isUsual = normalizeBaseUrl(address) === getPreset(name).address;
  if (name === "openai" && isUsual) return getKnownProvider("openai", settings);
  return createAddedProvider(
    name,
    { preset: name, ...(isUsual ? {} : { address: normalizeBaseUrl(address) }) },
    settings,
  );
}

/** Adds a server at an address: the provider that already has it, a preset, or a new one with its host's name. */
export function addServer(address: string, settings: ProviderSettings): AddedProvider {
  const plain = normalizeBaseUrl(address);
  const own = listOwnProviders(settings).find((one) => one.address === plain);
  if (own) return getKnownProvider(own.id, settings);
  if (isOpenAi(plain)) return getKnownProvider("openai", settings);
  if (plain === settings.model.baseUrl) return getKnownProvider("server", settings);
  const preset = PRESETS_BY_ADDRESS.get(plain);
  if (preset) return addPreset(preset, plain, settings);
  return createAddedProvider(findFreeName(formatHostName(plain), settings), { address: plain }, settings);
}

/** Adds a deployment of Azure OpenAI. The first resource is the one that the settings for Azure describe. */
export function addAzure(
  { endpoint, deployment }: { readonly endpoint: string; readonly deployment: string },
  settings: ProviderSettings,
): AddedProvider {
  const { azure } = settings;
  if (azure.endpoint === "" || azure.endpoint === endpoint) {
    const changes = { "azure.endpoint": endpoint, "azure.smartDeployment": deployment };
    const next = { ...settings, azure: { ...azure, endpoint, smartDeployment: deployment } };
    return { ...getKnownProvider("azure", next), changes };
  }
  const entry: ProviderEntry = { kind: "azure", address: endpoint, models: [deployment] };
  return createAddedProvider(findFreeName(formatHostName(endpoint), settings), entry, settings);
}

function getKnownProvider(id: string, settings: ProviderSettings): AddedProvider {
  const provider = findNamedProvider(id, settings);
  if (!provider) throw new Error(`${id} names no provider.`);
  return { provider, changes: {} };
}

function createAddedProvider(id: string, entry: ProviderEntry, settings: ProviderSettings): AddedProvider {
  const providers = { ...settings.model.providers, [id]: entry };
  const next = { ...settings, model: { ...settings.model, providers } };
  return { ...getKnownProvider(id, next), changes: { "model.providers": providers } };
}

/** Converts an address, like `localhost:8000`, to a name for settings. */
function formatHostName(address: string): string {
  const host = URL.parse(address)?.host ?? address;
  return host.replace(/^(api|www)\./, "").replaceAll(/[^\w.-]+/g, "-");
}

function findFreeName(name: string, settings: ProviderSettings): string {
  const isTaken = (candidate: string): boolean => findNamedProvider(candidate, settings) !== undefined;
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** True if the settings contain a provider's address, so that it can be changed and removed. */
export function isEditable({ id, entry }: NamedProvider): boolean {
  return entry !== undefined || id === "server" || id === "azure";
}

/** The settings that change a provider's address. Its key is stored for the old address and isn't sent to the new one. */
export function changeAddress(
  { id, entry }: NamedProvider,
  address: string,
  { model }: ProviderSettings,
): SettingChanges {
  const plain = normalizeBaseUrl(address);
  if (entry) return { "model.providers": { ...model.providers, [id]: { ...entry, address: plain } } };
  return id === "azure" ? { "azure.endpoint": plain } : { "model.baseUrl": plain };
}

/** The settings that remove a provider, and the models that come from it. */
export function removeProvider({ id, entry }: NamedProvider, { model }: ProviderSettings): SettingChanges {
  const { [id]: _removed, ...providers } = model.providers;
  const isFromIt = (name: string): boolean => name !== "" && name.endsWith(formatModelReference("", { id }));
  return {
    ...(entry ? { "model.providers": providers } : {}),
    ...(!entry && id === "server" ? { "model.baseUrl": undefined } : {}),
    ...(!entry && id === "azure" ? { "azure.endpoint": undefined, "azure.smartDeployment": undefined } : {}),
    ...(isFromIt(model.smart) ? { "model.smart": undefined } : {}),
    ...(isFromIt(model.fast) ? { "model.fast": undefined } : {}),
    ...(model.fallback.some(isFromIt) ? { "model.fallback": model.fallback.filter((name) => !isFromIt(name)) } : {}),
  };
}

/** The presets missing from these providers. */
export function listMissingPresets(there: readonly NamedProvider[]): readonly PresetName[] {
  const isThere = (name: PresetName): boolean =>
    there.some(({ id, address }) => id === name || address === getPreset(name).address);
  return PRESET_NAMES.filter((name) => !isThere(name));
}
