/** To the worker: count the tokens of these texts. */
export interface TokenQuestion {
  readonly number: number;
  readonly texts: readonly string[];
}

/** From the worker: one count a text. */
export interface TokenAnswer {
  readonly number: number;
  readonly counts: readonly number[];
}
