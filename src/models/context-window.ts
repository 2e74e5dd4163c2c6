import { isLocal, isOpenAi, plainBaseUrl } from "./base-url.ts";
import { type Listing, listModels } from "./list-models.ts";
import { ollamaLoadedWindow } from "./local-models.ts";
import { modelFacts } from "./model-facts.ts";

const DEFAULT_WINDOW = 128_000;
/** Servers of one's own are mostly set up for less. */
const DEFAULT_LOCAL_WINDOW = 16_000;
/** A server may have to load the model first, which the first reply would wait for as well. */
const LIMIT_MS = 60_000;

/** The window to reckon with when nobody can be asked: the known one, else a cautious guess. */
export function likelyContextWindow(model: string, baseUrl: string): number {
  return (
    modelFacts(model)?.contextWindow ??
    (isLocal(plainBaseUrl(baseUrl)) ? DEFAULT_LOCAL_WINDOW : DEFAULT_WINDOW)
  );
}

/** The tokens that a server gives a model: known, or asked for, or else guessed. Trouble in asking is never an error. */
export async function askContextWindow(
  model: string,
  listing: Listing,
  signal: AbortSignal,
): Promise<number> {
  const baseUrl = plainBaseUrl(listing.baseUrl);
  if (modelFacts(model) || isOpenAi(baseUrl)) return likelyContextWindow(model, baseUrl);
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const loaded =
    isLocal(baseUrl) && URL.canParse(baseUrl)
      ? await ollamaLoadedWindow(new URL(baseUrl).origin, model, inTime)
      : undefined;
  if (loaded !== undefined) return loaded;
  const offered = await listModels(listing, inTime).catch(() => []);
  signal.throwIfAborted();
  const told = offered.find(({ name }) => name === model)?.contextWindow;
  return told ?? likelyContextWindow(model, baseUrl);
}
