import type { Embedder } from "./embedder.ts";
import { hashedEmbedder } from "./hashed-embedder.ts";
import type { MemoryOptions, MemoryStore } from "./memory-store.ts";
import { offlineEmbedder } from "./offline-embedder.ts";
import { openMemory } from "./open-memory.ts";
import { type ProviderOptions, providerEmbedder } from "./provider-embedder.ts";

/** Where vectors come from, as the user has set it. */
export type Embedding =
  | { readonly kind: "provider"; readonly options: ProviderOptions }
  | { readonly kind: "offline"; readonly folder: string; readonly worker: string | URL }
  | { readonly kind: "hashed" };

/** Opens the memory of a workspace with the vectors that were chosen. Throws `MemoryError`. */
export function openWorkspaceMemory(
  embedding: Embedding,
  options: Omit<MemoryOptions, "embedder">,
): Promise<MemoryStore> {
  return openMemory({ ...options, embedder: embedderOf(embedding) });
}

function embedderOf(embedding: Embedding): Embedder {
  switch (embedding.kind) {
    case "provider":
      return providerEmbedder(embedding.options);
    case "offline":
      return offlineEmbedder(embedding);
    case "hashed":
      return hashedEmbedder();
  }
}
