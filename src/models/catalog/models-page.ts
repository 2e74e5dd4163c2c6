import type { ModelSource } from "../../core/ports/model-source.ts";
import type { ModelsPage, ShownProvider } from "../../schema/panel-values.ts";
import { listedProviders, mainProviderId, type NamedProvider, takesKey } from "../named-providers.ts";
import { presetOf } from "../presets.ts";
import type { ProviderSettings } from "../provider.ts";
import { isEditable, presetsToAdd } from "../provider-settings.ts";
import { type FoundModels, type ProviderReport, reportedSource } from "./provider-reports.ts";

/** The Models page before the providers have answered. */
export function unansweredPage(settings: ProviderSettings): ModelsPage {
  const listed = listedProviders(settings);
  return {
    providers: listed.map((provider) => shown(provider, settings, false)),
    presets: presetsOf(listed),
    looking: true,
  };
}

/** The Models page with the state of each provider. */
export function modelsPage({ providers, inUse }: FoundModels, settings: ProviderSettings): ModelsPage {
  const { smart, fast } = inUse ?? {};
  const isSame = smart?.model === fast?.model && smart?.provider === fast?.provider;
  return {
    ...(smart ? { smart: choice(smart, providers) } : {}),
    ...(fast && !isSame ? { fast: choice(fast, providers) } : {}),
    providers: providers.map((report) =>
      shown(report.provider, settings, report.hasKey, reportedSource(report)),
    ),
    presets: presetsOf(providers.map(({ provider }) => provider)),
  };
}

function choice(
  { model, provider: id }: NonNullable<FoundModels["inUse"]>["smart"],
  providers: readonly ProviderReport[],
): NonNullable<ModelsPage["smart"]> {
  const report = providers.find(({ provider }) => provider.id === id);
  const label = report?.models.find(({ name }) => name === model)?.label;
  return { label: label ?? model, provider: report?.provider.label ?? id };
}

function shown(
  provider: NamedProvider,
  settings: ProviderSettings,
  hasKey: boolean,
  source?: ModelSource,
): ShownProvider {
  const { id, label, address } = provider;
  return {
    id,
    label,
    address,
    ...(source ? { source } : {}),
    hasKey,
    takesKey: takesKey(provider),
    editable: isEditable(provider),
    main: id === mainProviderId(settings),
  };
}

function presetsOf(there: readonly NamedProvider[]): ModelsPage["presets"] {
  return presetsToAdd(there).map((id) => ({ id, label: presetOf(id).label }));
}
