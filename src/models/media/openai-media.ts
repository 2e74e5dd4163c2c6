import type { OpenAI } from "openai";
import { omitUndefined } from "../../core/base/objects.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { ImageGenerator, Transcriber } from "../../core/ports/services.ts";
import { displayText } from "../../texts/display-text.ts";
import { computeCostUsd } from "../catalog/prices.ts";
import { type Connection, openAiClient } from "../http/client.ts";
import {
  createOpenAiServer,
  explainBaseUrlProblem,
  explainKeyProblem,
  isLocal,
  type NextSteps,
  normalizeBaseUrl,
} from "../http/endpoint.ts";
import { createModelError } from "../http/errors.ts";

/** Dependencies of a call to a media server. */
interface MediaCall {
  readonly client: OpenAI;
  /** Aborts when the caller stops or time is up. */
  readonly signal: AbortSignal;
  /** The server's address for people. */
  readonly server: string;
}

/** A server for images or transcription with OpenAI's API. */
interface MediaServer {
  /** The model and its server for people. */
  readonly name: string;
  readonly host: string;
  /** Makes one call. Throws a `ModelError` if the settings are incomplete or the call fails. */
  call<T>(signal: AbortSignal, make: (calling: MediaCall) => Promise<T>): Promise<T>;
}

/** The model, its time limit, and the group of settings where the user changes them. */
interface MediaServerOptions extends Connection {
  readonly model: string;
  readonly seconds: number;
  readonly settings: "autogpt.image" | "autogpt.audio";
  readonly steps: NextSteps;
}

/** OpenAI or a compatible server, for services other than chat. */
function createMediaServer({ model, seconds, settings, ...connection }: MediaServerOptions): MediaServer {
  const baseUrl = normalizeBaseUrl(connection.baseUrl);
  const apiKey = connection.apiKey.trim();
  const steps = { ...connection.steps, address: `${settings}.baseUrl`, model: `${settings}.model` };
  const server = createOpenAiServer(baseUrl, { model, apiKey, timeoutSeconds: seconds }, steps);
  return {
    name: `${model} at ${server.host}`,
    host: server.host,
    async call(stop, make) {
      const problem =
        explainBaseUrlProblem(baseUrl, steps) ??
        explainKeyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", steps);
      if (problem !== undefined) throw new ModelError("setup", problem);
      try {
        const client = await openAiClient({ ...connection, baseUrl, apiKey }, "json");
        const signal = AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)]);
        return await make({ client, signal, server: server.name });
      } catch (error) {
        stop.throwIfAborted();
        throw createModelError(error, server, { messages: [] });
      }
    },
  };
}

/** An image service with OpenAI's API. */
export interface ImageOptions extends Connection {
  readonly model: string;
  /** For example, `1024x1024`. */
  readonly size: string;
  readonly steps: NextSteps;
}

const IMAGE_SECONDS = 300;

/** Creates images with OpenAI or a compatible server. */
export function openAiImages({ size: usual, ...connection }: ImageOptions): ImageGenerator {
  const server = createMediaServer({ ...connection, seconds: IMAGE_SECONDS, settings: "autogpt.image" });
  const { model } = connection;
  return {
    name: server.name,
    host: server.host,
    size: usual,
    draw: (prompt, size, stop) =>
      server.call(stop, async ({ client, signal, server: name }) => {
        const answer = await client.images.generate(
          // Newer models always return the image itself, older ones only on request.
          { model, prompt, size, n: 1, ...(/^dall-e/.test(model) ? { response_format: "b64_json" } : {}) },
          { signal },
        );
        const picture = answer.data?.[0]?.b64_json;
        if (!picture) throw new ModelError("other", displayText("trouble.noImage", { server: name }));
        const { usage } = answer;
        const costUsd = computeImageCost(
          model,
          size,
          usage && { input: usage.input_tokens, output: usage.output_tokens },
        );
        return {
          bytes: Buffer.from(picture, "base64"),
          model,
          ...omitUndefined({ costUsd }),
        };
      }),
  };
}

/** US dollars per million tokens of text input and image output. */
const IMAGE_PRICE_BY_TOKEN: readonly (readonly [RegExp, { readonly input: number; readonly output: number }])[] = [
  [/^gpt-image-1-mini/, { input: 2, output: 8 }],
  [/^gpt-image-1\.5/, { input: 5, output: 32 }],
  [/^gpt-image-1/, { input: 5, output: 40 }],
];

/** US dollars per image, by size. */
const IMAGE_PRICE_BY_SIZE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "dall-e-2": { "256x256": 0.016, "512x512": 0.018, "1024x1024": 0.02 },
  "dall-e-3": { "1024x1024": 0.04, "1024x1792": 0.08, "1792x1024": 0.08 },
};

/** Cost of an image in US dollars; undefined if the price is unknown. */
function computeImageCost(
  model: string,
  size: string,
  usage: { readonly input: number; readonly output: number } | undefined,
): number | undefined {
  const fixed = IMAGE_PRICE_BY_SIZE[model]?.[size];
  if (fixed !== undefined) return fixed;
  const price = IMAGE_PRICE_BY_TOKEN.find(([name]) => name.test(model))?.[1];
  return price && usage ? computeCostUsd(usage, price) : undefined;
}

/** A transcription service with OpenAI's API. */
export interface TranscriptionOptions extends Connection {
  readonly model: string;
  readonly steps: NextSteps;
}

const TRANSCRIPTION_SECONDS = 600;
/** OpenAI's limit. */
const MAX_AUDIO_BYTES = 25_000_000;

/** Transcribes with OpenAI or a compatible server. */
export function openAiTranscriber(options: TranscriptionOptions): Transcriber {
  const server = createMediaServer({ ...options, seconds: TRANSCRIPTION_SECONDS, settings: "autogpt.audio" });
  const { model } = options;
  return {
    name: server.name,
    host: server.host,
    most: MAX_AUDIO_BYTES,
    transcribe: (bytes, fileName, stop) =>
      server.call(stop, async ({ client, signal }) => {
        const file = new File([new Uint8Array(bytes)], fileName);
        const answer = await client.audio.transcriptions.create({ file, model }, { signal });
        const cost = computeTranscriptionCost(model, answer.usage);
        return { text: answer.text, model, ...omitUndefined({ costUsd: cost }) };
      }),
  };
}

type AudioUsage =
  | { readonly type: "duration"; readonly seconds: number }
  | { readonly type: "tokens"; readonly input_tokens: number; readonly output_tokens: number };

/** US dollars per million tokens. */
const AUDIO_PRICE_BY_TOKEN: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  "gpt-4o-transcribe": { input: 2.5, output: 10 },
  "gpt-4o-mini-transcribe": { input: 1.25, output: 5 },
};
const WHISPER_USD_PER_MINUTE = 0.006;

function computeTranscriptionCost(model: string, usage: AudioUsage | undefined): number | undefined {
  if (usage?.type === "duration")
    return model === "whisper-1" ? (usage.seconds / 60) * WHISPER_USD_PER_MINUTE : undefined;
  const price = Object.hasOwn(AUDIO_PRICE_BY_TOKEN, model) ? AUDIO_PRICE_BY_TOKEN[model] : undefined;
  return usage && price ? computeCostUsd({ input: usage.input_tokens, output: usage.output_tokens }, price) : undefined;
}
