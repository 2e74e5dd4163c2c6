import type { EmbeddingSource } from "../../memory/embedding/embedders.ts";
import { priceOf } from "../../models/catalog/prices.ts";
import { embeddingsOf } from "../../models/http/client.ts";
import type { Settings } from "../../schema/settings.ts";
import { keyOrigin } from "../../services/key-ring.ts";
import type { ModelResolver } from "./model-resolver.ts";

/** Tokens of one call for vectors, and their price where it is known. */
export interface EmbeddingCost {
  readonly model: string;
  readonly tokens: number;
  readonly costUsd?: number;
}

/** The value of `model.embedding` that means the encoder on this machine. */
export const OFFLINE = "offline";

/** The provider's vectors, as `model.embedding` names them; hashed n-grams where there is no such provider. */
export async function providerEmbedding(
  desk: ModelResolver,
  settings: Settings,
  used: (cost: EmbeddingCost) => void,
): Promise<EmbeddingSource> {
  const model = settings.model.embedding;
  const origin = await desk.origin(settings);
  if (!origin || origin.kind === "vscode") return { kind: "hashed" };
  const baseUrl = baseUrlOf(origin);
  const price = priceOf([model], settings.model.prices, baseUrl);
  return {
    kind: "provider",
    options: {
      id: `${keyOrigin(baseUrl)} ${model}`,
      model,
      request: embeddingsOf(
        origin.kind === "azure"
          ? {
              endpoint: origin.endpoint,
              apiKey: origin.key,
              apiVersion: settings.azure.apiVersion,
              deployment: model,
            }
          : { baseUrl, apiKey: origin.kind === "openai" ? origin.key : "" },
      ),
      used: ({ tokens }) =>
        used({ model, tokens, ...(price ? { costUsd: (tokens * price.input) / 1_000_000 } : {}) }),
    },
  };
}

function baseUrlOf(origin: Exclude<Awaited<ReturnType<ModelResolver["origin"]>>, undefined>): string {
  switch (origin.kind) {
    case "openai":
      return origin.baseUrl;
    case "azure":
      return origin.endpoint;
    case "local":
      return origin.server.baseUrl;
    case "vscode":
      return "";
  }
}
