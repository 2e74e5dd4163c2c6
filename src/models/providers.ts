import type { Model } from "../core/ports/model.ts";
import { likelyContextWindow } from "./catalog/list-models.ts";
import { type Prices, priceOf, withPrices } from "./catalog/prices.ts";
import type { Lessons } from "./chat/lessons.ts";
import { type NextSteps, plainBaseUrl } from "./http/endpoint.ts";
import { azureModel } from "./providers/azure.ts";
import { openAiModel } from "./providers/openai.ts";
import { withRetries } from "./retries.ts";

/** What a model is made of, as the user has set it. */
export interface ModelSettings {
  readonly provider: "openai" | "azure";
  /** Address of an OpenAI-compatible API; not used for Azure. */
  readonly baseUrl: string;
  /** May be empty for a server of this machine or of a private network. */
  readonly apiKey: string;
  readonly model: string;
  /** Tokens that prompt and reply may hold together; absent or 0: the known size, else a cautious guess. */
  readonly contextWindow?: number;
  /** How long to wait for the first word, and for each next one. 0: without end. */
  readonly timeoutSeconds: number;
  /** The user's own prices; they come before the known ones. */
  readonly prices: Prices;
  readonly azure?: { readonly endpoint: string; readonly apiVersion: string; readonly deployment: string };
  /** For requests that ask for none of their own. */
  readonly temperature?: number;
  /** Absent: those of the editor. */
  readonly steps?: NextSteps;
  /** Shared with other models of the process: how their servers take requests. */
  readonly lessons?: Lessons;
}

/** A model ready for use, with retries and prices. It never fails here: what is wrong with the settings is told by the first completion. */
export function createModel(settings: ModelSettings): Model {
  const { provider, model, prices, azure } = settings;
  const address = provider === "azure" ? (azure?.endpoint ?? "") : plainBaseUrl(settings.baseUrl);
  const contextWindow = settings.contextWindow || likelyContextWindow(model, address);
  const plain =
    provider === "azure"
      ? azureModel({
          endpoint: "",
          apiVersion: "",
          deployment: "",
          ...azure,
          ...commonOf(settings),
          contextWindow,
        })
      : openAiModel({ baseUrl: address, ...commonOf(settings), contextWindow });
  return withRetries(withPrices(plain, (names) => priceOf(names, prices, address)));
}

function commonOf({
  apiKey,
  model,
  timeoutSeconds,
  temperature,
  steps,
  lessons,
}: ModelSettings): Pick<
  ModelSettings,
  "apiKey" | "model" | "timeoutSeconds" | "temperature" | "steps" | "lessons"
> {
  return {
    ...{ apiKey, model, timeoutSeconds },
    ...(lessons ? { lessons } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(steps ? { steps } : {}),
  };
}
