/** What the encoder's worker is started with. */
export interface EncoderStart {
  /** Where `node_modules` with the encoder's packages is. */
  readonly folder: string;
}

/** To the worker: embed these texts. */
export interface EncoderQuestion {
  readonly number: number;
  readonly texts: readonly string[];
}

/** From the worker: one vector a text, or what went wrong. */
export type EncoderAnswer =
  | { readonly number: number; readonly vectors: readonly Float32Array[] }
  | { readonly number: number; readonly error: string };
