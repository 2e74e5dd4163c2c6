import type { Missing } from "../commands/web/services.ts";
import type { ImageGenerator, Transcriber, TweetPublisher } from "../core/ports/services.ts";
import { isLocal } from "../models/http/endpoint.ts";
import {
  huggingFaceAddress,
  huggingFaceImages,
  huggingFaceTranscriber,
} from "../models/media/hugging-face.ts";
import { openAiImages, openAiTranscriber } from "../models/media/openai-media.ts";
import { stableDiffusion } from "../models/media/stable-diffusion.ts";
import { readOAuthKeys, X_ADDRESS, xTweets } from "../node/web/tweets.ts";
import { displayText, inEnglish } from "../texts/display-text.ts";
import { type HostKind, type KeyFor, type ServiceSettings, serviceSteps } from "./settings.ts";

type MediaSettings = Pick<ServiceSettings, "model" | "image" | "audio">;
type ImageSettings = MediaSettings["image"];

type MakeImages = (
  settings: MediaSettings,
  key: string | undefined,
  host: HostKind,
) => ImageGenerator | Missing;

/** One row for each value of `autogpt.image.provider`. */
const IMAGE_SERVICES: Readonly<Record<ImageSettings["provider"], MakeImages>> = {
  openai: ({ image: { baseUrl, model, size }, model: account }, key, host) => {
    const steps = serviceSteps(host, "image");
    return key === undefined
      ? { missing: displayText("trouble.picturesNeedKey", { address: originOf(baseUrl), key: steps.key }) }
      : openAiImages({ baseUrl, apiKey: key, account, model, size, steps });
  },
  stableDiffusion: ({ image: { baseUrl, size } }, key = "", host) =>
    stableDiffusion({ baseUrl, login: key, size, steps: serviceSteps(host, "stableDiffusion") }),
  huggingFace: ({ image: { baseUrl, model, size } }, key, host) => {
    const steps = serviceSteps(host, "huggingFace");
    return key === undefined
      ? {
          missing: displayText("trouble.picturesNeedKey", {
            address: originOf(huggingFaceAddress(baseUrl)),
            key: steps.key,
          }),
        }
      : huggingFaceImages({ baseUrl, apiKey: key, model, size, steps });
  },
  off: () => ({ missing: displayText("trouble.picturesOff") }),
};

/** The image service that the settings name. */
export async function imageService(
  settings: MediaSettings,
  keyFor: KeyFor,
  host: HostKind,
): Promise<ImageGenerator | Missing> {
  const { provider, baseUrl } = settings.image;
  const address = provider === "huggingFace" ? huggingFaceAddress(baseUrl) : baseUrl;
  const key = provider === "off" ? undefined : await keyOf(address, keyFor);
  return IMAGE_SERVICES[provider](settings, key, host);
}

/** The transcription service. */
export async function audioService(
  { audio: { provider, baseUrl, model }, model: account }: MediaSettings,
  keyFor: KeyFor,
  host: HostKind,
): Promise<Transcriber | Missing> {
  if (provider === "huggingFace") {
    const address = huggingFaceAddress(baseUrl);
    const token = await keyOf(address, keyFor);
    const steps = serviceSteps(host, "huggingFace");
    return token === undefined
      ? { missing: displayText("trouble.recordingsNeedKey", { address: originOf(address), key: steps.key }) }
      : huggingFaceTranscriber({ baseUrl, apiKey: token, model, steps });
  }
  const key = await keyOf(baseUrl, keyFor);
  const steps = serviceSteps(host, "audio");
  return key === undefined
    ? { missing: displayText("trouble.recordingsNeedKey", { address: originOf(baseUrl), key: steps.key }) }
    : openAiTranscriber({ baseUrl, apiKey: key, account, model, steps });
}

/** The service that posts on X. */
export async function tweetService(keyFor: KeyFor, host: HostKind): Promise<TweetPublisher | Missing> {
  const { key: keyStep } = serviceSteps(host, "x");
  const line = await keyFor(X_ADDRESS);
  if (line === undefined) return { missing: displayText("trouble.tweetsNeedKeys", { key: keyStep }) };
  const keys = readOAuthKeys(line);
  return keys
    ? xTweets(keys, inEnglish(keyStep))
    : {
        missing: displayText("trouble.tweetsBadKeys", { key: keyStep }),
      };
}

/** A server on this machine or its network may need no key. */
async function keyOf(address: string, keyFor: KeyFor): Promise<string | undefined> {
  const key = await keyFor(address).catch(() => undefined);
  return key ?? (isLocal(address) ? "" : undefined);
}

function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}
