import type { Embedder } from "./embedding/embedder.ts";
import { hashedEmbedder } from "./embedding/hashed-embedder.ts";
import { offlineEmbedder } from "./embedding/offline-embedder.ts";
import { type ProviderEmbedderOptions, providerEmbedder } from "./embedding/provider-embedder.ts";
import { openMemory } from "./store/local-store.ts";
import type { MemoryOptions, MemoryStore } from "./store/memory-store.ts";

/** Where vectors come from, as the user has set it. */
export type EmbeddingSource =
  | { readonly kind: "provider"; readonly options: ProviderEmbedderOptions }
  | { readonly kind: "offline"; readonly folder: string; readonly worker: string | URL }
  | { readonly kind: "hashed" };

/** Opens the memory of a workspace with the vectors that were chosen. Throws `MemoryError`. */
export function openWorkspaceMemory(
  embedding: EmbeddingSource,
  options: Omit<MemoryOptions, "embedder">,
): Promise<MemoryStore> {
  return openMemory({ ...options, embedder: embedderOf(embedding) });
}

function embedderOf(embedding: EmbeddingSource): Embedder {
  switch (embedding.kind) {
    case "provider":
      return providerEmbedder(embedding.options);
    case "offline":
      return offlineEmbedder(embedding);
    case "hashed":
      return hashedEmbedder();
  }
}
