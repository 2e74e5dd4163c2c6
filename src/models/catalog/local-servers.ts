import type { Json } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { toAmount, toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";
import { fetchFromServer } from "../http/server-fetch.ts";
import { parseBillions } from "./model-size.ts";

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
 * Finds the model servers on this machine at their usual ports. Servers without models are left out. Closed ports refuse the connection at
 * once. The time limit is for servers that accept it but don't answer; a shorter limit fails while an editor starts.
 */
export async function findLocalServers(looking: LocalServerSearch = {}): Promise<LocalServer[]> {
  const { limitMs = 2_000, ollamaPort = 11_434, lmStudioPort = 1_234 } = looking;
  const limit = AbortSignal.timeout(limitMs);
  const signal = looking.signal ? AbortSignal.any([looking.signal, limit]) : limit;
  const look = async (
    name: LocalServer["name"],
    port: number,
    list: typeof fetchOllamaModels,
  ): Promise<LocalServer | undefined> => {
    const origin = `http://127.0.0.1:${port}`;
    const models = await list(origin, signal);
    return models?.length ? { name, baseUrl: `${origin}/v1`, models } : undefined;
  };
  const found = await Promise.all([
    look("Ollama", ollamaPort, fetchOllamaModels),
    look("LM Studio", lmStudioPort, fetchLmStudioModels),
  ]);
  looking.signal?.throwIfAborted();
  return found.filter((server) => server !== undefined);
}

/** A model on a local server. */
export interface LocalModel {
  readonly name: string;
  readonly contextWindow?: number;
  /** The context window with which it was loaded; absent while it isn't loaded. */
  readonly loadedWindow?: number;
  /** Whether it accepts pictures; absent if the server doesn't report it. */
  readonly seesPictures?: boolean;
  /** Billions of parameters; absent if the server doesn't report them. */
  readonly billions?: number;
}

/** Maximum number of models to inspect. */
const MAX_MODELS = 40;

/** The models of an Ollama server, without embedding models; undefined if no Ollama answers at this origin. */
export async function fetchOllamaModels(origin: string, signal: AbortSignal): Promise<LocalModel[] | undefined> {
  const tags = await getJson(`${origin}/api/tags`, signal);
  if (!Array.isArray(toObjectOrEmpty(tags).models)) return undefined;
  const names = toListOrEmpty(toObjectOrEmpty(tags).models)
    .map((model) => toTextOrEmpty(toObjectOrEmpty(model).name))
    .filter((name) => name !== "")
    .slice(0, MAX_MODELS);
  const loaded = await fetchLoadedModels(origin, signal);
  const models = await Promise.all(
    names.map((name) => fetchOllamaModel(origin, name, loaded?.get(name)?.contextWindow, signal)),
  );
  return models.filter((model) => model !== undefined);
}

async function fetchOllamaModel(
  origin: string,
  name: string,
  loadedWindow: number | undefined,
  signal: AbortSignal,
): Promise<LocalModel | undefined> {
  const shown = toObjectOrEmpty(await getJson(`${origin}/api/show`, signal, { model: name }));
  const can = Array.isArray(shown.capabilities) ? shown.capabilities : undefined;
  if (can && !can.includes("completion")) return undefined;
  const info = Object.entries(toObjectOrEmpty(shown.model_info));
  const longest = toAmount(info.find(([key]) => key.endsWith(".context_length"))?.[1]);
  const set = toAmount(/^num_ctx\s+(\d+)/m.exec(toTextOrEmpty(shown.parameters))?.[1]);
  const contextWindow = loadedWindow ?? set ?? longest;
  const count = toAmount(toObjectOrEmpty(shown.model_info)["general.parameter_count"]);
  const billions = count ? count / 1e9 : findModelSize(shown);
  return {
    name,
    ...omitUndefined({ contextWindow, loadedWindow }),
    ...(can ? { seesPictures: can.includes("vision") } : {}),
    ...omitUndefined({ billions }),
  };
}

/** The size in Ollama's details of a model. */
function findModelSize({ details }: Json): number | undefined {
  return parseBillions(toTextOrEmpty(toObjectOrEmpty(details).parameter_size));
}

/** A model in memory. */
export type LoadedModel = Pick<LocalModel, "billions"> & Required<Pick<LocalModel, "contextWindow">>;

/** The models in Ollama's memory, by name; undefined if no Ollama answers. */
async function fetchLoadedModels(
  origin: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LoadedModel> | undefined> {
  const { models } = toObjectOrEmpty(await getJson(`${origin}/api/ps`, signal));
  if (!Array.isArray(models)) return undefined;
  return new Map(
    models.map(toObjectOrEmpty).flatMap((model) => {
      const contextWindow = toAmount(model.context_length);
      const billions = findModelSize(model);
      const loaded = contextWindow && { contextWindow, ...omitUndefined({ billions }) };
      return loaded ? [[toTextOrEmpty(model.name), loaded] as const] : [];
    }),
  );
}

/**
 * Loads a model to find the context window that Ollama really gives it, often far less than its maximum and known only after loading.
 * Undefined if the server isn't Ollama, or is an old version.
 */
export async function loadOllamaModel(
  origin: string,
  model: string,
  signal: AbortSignal,
): Promise<LoadedModel | undefined> {
  const before = await fetchLoadedModels(origin, signal);
  if (!before) return undefined;
  const loaded = findModelNamed(model, before);
  if (loaded !== undefined) return loaded;
  await getJson(`${origin}/api/generate`, signal, { model, stream: false });
  return findModelNamed(model, (await fetchLoadedModels(origin, signal)) ?? before);
}

/** A name without a tag means the latest. */
function findModelNamed(name: string, models: ReadonlyMap<string, LoadedModel>): LoadedModel | undefined {
  return models.get(name) ?? models.get(`${name}:latest`);
}

/** The models of an LM Studio server, without embedding models; undefined if no LM Studio answers at this origin. */
export async function fetchLmStudioModels(origin: string, signal: AbortSignal): Promise<LocalModel[] | undefined> {
  const [older, newer] = await Promise.all(
    ["v0", "v1"].map(async (version) => toObjectOrEmpty(await getJson(`${origin}/api/${version}/models`, signal))),
  );
  const native = older?.data;
  const sizes = new Map(
    toListOrEmpty(newer?.models)
      .map(toObjectOrEmpty)
      .map(({ key, params_string }) => [toTextOrEmpty(key), parseBillions(toTextOrEmpty(params_string))]),
  );
  const list = Array.isArray(native) ? native : toObjectOrEmpty(await getJson(`${origin}/v1/models`, signal)).data;
  if (!Array.isArray(list)) return undefined;
  return list.map(toObjectOrEmpty).flatMap((model) => {
    const name = toTextOrEmpty(model.id);
    if (name === "" || model.type === "embeddings" || /embed/i.test(name)) return [];
    const loadedWindow = toAmount(model.loaded_context_length);
    const contextWindow = loadedWindow ?? toAmount(model.max_context_length);
    const billions = sizes.get(name);
    return [
      {
        name,
        ...omitUndefined({ contextWindow, loadedWindow }),
        ...(model.type === "vlm" || model.type === "llm" ? { seesPictures: model.type === "vlm" } : {}),
        ...omitUndefined({ billions }),
      },
    ];
  });
}

/** A local server's answer as JSON; undefined if none comes in time. */
async function getJson(address: string, signal: AbortSignal, body?: object): Promise<unknown> {
  try {
    const response = await fetchFromServer(address, {
      signal,
      ...(body ? { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
