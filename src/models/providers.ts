import type { SettingValue } from "../schema/settings.ts";
import { listKeyedProviders, listKeyVariables, type NamedProvider } from "./named-providers.ts";
import type { Provider, ProviderKey, ProviderName, ProviderSettings } from "./provider.ts";
import { azure } from "./providers/azure.ts";
import { hostModels } from "./providers/host-models.ts";
import { openAi } from "./providers/openai.ts";

/** Every value of `autogpt.model.provider` except `auto`. A name without a row doesn't compile. */
export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: openAi,
  azure,
  vscode: hostModels,
};

/** The order in which `auto` tries providers. */
export const AUTO_ORDER: readonly ProviderName[] = ["openai", "vscode"];

/** The keys of these settings' providers: the configured one first, then the user's own and the presets. */
export function listProviderKeys(settings: ProviderSettings): readonly ProviderKey[] {
  const configured = Object.values(PROVIDERS).flatMap((provider) => provider.getKey(settings) ?? []);
  return [...configured, ...listKeyedProviders(settings).map(getProviderKey)];
}

/** The key of a named provider. */
function getProviderKey(provider: NamedProvider): ProviderKey {
  const { label, address, kind } = provider;
  return {
    label,
    address,
    check: kind === "azure" ? "azure" : "openai",
    variables: listKeyVariables(provider),
  };
}

/** The provider that settings name; for `auto` the one whose server is asked for its models. */
export function getProvider({ model }: Pick<ProviderSettings, "model">): Provider {
  return PROVIDERS[model.provider === "auto" ? "openai" : model.provider];
}

/** True for a value of `autogpt.model.provider`. */
export function isProviderSetting(text: string | undefined): text is SettingValue<"model.provider"> {
  return text === "auto" || (text !== undefined && Object.hasOwn(PROVIDERS, text));
}
