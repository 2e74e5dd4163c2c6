import { type LocalModel, lmStudioModels, ollamaModels } from "./local-models.ts";

/** A model server that runs on this machine. */
export interface LocalServer {
  readonly name: "Ollama" | "LM Studio";
  /** Of its OpenAI-compatible API. */
  readonly baseUrl: string;
  readonly models: readonly LocalModel[];
}

export interface Looking {
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
  readonly ollamaPort?: number;
  readonly lmStudioPort?: number;
}

/** Finds the model servers of this machine at their usual ports, in half a second at most. One without a model is no help and left out. */
export async function findLocalServers(looking: Looking = {}): Promise<LocalServer[]> {
  const { limitMs = 500, ollamaPort = 11_434, lmStudioPort = 1_234 } = looking;
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
