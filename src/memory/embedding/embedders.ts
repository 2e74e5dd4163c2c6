import type { Embedder } from "./embedder.ts";
import { encoderEmbedder } from "./encoder-embedder.ts";
import { type ProviderEmbedderOptions, providerEmbedder } from "./provider-embedder.ts";
import { tableEmbedder } from "./table-embedder.ts";

/** The source of vectors that the user has chosen. */
export type EmbeddingSource =
  | { readonly kind: "provider"; readonly options: ProviderEmbedderOptions }
  | { readonly kind: "encoder"; readonly folder: string; readonly worker: string | URL }
  | { readonly kind: "table"; readonly file: string | URL };

export function embedderOf(source: EmbeddingSource): Embedder {
  switch (source.kind) {
    case "provider":
      return providerEmbedder(source.options);
    case "encoder":
      return encoderEmbedder(source);
    case "table":
      return tableEmbedder(source.file);
  }
}
