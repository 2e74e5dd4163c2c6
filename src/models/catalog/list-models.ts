import { isObject, type Json } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { ModelError } from "../../core/ports/model.ts";
import { openAiClient } from "../http/client.ts";
import {
  createOpenAiServer,
  explainBaseUrlProblem,
  explainKeyProblem,
  isLocal,
  isOpenAi,
  type NextSteps,
  normalizeBaseUrl,
} from "../http/endpoint.ts";
import { createModelError } from "../http/errors.ts";
import { toAmount, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";
import { watchSilence } from "../http/timers.ts";
import type { Price } from "./facts.ts";
import { fetchLmStudioModels, fetchOllamaModels, loadOllamaModel } from "./local-servers.ts";
import { canSeePicturesByName, findModelFacts } from "./model-facts.ts";
import { parseBillions } from "./model-size.ts";
import { findPrice, type Prices } from "./prices.ts";

export interface ModelListRequest {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly prices: Prices;
  readonly timeoutSeconds: number;
  /** Absent: the editor's steps. */
  readonly steps?: NextSteps;
}

/** Time limit for a local server's native API to report the context windows of its models. */
const NATIVE_LIMIT_MS = 500;

/** The models that a server offers, sorted by name, with context window and price if known. Throws `ModelError`. */
export async function listModels(listing: ModelListRequest, signal: AbortSignal): Promise<OfferedModel[]> {
  signal.throwIfAborted();
  const baseUrl = normalizeBaseUrl(listing.baseUrl);
  const apiKey = listing.apiKey.trim();
  const server = createOpenAiServer(
    baseUrl,
    { model: "", apiKey, timeoutSeconds: listing.timeoutSeconds },
    listing.steps,
  );
  const problem =
    explainBaseUrlProblem(baseUrl, server.steps) ??
    explainKeyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", server.steps);
  if (problem !== undefined) throw new ModelError("setup", problem);
  try {
    return await fetchModels({ ...listing, baseUrl, apiKey }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw createModelError(error, server, { messages: [] });
  }
}

/** Same as `listModels`, but checks nothing first and throws the client's own errors. */
export async function fetchModels(
  { baseUrl, apiKey, prices, timeoutSeconds }: ModelListRequest,
  signal: AbortSignal,
): Promise<OfferedModel[]> {
  using watch = watchSilence(signal, timeoutSeconds, () => undefined);
  const client = await openAiClient({ baseUrl, apiKey }, "json");
  const [page, facts] = await watch.race(
    Promise.all([client.models.list({ signal: watch.signal }), fetchNativeFacts(baseUrl, watch.signal)]),
  );
  return page.data
    .map((model) => parseOfferedModel(model, prices, baseUrl))
    .filter((model) => model !== undefined)
    .map((model) => ({ ...model, ...facts.get(model.name) }))
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

type NativeFacts = Pick<OfferedModel, "contextWindow" | "seesPictures" | "billions">;

/** Facts that only the native APIs of Ollama and LM Studio report. */
async function fetchNativeFacts(baseUrl: string, signal: AbortSignal): Promise<ReadonlyMap<string, NativeFacts>> {
  if (!isLocal(baseUrl)) return new Map();
  const { origin } = new URL(baseUrl);
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(NATIVE_LIMIT_MS)]);
  const models = (await fetchOllamaModels(origin, inTime)) ?? (await fetchLmStudioModels(origin, inTime)) ?? [];
  return new Map(
    models.map(({ name, contextWindow, seesPictures, billions }) => [
      name,
      {
        ...(contextWindow ? { contextWindow } : {}),
        ...omitUndefined({ seesPictures, billions }),
      },
    ]),
  );
}

/** A model to choose. Unknown facts are absent. */
export interface OfferedModel {
  readonly name: string;
  /** Maximum tokens of prompt and reply together. */
  readonly contextWindow?: number;
  readonly price?: Price;
  readonly seesPictures?: boolean;
  /** Billions of parameters, as its server counts them. */
  readonly billions?: number;
}

/** Reads a model from the various shapes of a `/v1/models` list; undefined if it isn't a chat model. */
function parseOfferedModel(value: unknown, own: Prices, baseUrl: string): OfferedModel | undefined {
  const model = toObjectOrEmpty(value);
  const name = toTextOrEmpty(model.id);
  if (name === "" || NO_CHAT.test(name)) return undefined;
  const contextWindow = findContextWindow(model) ?? findModelFacts(name, baseUrl)?.contextWindow;
  const price = Object.hasOwn(own, name) ? own[name] : (parsePrice(model.pricing) ?? findPrice([name], own, baseUrl));
  const seesPictures = findPictureSupport(model) ?? canSeePicturesByName(name);
  // llama.cpp counts them.
  const count = toAmount(toObjectOrEmpty(model.meta).n_params);
  return {
    name,
    ...(contextWindow ? { contextWindow } : {}),
    ...omitUndefined({ seesPictures }),
    ...(count ? { billions: count / 1e9 } : {}),
    ...(price
      ? {
          price: {
            input: price.input,
            output: price.output,
            ...omitUndefined({ cached: price.cached }),
          },
        }
      : {}),
  };
}

const NO_CHAT =
  /embed|whisper|transcribe|tts|dall-e|image|moderation|realtime|audio|davinci|babbage|sora|rerank|-instruct-\d{4}$|deep-research/i;

/** vLLM, OpenRouter, Groq, Mistral, LM Studio and llama.cpp each use a different field name. */
function findContextWindow(model: Json): number | undefined {
  const meta = toObjectOrEmpty(model.meta);
  const names = ["loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length"];
  return (
    names.map((name) => toAmount(model[name])).find((size) => size) ??
    toAmount(meta.n_ctx) ??
    toAmount(meta.n_ctx_train)
  );
}

/** OpenRouter and Mistral report whether a model accepts pictures. */
function findPictureSupport({ architecture, capabilities }: Json): boolean | undefined {
  const inputs = toObjectOrEmpty(architecture).input_modalities;
  if (Array.isArray(inputs)) return inputs.includes("image");
  const { vision } = toObjectOrEmpty(capabilities);
  return typeof vision === "boolean" ? vision : undefined;
}

/** OpenRouter reports dollars per token. */
function parsePrice(value: unknown): Price | undefined {
  if (!isObject(value)) return undefined;
  const [input, output, cached] = ["prompt", "completion", "input_cache_read"].map((kind) => toAmount(value[kind]));
  if (input === undefined || output === undefined) return undefined;
  return {
    input: convertToPerMillion(input),
    output: convertToPerMillion(output),
    ...(cached === undefined ? {} : { cached: convertToPerMillion(cached) }),
  };
}

function convertToPerMillion(perToken: number): number {
  return Number((perToken * 1_000_000).toPrecision(6));
}

const DEFAULT_WINDOW = 128_000;
/** The user's own servers usually have smaller windows. */
const DEFAULT_LOCAL_WINDOW = 16_000;
/** A server may have to load the model first, which would delay the first reply as well. */
const WINDOW_LIMIT_MS = 60_000;

/** The context window to assume without asking: the known one, or a cautious guess. */
export function guessContextWindow(model: string, baseUrl: string): number {
  return (
    findModelFacts(model, baseUrl)?.contextWindow ??
    (isLocal(normalizeBaseUrl(baseUrl)) ? DEFAULT_LOCAL_WINDOW : DEFAULT_WINDOW)
  );
}

/** A model as its server runs it. */
export interface ServedModel {
  /** The tokens it gets: known, reported by the server, or guessed. */
  readonly contextWindow: number;
  /** Billions of parameters according to the server or the model's name; absent: not known. */
  readonly billions?: number | undefined;
}

/** Asks a server how it runs a model. A failed request is never an error. */
export async function askServedModel(
  model: string,
  listing: ModelListRequest,
  signal: AbortSignal,
  list: typeof listModels = listModels,
): Promise<ServedModel> {
  const baseUrl = normalizeBaseUrl(listing.baseUrl);
  const likely = { contextWindow: guessContextWindow(model, baseUrl), billions: parseBillions(model) };
  if (findModelFacts(model, baseUrl) || isOpenAi(baseUrl)) return likely;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(WINDOW_LIMIT_MS)]);
  const loaded =
    isLocal(baseUrl) && URL.canParse(baseUrl)
      ? await loadOllamaModel(new URL(baseUrl).origin, model, inTime)
      : undefined;
  if (loaded !== undefined) return { ...likely, ...loaded };
  const offered = await list(listing, inTime).catch(() => []);
  signal.throwIfAborted();
  // llama.cpp runs its only model under any name.
  const [only, other] = offered;
  const told = offered.find(({ name }) => name === model) ?? (isLocal(baseUrl) && !other ? only : undefined);
  return {
    contextWindow: told?.contextWindow ?? likely.contextWindow,
    billions: told?.billions ?? likely.billions ?? (told && parseBillions(told.name)),
  };
}

/**
 * Whether a model accepts pictures, according to its name or its server; undefined if neither shows it. A failed request is never an error.
 */
export async function askSight(
  model: string,
  listing: ModelListRequest,
  signal: AbortSignal,
  list: typeof listModels = listModels,
): Promise<boolean | undefined> {
  const byName = canSeePicturesByName(model);
  if (byName !== undefined || isOpenAi(normalizeBaseUrl(listing.baseUrl))) return byName;
  const offered = await list(listing, signal).catch(() => []);
  return offered.find(({ name }) => name === model)?.seesPictures;
}
