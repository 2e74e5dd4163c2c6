import type { Embedder } from "./embedder.ts";
import { encoderEmbedder } from "./encoder-embedder.ts";
import { hashedEmbedder } from "./hashed-embedder.ts";
import { type ProviderEmbedderOptions, providerEmbedder } from "./provider-embedder.ts";

/** The source of vectors that the user has chosen. */
export type EmbeddingSource =
  | { readonly kind: "provider"; readonly options: ProviderEmbedderOptions }
  | { readonly kind: "encoder"; readonly folder: string; readonly worker: string | URL }
  | { readonly kind: "hashed" };

export function embedderOf(source: EmbeddingSource): Embedder {
  switch (source.kind) {
    case "provider":
      return providerEmbedder(source.options);
    case "encoder":
      return encoderEmbedder(source);
    case "hashed":
      return hashedEmbedder();
  }
}
