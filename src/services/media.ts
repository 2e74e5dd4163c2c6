import type { Missing } from "../commands/web/services.ts";
import type { ImageGenerator, Transcriber, TweetPublisher } from "../core/ports/services.ts";
import { isLocal } from "../models/http/endpoint.ts";
import { openAiImages, openAiTranscriber } from "../models/media/openai-media.ts";
import { stableDiffusion } from "../models/media/stable-diffusion.ts";
import { readOAuthKeys, X_ADDRESS, xTweets } from "../node/web/tweets.ts";
import { type HostKind, type KeyFor, type ServiceSettings, serviceSteps } from "./settings.ts";

/** The service that draws. */
export async function imageService(
  { provider, baseUrl, model, size }: ServiceSettings["image"],
  keyFor: KeyFor,
  host: HostKind,
): Promise<ImageGenerator | Missing> {
  if (provider === "off") return { missing: "Pictures are turned off (autogpt.image.provider)." };
  const key = await keyOf(baseUrl, keyFor);
  if (provider === "stableDiffusion") {
    const steps = serviceSteps(host, "stableDiffusion");
    return stableDiffusion({ baseUrl, login: key ?? "", size, steps });
  }
  const steps = serviceSteps(host, "image");
  return key === undefined
    ? { missing: needsKey("Pictures", baseUrl, steps.key) }
    : openAiImages({ baseUrl, apiKey: key, model, size, steps });
}

/** The service that understands speech. */
export async function audioService(
  { baseUrl, model }: ServiceSettings["audio"],
  keyFor: KeyFor,
  host: HostKind,
): Promise<Transcriber | Missing> {
  const key = await keyOf(baseUrl, keyFor);
  const steps = serviceSteps(host, "audio");
  return key === undefined
    ? { missing: needsKey("Recordings", baseUrl, steps.key) }
    : openAiTranscriber({ baseUrl, apiKey: key, model, steps });
}

/** The way to X. */
export async function tweetService(keyFor: KeyFor, host: HostKind): Promise<TweetPublisher | Missing> {
  const { key: keyStep } = serviceSteps(host, "x");
  const line = await keyFor(X_ADDRESS);
  if (line === undefined)
    return { missing: `Posting on X needs four keys of an app. To fix that, ${keyStep}.` };
  const keys = readOAuthKeys(line);
  return keys
    ? xTweets(keys, keyStep)
    : {
        missing: `The keys for X must be four: API key, API key secret, access token, access token secret. To set them, ${keyStep}, with spaces between them.`,
      };
}

/** A server of this machine or its network may ask for none. */
async function keyOf(address: string, keyFor: KeyFor): Promise<string | undefined> {
  const key = await keyFor(address).catch(() => undefined);
  return key ?? (isLocal(address) ? "" : undefined);
}

function needsKey(what: string, address: string, keyStep: string): string {
  return `${what} need an API key for ${URL.parse(address)?.origin ?? address}. To fix that, ${keyStep}.`;
}
