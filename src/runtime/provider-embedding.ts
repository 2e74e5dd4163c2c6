import type { EmbeddingSource } from "../memory/embedding/embedders.ts";
import { priceOf } from "../models/catalog/prices.ts";
import { embeddingsOf } from "../models/http/client.ts";
import type { ModelResolver } from "../models/model-resolver.ts";
import { modelReference, settingsOf } from "../models/named-providers.ts";
import { PROVIDERS } from "../models/providers.ts";
import type { Settings } from "../schema/settings.ts";
import { keyOrigin } from "../services/key-ring.ts";

/** Tokens of one call for vectors, and their price where it is known. */
export interface EmbeddingCost {
  readonly model: string;
  readonly tokens: number;
  readonly costUsd?: number;
}

/** The value of `model.embedding` that means the encoder on this machine. */
export const OFFLINE = "offline";

/** The provider's vectors, as `model.embedding` names them; undefined where there is no such provider. */
export async function providerEmbedding(
  resolver: ModelResolver,
  settings: Settings,
  used: (cost: EmbeddingCost) => void,
): Promise<EmbeddingSource | undefined> {
  const { model, provider } = modelReference(settings.model.embedding, settings);
  const own = provider ? settingsOf(provider, settings, "") : settings;
  const origin = await resolver.origin(own);
  const connection = origin && PROVIDERS[origin.provider].embeddings(model, own, origin);
  if (!connection) return undefined;
  const { address } = origin;
  const price = priceOf([model], own.model.prices, address);
  return {
    kind: "provider",
    options: {
      id: `${keyOrigin(address)} ${model}`,
      model,
      request: embeddingsOf(connection),
      used: ({ tokens }) =>
        used({ model, tokens, ...(price ? { costUsd: (tokens * price.input) / 1_000_000 } : {}) }),
    },
  };
}
