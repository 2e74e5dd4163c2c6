import type { Missing } from "../commands/away-parts.ts";
import type { Images, Transcriber, Tweets } from "../core/media.ts";
import { isLocal } from "../models/base-url.ts";
import { openAiImages } from "../models/images.ts";
import { stableDiffusion } from "../models/stable-diffusion.ts";
import { openAiTranscriber } from "../models/transcription.ts";
import { readOAuthKeys } from "../node/web/oauth.ts";
import { X_ADDRESS, xTweets } from "../node/web/tweets.ts";
import type { KeyFor } from "./key-for.ts";
import type { AwaySettings } from "./settings.ts";

/** The service that draws. */
export async function imagesPart(
  { provider, baseUrl, model, size }: AwaySettings["image"],
  keyFor: KeyFor,
): Promise<Images | Missing> {
  if (provider === "off") return { missing: "Pictures are turned off (autogpt.image.provider)." };
  const key = await keyOf(baseUrl, keyFor);
  if (provider === "stableDiffusion") return stableDiffusion({ baseUrl, login: key ?? "", size });
  return key === undefined
    ? { missing: needsKey("Pictures", baseUrl) }
    : openAiImages({ baseUrl, apiKey: key, model, size });
}

/** The service that understands speech. */
export async function audioPart(
  { baseUrl, model }: AwaySettings["audio"],
  keyFor: KeyFor,
): Promise<Transcriber | Missing> {
  const key = await keyOf(baseUrl, keyFor);
  return key === undefined
    ? { missing: needsKey("Recordings", baseUrl) }
    : openAiTranscriber({ baseUrl, apiKey: key, model });
}

/** The way to X. */
export async function tweetsPart(keyFor: KeyFor): Promise<Tweets | Missing> {
  const line = await keyFor(X_ADDRESS);
  if (line === undefined)
    return {
      missing: `Posting on X needs the four keys of an app for ${X_ADDRESS} (AutoGPT: Set API Key…).`,
    };
  const keys = readOAuthKeys(line);
  return keys
    ? xTweets(keys)
    : {
        missing:
          "The keys for X are not four. Set them anew, in one line with spaces between: API key, API key secret, access token, access token secret (AutoGPT: Set API Key…).",
      };
}

/** A server of this machine or its network may ask for none. */
async function keyOf(address: string, keyFor: KeyFor): Promise<string | undefined> {
  const key = await keyFor(address).catch(() => undefined);
  return key ?? (isLocal(address) ? "" : undefined);
}

function needsKey(what: string, address: string): string {
  return `${what} need an API key for ${URL.parse(address)?.origin ?? address} (AutoGPT: Set API Key…).`;
}
