/** Turns texts into vectors whose closeness is closeness in meaning. */
export interface Embedder {
  /** Service, model and version: embedders with the same id give the same vectors for the same text. */
  readonly id: string;
  /** How many texts to hand over at once. */
  readonly batch: number;
  /** One vector a text, in order. Throws `EmbeddingError`; an abort throws the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

/** Texts that could not be embedded; `message` is a sentence for people. */
export class EmbeddingError extends Error {
  override readonly name = "EmbeddingError";
  /** What to blame: this very text, the service just now, or a set-up that will not mend by itself. */
  readonly about: "text" | "service" | "setup";

  constructor(about: EmbeddingError["about"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.about = about;
  }
}
