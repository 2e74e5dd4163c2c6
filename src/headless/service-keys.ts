import { getPasswordAddress } from "../memory/shared/sharing.ts";
import { resolveHuggingFaceAddress } from "../models/media/hugging-face.ts";
import { listProviderKeys } from "../models/providers.ts";
import { GOOGLE_ADDRESS } from "../node/web/google-search.ts";
import { X_ADDRESS } from "../node/web/tweets.ts";
import { listOwnSecrets } from "../plugins/own/own-settings.ts";
import { getKeyOrigin } from "../runtime/services/key-ring.ts";
import type { KeyFor } from "../runtime/services/settings.ts";
import type { Settings } from "../schema/settings.ts";

/** A key, and the address whose origin is the only one that receives it. */
export interface ServiceKey {
  readonly address: string;
  readonly key: string;
}

/** The environment's keys, each for the origin where the settings use it. */
export function collectServiceKeys(
  settings: Pick<Settings, "model" | "azure" | "web" | "image" | "audio" | "plugins" | "memory">,
  env: Readonly<Record<string, string | undefined>>,
): readonly ServiceKey[] {
  const x = ["TW_CONSUMER_KEY", "TW_CONSUMER_SECRET", "TW_ACCESS_TOKEN", "TW_ACCESS_TOKEN_SECRET"].map(
    (name) => env[name]?.trim() ?? "",
  );
  const { web, image, audio, memory } = settings;
  const models = listProviderKeys(settings).map(({ address, variables }) => {
    const [variable] = variables.filter((name) => env[name] !== undefined);
    return [address, variable === undefined ? undefined : env[variable]] as const;
  });
  const known: readonly (readonly [string, string | undefined])[] = [
    ...models,
    [GOOGLE_ADDRESS, env.GOOGLE_API_KEY],
    [web.searchUrl, env.SEARCH_API_KEY],
    [image.provider === "stableDiffusion" ? image.baseUrl : "", env.SD_WEBUI_AUTH],
    [image.provider === "openai" ? image.baseUrl : "", env.IMAGE_API_KEY],
    [audio.provider === "openai" ? audio.baseUrl : "", env.AUDIO_API_KEY],
    [image.provider === "huggingFace" ? resolveHuggingFaceAddress(image.baseUrl) : "", env.HUGGINGFACE_API_TOKEN],
    [audio.provider === "huggingFace" ? resolveHuggingFaceAddress(audio.baseUrl) : "", env.HUGGINGFACE_API_TOKEN],
    ...listOwnSecrets(settings.plugins.config).map(({ address, variable }) => [address, env[variable]] as const),
    [memory.backend === "local" ? "" : getPasswordAddress(memory), env.MEMORY_SECRET],
    [X_ADDRESS, x.includes("") ? undefined : x.join(" ")],
  ];
  return known.flatMap(([address, value]) => {
    const key = value?.trim() ?? "";
    return key === "" || parseOrigin(address) === undefined ? [] : [{ address, key }];
  });
}

/** Splits off keys whose origins `others` have, too, and returns the other addresses. */
export function splitKeysByOrigin(
  keys: readonly ServiceKey[],
  others: readonly ServiceKey[],
): readonly [within: readonly ServiceKey[], outside: readonly string[]] {
  const origins = new Set(others.map(({ address }) => parseOrigin(address)));
  const isWithin = ({ address }: ServiceKey): boolean => origins.has(parseOrigin(address));
  const outside = keys.filter((key) => !isWithin(key)).map(({ address }) => address);
  return [keys.filter(isWithin), [...new Set(outside)]];
}

/** All keys, to keep them out of logs and prompts. */
export function listAllKeys(keys: readonly ServiceKey[]): readonly string[] {
  return [...new Set(keys.map(({ key }) => key))];
}

/** Looks keys up by origin. */
export function createKeyLookup(keys: readonly ServiceKey[]): KeyFor {
  return async (address) => {
    const origin = parseOrigin(address);
    return keys.find((one) => one.key !== "" && parseOrigin(one.address) === origin)?.key;
  };
}

function parseOrigin(address: string): string | undefined {
  try {
    return getKeyOrigin(address);
  } catch {
    return undefined;
  }
}
