import type { Json } from "../../core/base/json.ts";
import { amountOf, listOf, objectOf, textOf } from "../http/json.ts";
import { serverFetch } from "../http/server-fetch.ts";
import { billionsIn } from "./model-size.ts";

/** A model server that runs on this machine. */
export interface LocalServer {
  readonly name: "Ollama" | "LM Studio";
  /** Address of its OpenAI-compatible API. */
  readonly baseUrl: string;
  readonly models: readonly LocalModel[];
}

export interface LocalServerSearch {
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
  readonly ollamaPort?: number;
  readonly lmStudioPort?: number;
}

/**
 * Finds the model servers on this machine at their usual ports. Servers without models are left out. Where nothing listens, the
 * connection is refused at once. The limit is for servers that accept it and don't answer; a shorter one fails while an editor starts.
 */
export async function findLocalServers(looking: LocalServerSearch = {}): Promise<LocalServer[]> {
  const { limitMs = 2_000, ollamaPort = 11_434, lmStudioPort = 1_234 } = looking;
  const limit = AbortSignal.timeout(limitMs);
  const signal = looking.signal ? AbortSignal.any([looking.signal, limit]) : limit;
  const look = async (
    name: LocalServer["name"],
    port: number,
    list: typeof ollamaModels,
  ): Promise<LocalServer | undefined> => {
    const origin = `http://127.0.0.1:${port}`;
    const models = await list(origin, signal);
    return models?.length ? { name, baseUrl: `${origin}/v1`, models } : undefined;
  };
  const found = await Promise.all([
    look("Ollama", ollamaPort, ollamaModels),
    look("LM Studio", lmStudioPort, lmStudioModels),
  ]);
  looking.signal?.throwIfAborted();
  return found.filter((server) => server !== undefined);
}

/** A model on a local server. */
export interface LocalModel {
  readonly name: string;
  readonly contextWindow?: number;
  /** The window it was loaded with; absent while it isn't loaded. */
  readonly loadedWindow?: number;
  /** Whether it takes pictures; absent where the server doesn't say. */
  readonly seesPictures?: boolean;
  /** Billions of parameters; absent where the server doesn't say. */
  readonly billions?: number;
}

/** Maximum number of models to inspect. */
const MAX_MODELS = 40;

/** The models of an Ollama server, without embedding models; undefined if none answers at this origin. */
export async function ollamaModels(origin: string, signal: AbortSignal): Promise<LocalModel[] | undefined> {
  const tags = await getJson(`${origin}/api/tags`, signal);
  if (!Array.isArray(objectOf(tags).models)) return undefined;
  const names = listOf(objectOf(tags).models)
    .map((model) => textOf(objectOf(model).name))
    .filter((name) => name !== "")
    .slice(0, MAX_MODELS);
  const loaded = await loadedModels(origin, signal);
  const models = await Promise.all(
    names.map((name) => ollamaModel(origin, name, loaded?.get(name)?.contextWindow, signal)),
  );
  return models.filter((model) => model !== undefined);
}

async function ollamaModel(
  origin: string,
  name: string,
  loadedWindow: number | undefined,
  signal: AbortSignal,
): Promise<LocalModel | undefined> {
  const shown = objectOf(await getJson(`${origin}/api/show`, signal, { model: name }));
  const can = Array.isArray(shown.capabilities) ? shown.capabilities : undefined;
  if (can && !can.includes("completion")) return undefined;
  const info = Object.entries(objectOf(shown.model_info));
  const longest = amountOf(info.find(([key]) => key.endsWith(".context_length"))?.[1]);
  const set = amountOf(/^num_ctx\s+(\d+)/m.exec(textOf(shown.parameters))?.[1]);
  const contextWindow = loadedWindow ?? set ?? longest;
  const count = amountOf(objectOf(shown.model_info)["general.parameter_count"]);
  const billions = count ? count / 1e9 : sizeIn(shown);
  return {
    name,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(loadedWindow === undefined ? {} : { loadedWindow }),
    ...(can ? { seesPictures: can.includes("vision") } : {}),
    ...(billions === undefined ? {} : { billions }),
  };
}

/** The size that Ollama gives in the details of a model. */
function sizeIn({ details }: Json): number | undefined {
  return billionsIn(textOf(objectOf(details).parameter_size));
}

/** A model in memory. */
export type LoadedModel = Pick<LocalModel, "billions"> & Required<Pick<LocalModel, "contextWindow">>;

/** The models that Ollama holds in memory by name; undefined if no Ollama answers. */
async function loadedModels(
  origin: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LoadedModel> | undefined> {
  const { models } = objectOf(await getJson(`${origin}/api/ps`, signal));
  if (!Array.isArray(models)) return undefined;
  return new Map(
    models.map(objectOf).flatMap((model) => {
      const contextWindow = amountOf(model.context_length);
      const billions = sizeIn(model);
      const loaded = contextWindow && { contextWindow, ...(billions === undefined ? {} : { billions }) };
      return loaded ? [[textOf(model.name), loaded] as const] : [];
    }),
  );
}

/**
 * A model with the context window that Ollama really gives it, often far less than its maximum. That is known only after
 * loading, so this loads the model. Undefined if it isn't an Ollama server, or an old one.
 */
export async function ollamaLoaded(
  origin: string,
  model: string,
  signal: AbortSignal,
): Promise<LoadedModel | undefined> {
  const before = await loadedModels(origin, signal);
  if (!before) return undefined;
  const loaded = modelNamed(model, before);
  if (loaded !== undefined) return loaded;
  await getJson(`${origin}/api/generate`, signal, { model, stream: false });
  return modelNamed(model, (await loadedModels(origin, signal)) ?? before);
}

/** A name without a tag means the latest. */
function modelNamed(name: string, models: ReadonlyMap<string, LoadedModel>): LoadedModel | undefined {
  return models.get(name) ?? models.get(`${name}:latest`);
}

/** The models of an LM Studio server, without embedding models; undefined if none answers at this origin. */
export async function lmStudioModels(origin: string, signal: AbortSignal): Promise<LocalModel[] | undefined> {
  const [older, newer] = await Promise.all(
    ["v0", "v1"].map(async (version) => objectOf(await getJson(`${origin}/api/${version}/models`, signal))),
  );
  const native = older?.data;
  const sizes = new Map(
    listOf(newer?.models)
      .map(objectOf)
      .map(({ key, params_string }) => [textOf(key), billionsIn(textOf(params_string))]),
  );
  const list = Array.isArray(native) ? native : objectOf(await getJson(`${origin}/v1/models`, signal)).data;
  if (!Array.isArray(list)) return undefined;
  return list.map(objectOf).flatMap((model) => {
    const name = textOf(model.id);
    if (name === "" || model.type === "embeddings" || /embed/i.test(name)) return [];
    const loadedWindow = amountOf(model.loaded_context_length);
    const contextWindow = loadedWindow ?? amountOf(model.max_context_length);
    const billions = sizes.get(name);
    return [
      {
        name,
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(loadedWindow === undefined ? {} : { loadedWindow }),
        ...(model.type === "vlm" || model.type === "llm" ? { seesPictures: model.type === "vlm" } : {}),
        ...(billions === undefined ? {} : { billions }),
      },
    ];
  });
}

/** A local server's answer as JSON; undefined if there is none in time. */
async function getJson(address: string, signal: AbortSignal, body?: object): Promise<unknown> {
  try {
    const response = await serverFetch(address, {
      signal,
      ...(body
        ? { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
        : {}),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
