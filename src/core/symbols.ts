import type { Match, Place } from "./ports.ts";

/** Something that has a name in code, and where it is defined. */
export interface CodeSymbol {
  readonly name: string;
  /** What it is, for people: "function", "class". */
  readonly kind: string;
  /** The path for people and the model, as in `Place`. */
  readonly label: string;
  /** From 1. */
  readonly line: number;
  /** What it is a part of; "" when that is nothing. */
  readonly within: string;
}

/** What the editor's language services know of names in code. */
export interface Symbols {
  /** The definitions of a name, those that only begin like it or hold it after the exact ones. */
  find(name: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Where what stands at a place in a file is used, its definition included. Lines and columns count from 1. */
  references(
    place: Place,
    at: { readonly line: number; readonly column: number },
    signal: AbortSignal,
  ): Promise<readonly Match[]>;
}
