import { setTimeout as pause } from "node:timers/promises";
import { isObject, tryJson } from "../../core/base/json.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { ImageGenerator, Transcriber } from "../../core/ports/services.ts";
import { DEFAULT_SETTINGS } from "../../schema/read-settings.ts";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import {
  createOpenAiServer,
  explainBaseUrlProblem,
  explainKeyProblem,
  getHost,
  isOpenAi,
  type NextSteps,
  normalizeBaseUrl,
  quoteServerWords,
} from "../http/endpoint.ts";
import { createConnectionError } from "../http/errors.ts";

/** Hugging Face's Inference API, for users who haven't set another address. */
const HUGGING_FACE = "https://router.huggingface.co/hf-inference";

/** Default models, and the settings' own defaults that they replace, which are OpenAI's. */
const MODELS = {
  image: { own: DEFAULT_SETTINGS.image.model, instead: "stabilityai/stable-diffusion-xl-base-1.0" },
  audio: { own: DEFAULT_SETTINGS.audio.model, instead: "openai/whisper-large-v3" },
} as const;

/** The service's address. Settings with OpenAI's default mean Hugging Face. */
export function resolveHuggingFaceAddress(baseUrl: string): string {
  return isOpenAi(baseUrl) ? HUGGING_FACE : normalizeBaseUrl(baseUrl);
}

export interface HuggingFaceOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly steps: NextSteps;
}

/** Creates images with Hugging Face. */
export function createHuggingFaceImages(options: HuggingFaceOptions & { readonly size: string }): ImageGenerator {
  const service = createInference("image", options);
  return {
    ...service.about,
    size: options.size,
    async draw(prompt, size, signal) {
      const [width, height] = size.split("x").map(Number);
      const response = await service.ask(
        JSON.stringify({ inputs: prompt, parameters: { width, height } }),
        { "content-type": "application/json", accept: "image/png" },
        signal,
      );
      if (!response.headers.get("content-type")?.startsWith("image/"))
        throw new ModelError("other", displayText("trouble.noImage", { server: service.about.name }));
      return { bytes: new Uint8Array(await response.arrayBuffer()), model: service.model };
    },
  };
}

/** About an hour of recording at a usual quality. */
const MAX_AUDIO_BYTES = 25_000_000;

const AUDIO_TYPES: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  mpeg: "audio/mpeg",
  mpga: "audio/mpeg",
  mp4: "audio/m4a",
  m4a: "audio/m4a",
  wav: "audio/wav",
  webm: "audio/webm",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  flac: "audio/flac",
};

/** Transcribes with Hugging Face. */
export function createHuggingFaceTranscriber(options: HuggingFaceOptions): Transcriber {
  const service = createInference("audio", options);
  return {
    ...service.about,
    most: MAX_AUDIO_BYTES,
    async transcribe(bytes, fileName, signal) {
      const type = AUDIO_TYPES[fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase()] ?? "audio/mpeg";
      const response = await service.ask(new Uint8Array(bytes), { "content-type": type }, signal);
      const answer = tryJson(await response.text());
      if (!isObject(answer) || typeof answer.text !== "string")
        throw new ModelError("other", displayText("trouble.noTextReturned", { server: service.about.name }));
      return { text: answer.text, model: service.model };
    },
  };
}

/** An unused model is loaded first, which can take a few minutes. */
const SECONDS = 600;
const MAX_WAITS = 10;
const LONGEST_WAIT_SECONDS = 60;

interface Inference {
  readonly about: { readonly name: string; readonly host: string };
  readonly model: string;
  /** Sends one request, and repeats it while the model loads. Throws a `ModelError` for any refusal. */
  ask(body: BodyInit, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

function createInference(kind: keyof typeof MODELS, options: HuggingFaceOptions): Inference {
  const { own, instead } = MODELS[kind];
  const model = options.model === "" || options.model === own ? instead : options.model;
  const baseUrl = resolveHuggingFaceAddress(options.baseUrl);
  const apiKey = options.apiKey.trim();
  const settings = `autogpt.${kind}`;
  const steps = { ...options.steps, address: `${settings}.baseUrl`, model: `${settings}.model` };
  const server = createOpenAiServer(baseUrl, { model, apiKey, timeoutSeconds: SECONDS }, steps);
  const about = { name: `${model} at ${server.host}`, host: getHost(baseUrl) };
  const address = `${baseUrl}/models/${model.split("/").map(encodeURIComponent).join("/")}`;
  return {
    about,
    model,
    async ask(body, headers, stop) {
      const problem =
        explainBaseUrlProblem(baseUrl, steps, HUGGING_FACE) ?? explainKeyProblem(apiKey, baseUrl, "optional", steps);
      if (problem !== undefined) throw new ModelError("setup", problem);
      const signal = AbortSignal.any([stop, AbortSignal.timeout(SECONDS * 1000)]);
      const authorization = apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
      const request = {
        method: "POST",
        headers: { ...headers, ...authorization },
        body,
        signal,
        redirect: "manual",
      } as const;
      try {
        for (let waits = 0; ; waits++) {
          const response = await globalThis.fetch(address, request);
          if (response.ok) return response;
          const { error, seconds } = readServiceComplaint(await response.text());
          if (response.status !== 503 || seconds === undefined || waits >= MAX_WAITS)
            throw new ModelError(
              "other",
              describeRefusal(about.name, response.status, quoteServerWords(error, { apiKey }), steps),
            );
          await pause(Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000, undefined, { signal });
        }
      } catch (error) {
        stop.throwIfAborted();
        throw error instanceof ModelError ? error : createConnectionError(error, server);
      }
    },
  };
}

/** The service's own message, and the seconds until a model is loaded. */
function readServiceComplaint(body: string): { readonly error: string; readonly seconds?: number } {
  const answer = tryJson(body);
  if (!isObject(answer)) return { error: "" };
  const { error, estimated_time: seconds } = answer;
  const words = Array.isArray(error) ? error.join(" ") : error;
  return {
    error: typeof words === "string" ? words : "",
    ...(typeof seconds === "number" && seconds >= 0 ? { seconds } : {}),
  };
}

function describeRefusal(
  name: string,
  status: number,
  words: Sentence | undefined,
  { key, model }: NextSteps,
): Sentence {
  const about = { name, status: String(status) };
  if (status === 401 || status === 403)
    return joinSentences(
      displayText("trouble.tokenRejected", about),
      words,
      displayText("trouble.setAnotherToken", { key }),
    );
  if (status === 404 || status === 400 || status === 410)
    return joinSentences(
      displayText("trouble.serviceUnusable", about),
      words,
      displayText("trouble.chooseModelWith", { model }),
    );
  return joinSentences(displayText("trouble.serviceAnswered", about), words, displayText("trouble.tryLater"));
}
