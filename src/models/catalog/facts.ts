/** A price in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of input that the provider has cached; absent: the same as other input. */
  readonly cached?: number;
  /** Price of input that the provider puts into its cache; absent: the same as other input. */
  readonly written?: number;
  /** The same for an hour; absent: the same as for minutes. */
  readonly writtenForHour?: number;
  /** Prompts with more tokens cost so many times as much, and their replies, too. */
  readonly dearer?: { readonly above: number; readonly input: number; readonly output: number };
}

/** Public facts about a model; prices are those of short prompts. */
export interface ModelFacts extends Price {
  /** Maximum tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Efforts that it takes, from the least to the most, with spaces between them; absent: not known, or it doesn't reason. */
  readonly efforts?: string;
  /** Least tokens of a prompt's beginning that its service caches; absent: not known. */
  readonly cacheFrom?: number;
  /** Domain that the facts hold at, as others serve the same weights in their own way; absent: everywhere. */
  readonly at?: string;
}
