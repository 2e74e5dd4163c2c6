import type { Missing } from "../../commands/web/services.ts";
import type { ImageGenerator, Transcriber, TweetPublisher } from "../../core/ports/services.ts";
import { isLocal } from "../../models/http/endpoint.ts";
import {
  createHuggingFaceImages,
  createHuggingFaceTranscriber,
  resolveHuggingFaceAddress,
} from "../../models/media/hugging-face.ts";
import { openAiImages, openAiTranscriber } from "../../models/media/openai-media.ts";
import { createStableDiffusion } from "../../models/media/stable-diffusion.ts";
import { createXPublisher, readOAuthKeys, X_ADDRESS } from "../../node/web/tweets.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { getServiceNextSteps, type HostKind, type KeyFor, type ServiceSettings } from "./settings.ts";

type MediaSettings = Pick<ServiceSettings, "model" | "image" | "audio">;
type ImageSettings = MediaSettings["image"];

type MakeImages = (settings: MediaSettings, key: string | undefined, host: HostKind) => ImageGenerator | Missing;

/** One row for each value of `autogpt.image.provider`. */
const IMAGE_SERVICES: Readonly<Record<ImageSettings["provider"], MakeImages>> = {
  openai: ({ image: { baseUrl, model, size }, model: account }, key, host) => {
    const steps = getServiceNextSteps(host, "image");
    return key === undefined
      ? {
          missing: displayText("trouble.picturesNeedKey", {
            address: getMediaOrigin(baseUrl),
            key: steps.key,
          }),
        }
      : openAiImages({ baseUrl, apiKey: key, account, model, size, steps });
  },
  stableDiffusion: ({ image: { baseUrl, size } }, key = "", host) =>
    createStableDiffusion({ baseUrl, login: key, size, steps: getServiceNextSteps(host, "stableDiffusion") }),
  huggingFace: ({ image: { baseUrl, model, size } }, key, host) => {
    const steps = getServiceNextSteps(host, "huggingFace");
    return key === undefined
      ? {
          missing: displayText("trouble.picturesNeedKey", {
            address: getMediaOrigin(resolveHuggingFaceAddress(baseUrl)),
            key: steps.key,
          }),
        }
      : createHuggingFaceImages({ baseUrl, apiKey: key, model, size, steps });
  },
  off: () => ({ missing: displayText("trouble.picturesOff") }),
};

/** The image service that the settings name. */
export async function createImageService(
  settings: MediaSettings,
  keyFor: KeyFor,
  host: HostKind,
): Promise<ImageGenerator | Missing> {
  const { provider, baseUrl } = settings.image;
  const address = provider === "huggingFace" ? resolveHuggingFaceAddress(baseUrl) : baseUrl;
  const key = provider === "off" ? undefined : await findMediaKey(address, keyFor);
  return IMAGE_SERVICES[provider](settings, key, host);
}

/** The transcription service. */
export async function createAudioService(
  { audio: { provider, baseUrl, model }, model: account }: MediaSettings,
  keyFor: KeyFor,
  host: HostKind,
): Promise<Transcriber | Missing> {
  if (provider === "huggingFace") {
    const address = resolveHuggingFaceAddress(baseUrl);
    const token = await findMediaKey(address, keyFor);
    const steps = getServiceNextSteps(host, "huggingFace");
    return token === undefined
      ? {
          missing: displayText("trouble.recordingsNeedKey", {
            address: getMediaOrigin(address),
            key: steps.key,
          }),
        }
      : createHuggingFaceTranscriber({ baseUrl, apiKey: token, model, steps });
  }
  const key = await findMediaKey(baseUrl, keyFor);
  const steps = getServiceNextSteps(host, "audio");
  return key === undefined
    ? {
        missing: displayText("trouble.recordingsNeedKey", {
          address: getMediaOrigin(baseUrl),
          key: steps.key,
        }),
      }
    : openAiTranscriber({ baseUrl, apiKey: key, account, model, steps });
}

/** The service that posts on X. */
export async function createTweetService(keyFor: KeyFor, host: HostKind): Promise<TweetPublisher | Missing> {
  const { key: keyStep } = getServiceNextSteps(host, "x");
  const line = await keyFor(X_ADDRESS);
  if (line === undefined) return { missing: displayText("trouble.tweetsNeedKeys", { key: keyStep }) };
  const keys = readOAuthKeys(line);
  return keys
    ? createXPublisher(keys, writeInEnglish(keyStep))
    : {
        missing: displayText("trouble.tweetsBadKeys", { key: keyStep }),
      };
}

/** Finds a key. A server on this machine or its network may not need one. */
async function findMediaKey(address: string, keyFor: KeyFor): Promise<string | undefined> {
  const key = await keyFor(address).catch(() => undefined);
  return key ?? (isLocal(address) ? "" : undefined);
}

function getMediaOrigin(address: string): string {
  return URL.parse(address)?.origin ?? address;
}
