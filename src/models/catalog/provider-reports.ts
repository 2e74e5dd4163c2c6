import { omitUndefined } from "../../core/base/objects.ts";
import type { ModelSource, SourceState } from "../../core/ports/model-source.ts";
import type { ModelInUse, ModelResolver } from "../model-resolver.ts";
import {
  createProviderSettings,
  findNamedProvider,
  getMainProviderId,
  listProviders,
  type NamedProvider,
} from "../named-providers.ts";
import { getPreset, isPresetName } from "../presets.ts";
import type { ProviderSettings } from "../provider.ts";
import { askSource, getHostAndPort } from "./ask-source.ts";
import type { OfferedModel } from "./list-models.ts";

/** A provider with its state and its models. */
export interface ProviderReport {
  readonly provider: NamedProvider;
  readonly state: SourceState;
  readonly models: readonly ReportedModel[];
  readonly hasKey: boolean;
}

/** A model of a provider. */
export interface ReportedModel extends OfferedModel {
  /** A name for people, if `name` isn't one. */
  readonly label?: string;
  /** The model's maker, if the provider doesn't make that clear. */
  readonly vendor?: string;
}

/** Everything about the models that can be used now. */
export interface FoundModels {
  readonly providers: readonly ProviderReport[];
  /** The models of new runs; absent if there are none. */
  readonly inUse?: { readonly smart: ModelInUse; readonly fast: ModelInUse };
  /** Why the main model's provider has no models, or how many it has. */
  readonly source?: ModelSource;
}

/** Asks all providers at once. Errors become a state; only the caller's own abort is thrown. */
export async function reportProviders(
  resolver: ModelResolver,
  settings: ProviderSettings,
  signal: AbortSignal,
): Promise<FoundModels> {
  const listed = listProviders(settings);
  const onMachine = findLocalReports(resolver, settings);
  const ask = async (provider: NamedProvider): Promise<ProviderReport> => {
    const found = provider.entry ? [] : await onMachine;
    const own = found.find(({ provider: { id } }) => id === provider.id);
    return own ?? report(provider, resolver, settings, signal);
  };
  const [reports, local, inUse] = await Promise.all([
    Promise.all(listed.map(ask)),
    onMachine,
    resolver.findModelsInUse(settings),
  ]);
  const others = local.filter(
    ({ provider }) => !listed.some(({ id, address }) => id === provider.id || address === provider.address),
  );
  const providers = [...reports, ...others];
  const mainId = inUse?.smart.provider ?? getMainProviderId(settings);
  const main = providers.find(({ provider }) => provider.id === mainId);
  const troubled = inUse || main?.state.kind !== "noKey" ? main : (findFailedAddedProvider(reports) ?? main);
  const source = troubled ? createReportedSource(troubled) : await resolver.findSource(settings, signal);
  return { providers, ...omitUndefined({ inUse, source }) };
}

/** A failing provider that the user added: its error is more relevant than the default's missing key. */
function findFailedAddedProvider(reports: readonly ProviderReport[]): ProviderReport | undefined {
  return reports.find(({ provider, state }) => provider.entry && state.kind !== "connected");
}

/** A provider's state under its display name. */
export function createReportedSource({ provider: { kind, address, label }, state }: ProviderReport): ModelSource {
  const hasHost = kind !== "vscode" && state.kind !== "incomplete";
  return { name: hasHost ? getHostAndPort(address) : label, state };
}

/** Servers that run on this machine, and that no setting names. */
async function findLocalReports(
  resolver: ModelResolver,
  settings: ProviderSettings,
): Promise<readonly ProviderReport[]> {
  return (await resolver.listLocalServers()).flatMap(({ name, baseUrl, models }) => {
    const id = name === "Ollama" ? "ollama" : "lmstudio";
    const provider = findNamedProvider(id, settings);
    if (!provider) return [];
    const own = { ...provider, address: baseUrl };
    return [{ provider: own, state: { kind: "connected", models: models.length }, models, hasKey: false }];
  });
}

/** Asks one provider for its state and its models. */
async function report(
  provider: NamedProvider,
  resolver: ModelResolver,
  settings: ProviderSettings,
  signal: AbortSignal,
): Promise<ProviderReport> {
  switch (provider.kind) {
    case "openai":
      return createServerReport(provider, resolver, settings, signal);
    case "azure":
      return createAzureReport(provider, resolver, settings, signal);
    case "vscode":
      return createHostReport(provider, resolver);
  }
}

/** Time limit for a state. */
const STATE_SECONDS = 4;

async function createServerReport(
  provider: NamedProvider,
  resolver: ModelResolver,
  { model }: ProviderSettings,
  signal: AbortSignal,
): Promise<ProviderReport> {
  const { address: baseUrl, entry } = provider;
  const key = await resolver.findKey(baseUrl);
  const { steps } = resolver;
  const listing = { baseUrl, apiKey: key ?? "", prices: model.prices, timeoutSeconds: STATE_SECONDS, steps };
  const { state, models } = await askSource(listing, signal);
  const named = (entry?.models ?? []).filter((name) => !models.some((listed) => listed.name === name));
  return {
    provider,
    state,
    models: [...named.map((name) => ({ name })), ...models],
    hasKey: key !== undefined,
  };
}

async function createAzureReport(
  provider: NamedProvider,
  resolver: ModelResolver,
  settings: ProviderSettings,
  signal: AbortSignal,
): Promise<ProviderReport> {
  const { smartDeployment, fastDeployment } = settings.azure;
  const names = provider.entry ? (provider.entry.models ?? []) : [smartDeployment, fastDeployment];
  const deployments = [...new Set(names)].filter((name) => name !== "");
  const source = await resolver.findSource(createProviderSettings(provider, settings, deployments[0] ?? ""), signal);
  return {
    provider,
    state: source?.state ?? { kind: "connected", models: deployments.length },
    models: deployments.map((name) => ({ name })),
    hasKey: (await resolver.findKey(provider.address)) !== undefined,
  };
}

async function createHostReport(provider: NamedProvider, resolver: ModelResolver): Promise<ProviderReport> {
  const models = await resolver.listHostModels();
  return {
    provider,
    state: models.length > 0 ? { kind: "connected", models: models.length } : { kind: "noChatModels" },
    models: models.map(({ id, name, vendor, maxInputTokens }) => ({
      name: id,
      label: name,
      ...omitUndefined({ vendor, contextWindow: maxInputTokens }),
    })),
    hasKey: false,
  };
}

/** The models to use at a provider if the user hasn't chosen any; undefined if its server lists none of them. */
export function findUsualModels({
  provider,
  models,
}: ProviderReport): { readonly smart: string; readonly fast: string } | undefined {
  const preset = provider.preset ?? (isPresetName(provider.id) ? getPreset(provider.id) : undefined);
  const findListedName = (name: string | undefined): string | undefined =>
    models.find((model) => model.name === name)?.name;
  const [only, ...others] = models;
  const smart = findListedName(preset?.models?.[0]) ?? (others.length === 0 ? only?.name : undefined);
  return smart === undefined ? undefined : { smart, fast: findListedName(preset?.models?.[1]) ?? smart };
}

/** True if an added provider's model may replace the main one: the provider is the same, or the user never chose a main model. */
export function isReplaceable(
  main: ModelInUse,
  added: NamedProvider,
  { model: { smart, provider } }: ProviderSettings,
): boolean {
  const wasFound = smart === "" && provider === "auto" && ["vscode", "ollama", "lmstudio"].includes(main.provider);
  return main.provider === added.id || wasFound;
}
