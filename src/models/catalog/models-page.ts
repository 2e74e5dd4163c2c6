import type { ModelsPage, ShownProvider } from "../../schema/panel-values.ts";
import type { ModelInUse } from "../model-resolver.ts";
import {
  listedProviders,
  mainProviderId,
  type NamedProvider,
  namedProvider,
  takesKey,
} from "../named-providers.ts";
import { presetOf } from "../presets.ts";
import type { ProviderSettings } from "../provider.ts";
import { isEditable, presetsToAdd } from "../provider-settings.ts";
import { type FoundModels, type ProviderReport, reportedSource } from "./provider-reports.ts";

/** The Models page while the providers are asked. Those that have answered before keep their states until then. */
export function unansweredPage(
  settings: ProviderSettings,
  answered: readonly ProviderReport[] = [],
  inUse?: FoundModels["inUse"],
): ModelsPage {
  const listed = listedProviders(settings);
  const before = (asked: NamedProvider): ProviderReport | undefined =>
    answered.find(({ provider }) => provider.id === asked.id && provider.address === asked.address);
  return {
    ...roles(inUse, answered, settings),
    providers: listed.map((provider) => shown(provider, settings, before(provider))),
    presets: presetsOf(listed),
    looking: true,
  };
}

/** The Models page with the state of each provider. */
export function modelsPage({ providers, inUse }: FoundModels, settings: ProviderSettings): ModelsPage {
  return {
    ...roles(inUse, providers, settings),
    providers: providers.map((report) => shown(report.provider, settings, report)),
    presets: presetsOf(providers.map(({ provider }) => provider)),
  };
}

/** The main model, and the fast one if it's another. */
function roles(
  inUse: FoundModels["inUse"],
  providers: readonly ProviderReport[],
  settings: ProviderSettings,
): Pick<ModelsPage, "smart" | "fast"> {
  if (!inUse) return {};
  const { smart, fast } = inUse;
  const choice = ({ model, provider: id }: ModelInUse): NonNullable<ModelsPage["smart"]> => {
    const report = providers.find(({ provider }) => provider.id === id);
    const provider = report?.provider ?? namedProvider(id, settings);
    const label = report?.models.find(({ name }) => name === model)?.label;
    return { label: label ?? model, provider: provider?.label ?? id };
  };
  const isSame = smart.model === fast.model && smart.provider === fast.provider;
  return { smart: choice(smart), ...(isSame ? {} : { fast: choice(fast) }) };
}

function shown(provider: NamedProvider, settings: ProviderSettings, report?: ProviderReport): ShownProvider {
  const { id, label, address } = provider;
  return {
    id,
    label,
    address,
    ...(report ? { source: reportedSource(report) } : {}),
    hasKey: report?.hasKey ?? false,
    takesKey: takesKey(provider),
    editable: isEditable(provider),
    main: id === mainProviderId(settings),
  };
}

function presetsOf(there: readonly NamedProvider[]): ModelsPage["presets"] {
  return presetsToAdd(there).map((id) => ({ id, label: presetOf(id).label }));
}
