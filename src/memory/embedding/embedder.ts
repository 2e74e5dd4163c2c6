import { DisplayError, type Sentence } from "../../texts/display-text.ts";

/** Turns texts into vectors; texts with a similar meaning get similar vectors. */
export interface Embedder {
  /** Service, model and version: embedders with the same id give the same vectors for the same text. */
  readonly id: string;
  /** Size of the embedder's vectors; absent: the size of the first one. */
  readonly dimensions?: number;
  /** The number of texts for one call. */
  readonly batch: number;
  /** Returns one vector per text, in order. Throws `EmbeddingError`; an abort throws the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** The vector of a query, if it differs from the one of the same words in a memory. */
  embedQuery?(query: string, signal: AbortSignal): Promise<Float32Array>;
  /** How near the words of each text are to those of a query: a cosine, less the part that long texts have by chance. */
  measureNearness?(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  close?(): Promise<void>;
}

/** The vector that finds the memories for a query; undefined if the embedder returns none. */
export async function computeQueryVector(
  embedder: Embedder,
  query: string,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  if (embedder.embedQuery) return embedder.embedQuery(query, signal);
  const [vector] = await embedder.embed([query], signal);
  return vector;
}

/** Texts couldn't be embedded; with a text for people. */
export class EmbeddingError extends DisplayError {
  override readonly name = "EmbeddingError";
  /** The cause: this text, the service at the moment, or a setup that doesn't recover by itself. */
  readonly about: "text" | "service" | "setup";

  constructor(about: EmbeddingError["about"], text: Sentence, options?: ErrorOptions) {
    super(text, options);
    this.about = about;
  }
}
