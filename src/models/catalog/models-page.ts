import type { ModelsPage, ShownProvider } from "../../schema/panel-values.ts";
import type { ModelInUse } from "../model-resolver.ts";
import {
  canHaveKey,
  findNamedProvider,
  getMainProviderId,
  listProviders,
  type NamedProvider,
} from "../named-providers.ts";
import { getPreset } from "../presets.ts";
import type { ProviderSettings } from "../provider.ts";
import { isEditable, listMissingPresets } from "../provider-settings.ts";
import { createReportedSource, type FoundModels, type ProviderReport } from "./provider-reports.ts";

/** The Models page while the providers are asked. Until a provider answers, its previous state is shown. */
export function createUnansweredPage(
  settings: ProviderSettings,
  answered: readonly ProviderReport[] = [],
  inUse?: FoundModels["inUse"],
): ModelsPage {
  const listed = listProviders(settings);
  const findEarlierReport = (asked: NamedProvider): ProviderReport | undefined =>
    answered.find(({ provider }) => provider.id === asked.id && provider.address === asked.address);
  return {
    ...getModelRoles(inUse, answered, settings),
    providers: listed.map((provider) => createShownProvider(provider, settings, findEarlierReport(provider))),
    presets: listAddablePresets(listed),
    looking: true,
  };
}

/** The Models page with the state of each provider. */
export function createModelsPage({ providers, inUse }: FoundModels, settings: ProviderSettings): ModelsPage {
  return {
    ...getModelRoles(inUse, providers, settings),
    providers: providers.map((report) => createShownProvider(report.provider, settings, report)),
    presets: listAddablePresets(providers.map(({ provider }) => provider)),
  };
}

/** The main model, and the fast one if it's another. */
function getModelRoles(
  inUse: FoundModels["inUse"],
  providers: readonly ProviderReport[],
  settings: ProviderSettings,
): Pick<ModelsPage, "smart" | "fast"> {
  if (!inUse) return {};
  const { smart, fast } = inUse;
  const createModelChoice = ({ model, provider: id }: ModelInUse): NonNullable<ModelsPage["smart"]> => {
    const report = providers.find(({ provider }) => provider.id === id);
    const provider = report?.provider ?? findNamedProvider(id, settings);
    const label = report?.models.find(({ name }) => name === model)?.label;
    return { label: label ?? model, provider: provider?.label ?? id };
  };
  const isSame = smart.model === fast.model && smart.provider === fast.provider;
  return { smart: createModelChoice(smart), ...(isSame ? {} : { fast: createModelChoice(fast) }) };
}

function createShownProvider(
  provider: NamedProvider,
  settings: ProviderSettings,
  report?: ProviderReport,
): ShownProvider {
  const { id, label, address } = provider;
  return {
    id,
    label,
    address,
    ...(report ? { source: createReportedSource(report) } : {}),
    hasKey: report?.hasKey ?? false,
    takesKey: canHaveKey(provider),
    editable: isEditable(provider),
    main: id === getMainProviderId(settings),
  };
}

function listAddablePresets(there: readonly NamedProvider[]): ModelsPage["presets"] {
  return listMissingPresets(there).map((id) => ({ id, label: getPreset(id).label }));
}
