import type { KeyToCheck } from "../../models/catalog/check-key.ts";
import { resolveHuggingFaceAddress } from "../../models/media/hugging-face.ts";
import {
  canHaveKey,
  type NamedProvider,
  parseModelReference,
  selectMainSettings,
} from "../../models/named-providers.ts";
import type { ProviderKey, ProviderSettings } from "../../models/provider.ts";
import { getProvider, listProviderKeys } from "../../models/providers.ts";
import { GOOGLE_ADDRESS } from "../../node/web/google-search.ts";
import { X_ADDRESS } from "../../node/web/tweets.ts";
import { parseSecretAddress } from "../../plugins/call-context.ts";
import { listOwnSecrets } from "../../plugins/own/own-settings.ts";
import type { Settings } from "../../schema/settings.ts";
import { getKeyOrigin } from "./key-ring.ts";

/** A service that takes a key. */
export interface KeyService {
  readonly label: string;
  readonly description: string;
  readonly address: string;
  /** How its keys are checked. */
  readonly service: KeyToCheck["service"];
  /** Describes what to enter where it isn't a single key. */
  readonly what?: string;
}

export const OPENAI = "https://api.openai.com/v1";

/** The services in the settings, with each origin once. `all`: includes services that no setting names. */
export function listKeyServices(settings: Settings, all: boolean): readonly KeyService[] {
  const { web, image, audio, notify } = settings;
  const services: readonly KeyService[] = [
    ...listProviderKeys(settings).map(createProviderKeyService),
    openAiService("OpenAI", OPENAI),
    ...(web.searchProvider === "google" ? [createKeyService("Google search", GOOGLE_ADDRESS, "other")] : []),
    ...(web.searchProvider === "custom" ? [createKeyService("Web search", web.searchUrl, "other")] : []),
    ...(image.provider === "openai" ? [openAiService("Images", image.baseUrl)] : []),
    ...(image.provider === "stableDiffusion"
      ? [{ ...createKeyService("Stable Diffusion", image.baseUrl, "stableDiffusion"), what: LOGIN }]
      : []),
    ...(image.provider === "huggingFace"
      ? [createKeyService("Hugging Face", resolveHuggingFaceAddress(image.baseUrl), "other")]
      : []),
    ...(audio.provider === "huggingFace"
      ? [createKeyService("Hugging Face", resolveHuggingFaceAddress(audio.baseUrl), "other")]
      : [openAiService("Audio", audio.baseUrl)]),
    ...(notify.url === "" ? [] : [createKeyService("Questions", notify.url, "other")]),
    ...listOwnSecrets(settings.plugins.config).map(({ label, address, place, what }) => ({
      ...createKeyService(label, address, "other"),
      description: place,
      what,
    })),
    ...(all ? [{ ...createKeyService("X (Twitter)", X_ADDRESS, "other"), what: FOUR_KEYS }] : []),
  ];
  const origins = services.map(({ address }) => findWebOrigin(address));
  return services.filter((_one, index) => {
    const origin = origins[index];
    return index === 0 || (origin !== undefined && origins.indexOf(origin) === index);
  });
}

/** The label of a stored key: its origin, or the plugin to which its secret belongs. */
export function getStoredKeyLabel(
  origin: string,
  settings: Settings,
): { readonly label: string; readonly description?: string } {
  const own = listOwnSecrets(settings.plugins.config).find(({ address }) => getKeyOrigin(address) === origin);
  if (own) return { label: own.label, description: own.place };
  const secret = parseSecretAddress(origin);
  return secret ? { label: secret.plugin, description: secret.name } : { label: origin };
}

/** The services whose keys the main and the fast model need or accept, starting with the main model's. */
export function listModelServices(settings: ProviderSettings): readonly [KeyService, ...KeyService[]] {
  const main = getConfiguredService(selectMainSettings(settings));
  const fast = parseModelReference(settings.model.fast, settings).provider;
  const other = fast && canHaveKey(fast) ? createNamedService(fast) : undefined;
  return other && findWebOrigin(other.address) !== findWebOrigin(main.address) ? [main, other] : [main];
}

function getConfiguredService(settings: ProviderSettings): KeyService {
  const key = getProvider(settings).getKey(settings);
  return key ? createProviderKeyService(key) : openAiService("Configured server", settings.model.baseUrl);
}

/** The service of a named provider. */
export function createNamedService({ label, address, kind }: NamedProvider): KeyService {
  return kind === "azure" ? createKeyService(label, address, "azure") : openAiService(label, address);
}

/** The full name of the setting that contains an address; undefined if there is none. */
export function findAddressSetting(
  { model, azure, web, image, audio, notify }: Settings,
  address: string,
): string | undefined {
  const addresses = {
    "autogpt.model.baseUrl": model.baseUrl,
    "autogpt.azure.endpoint": azure.endpoint,
    "autogpt.web.searchUrl": web.searchUrl,
    "autogpt.image.baseUrl": image.baseUrl,
    "autogpt.audio.baseUrl": audio.baseUrl,
    "autogpt.notify.url": notify.url,
  };
  return Object.entries(addresses).find(([, value]) => value === address)?.[0];
}

/** The details for checking a key. A model's name is sent only to the server that has it. */
export function createKeyToCheck(
  { service: kind, address }: KeyService,
  key: string,
  settings: ProviderSettings,
): KeyToCheck {
  const { model, azure } = selectMainSettings(settings);
  switch (kind) {
    case "openai": {
      const hasModel = model.smart !== "" && findWebOrigin(address) === findWebOrigin(model.baseUrl);
      return { service: kind, key, address, ...(hasModel ? { model: model.smart } : {}) };
    }
    case "azure":
      return { service: kind, key, address, apiVersion: azure.apiVersion };
    case "stableDiffusion":
    case "other":
      return { service: kind, key, address };
  }
}

const LOGIN = "The web UI's login, as user:password.";

const FOUR_KEYS =
  "Four keys of an app that can write, on one line and separated by spaces: API key, API key secret, access token, access token secret.";

function openAiService(label: string, address: string): KeyService {
  return createKeyService(label, address, "openai");
}

function createProviderKeyService({ label, address, check }: ProviderKey): KeyService {
  return createKeyService(label, address, check);
}

function createKeyService(label: string, address: string, kind: KeyToCheck["service"]): KeyService {
  return { label, description: address, address, service: kind };
}

function findWebOrigin(address: string): string | undefined {
  try {
    return getKeyOrigin(address);
  } catch {
    return undefined;
  }
}
