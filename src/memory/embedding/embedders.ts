import type { Embedder } from "./embedder.ts";
import { createEncoderEmbedder } from "./encoder-embedder.ts";
import { createProviderEmbedder, type ProviderEmbedderOptions } from "./provider-embedder.ts";
import { createTableEmbedder } from "./table-embedder.ts";

/** The source of vectors that the user has chosen. */
export type EmbeddingSource =
  | { readonly kind: "provider"; readonly options: ProviderEmbedderOptions }
  | { readonly kind: "encoder"; readonly folder: string; readonly worker: string | URL }
  | { readonly kind: "table"; readonly file: string | URL };

export function createEmbedder(source: EmbeddingSource): Embedder {
  switch (source.kind) {
    case "provider":
      return createProviderEmbedder(source.options);
    case "encoder":
      return createEncoderEmbedder(source);
    case "table":
      return createTableEmbedder(source.file);
  }
}
