import path from "node:path";
import type { Embedder } from "../../src/memory/embedding/embedder.ts";
import { createEncoderEmbedder } from "../../src/memory/embedding/encoder-embedder.ts";
import { installEncoder } from "../../src/memory/embedding/encoder-installation.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** Where the real encoder is kept. */
export const ENCODER_FOLDER = path.join(ROOT, ".cache/encoder");

/** The encoder in a folder, which runs from its source. */
export function encoderIn(folder: string): Embedder {
  return createEncoderEmbedder({ folder, worker: path.join(ROOT, "src/memory/embedding/encoder-worker.ts") });
}

/** The real encoder. The first time it is downloaded (42 MB). */
export async function realEncoder(): Promise<Embedder> {
  const { signal } = new AbortController();
  await installEncoder({ folder: ENCODER_FOLDER, consent: async () => true, signal });
  return encoderIn(ENCODER_FOLDER);
}
