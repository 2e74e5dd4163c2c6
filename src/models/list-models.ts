import { ModelError } from "../core/ports/model.ts";
import { baseUrlProblem, isLocal, plainBaseUrl } from "./base-url.ts";
import { openAiClient } from "./client.ts";
import { modelError } from "./errors.ts";
import { keyProblem } from "./key-problem.ts";
import { lmStudioModels, ollamaModels } from "./local-models.ts";
import type { NextSteps } from "./next-steps.ts";
import { type OfferedModel, offeredModel } from "./offered-model.ts";
import type { Prices } from "./prices.ts";
import { openAiServer } from "./server.ts";
import { watchSilence } from "./silence.ts";

export interface Listing {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly prices: Prices;
  readonly timeoutSeconds: number;
  /** Absent: those of the editor. */
  readonly steps?: NextSteps;
}

/** How long the native API of a local server may take to tell the sizes of its models. */
const NATIVE_LIMIT_MS = 500;

/** The models that a server offers, by name, with context window and price where these are known. Throws `ModelError`. */
export async function listModels(listing: Listing, signal: AbortSignal): Promise<OfferedModel[]> {
  signal.throwIfAborted();
  const baseUrl = plainBaseUrl(listing.baseUrl);
  const apiKey = listing.apiKey.trim();
  const server = openAiServer(
    baseUrl,
    { model: "", apiKey, timeoutSeconds: listing.timeoutSeconds },
    listing.steps,
  );
  const problem =
    baseUrlProblem(baseUrl, server.steps) ??
    keyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", server.steps);
  if (problem !== undefined) throw new ModelError("setup", problem);
  try {
    return await fetchModels({ ...listing, baseUrl, apiKey }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw modelError(error, server, { messages: [] });
  }
}

/** The same without any checks before or sentences after: throws what the client throws. */
export async function fetchModels(
  { baseUrl, apiKey, prices, timeoutSeconds }: Listing,
  signal: AbortSignal,
): Promise<OfferedModel[]> {
  using watch = watchSilence(signal, timeoutSeconds, () => undefined);
  const client = await openAiClient({ baseUrl, apiKey }, "json");
  const [page, windows] = await watch.race(
    Promise.all([client.models.list({ signal: watch.signal }), nativeWindows(baseUrl, watch.signal)]),
  );
  return page.data
    .map((model) => offeredModel(model, prices, baseUrl))
    .filter((model) => model !== undefined)
    .map((model) => ({ ...model, ...windows.get(model.name) }))
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** What Ollama and LM Studio tell of their models' sizes by their own APIs only. */
async function nativeWindows(
  baseUrl: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, { readonly contextWindow: number }>> {
  if (!isLocal(baseUrl)) return new Map();
  const { origin } = new URL(baseUrl);
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(NATIVE_LIMIT_MS)]);
  const models = (await ollamaModels(origin, inTime)) ?? (await lmStudioModels(origin, inTime)) ?? [];
  return new Map(
    models.flatMap(({ name, contextWindow }) => (contextWindow ? [[name, { contextWindow }] as const] : [])),
  );
}
