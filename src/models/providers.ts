import type { SettingValue } from "../schema/settings.ts";
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

/** The keys that the providers take with these settings. */
export function providerKeys(settings: ProviderSettings): readonly ProviderKey[] {
  return Object.values(PROVIDERS).flatMap((provider) => provider.key(settings) ?? []);
}

/** The provider that settings name; for `auto` the one whose server is asked for its models. */
export function providerOf({ model }: Pick<ProviderSettings, "model">): Provider {
  return PROVIDERS[model.provider === "auto" ? "openai" : model.provider];
}

/** True for a value of `autogpt.model.provider`. */
export function isProviderSetting(text: string | undefined): text is SettingValue<"model.provider"> {
  return text === "auto" || (text !== undefined && Object.hasOwn(PROVIDERS, text));
}
