/** A price in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of cached input; absent: the same as other input. */
  readonly cached?: number;
  /** Price of input that is written to the cache; absent: the same as other input. */
  readonly written?: number;
  /** Price of writing input to the cache for an hour; absent: as for minutes. */
  readonly writtenForHour?: number;
  /** Factors for the cost of input and output if a prompt has more than `above` tokens. */
  readonly dearer?: { readonly above: number; readonly input: number; readonly output: number };
}

/** Public facts about a model; prices are those of short prompts. */
export interface ModelFacts extends Price {
  /** Maximum tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Supported efforts from the lowest to the highest, separated by spaces; absent: not known, or the model doesn't reason. */
  readonly efforts?: string;
  /** Minimum tokens at a prompt's beginning for the service to cache them; absent: not known. */
  readonly cacheFrom?: number;
  /** The domain to which the facts apply, as other services run the same weights differently; absent: everywhere. */
  readonly at?: string;
}
