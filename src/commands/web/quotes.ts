import type { Piece } from "./page-parts.ts";

/** A passage that stands on a page word for word. */
export interface Quote {
  readonly text: string;
  /** Where it begins in the whole page, in characters. */
  readonly at: number;
}

const LONGEST = 400;

/** The quotes that are really there; what a model made up, or put in other words, is left out. */
export function realQuotes(quotes: readonly string[], { at, text }: Piece): readonly Quote[] {
  return quotes.flatMap((quote) => {
    const words = quote.trim().replace(/^["“”']+|["“”']+$/g, "");
    if (words.length < 3 || words.length > LONGEST) return [];
    const found = text.search(loose(words));
    return found === -1 ? [] : [{ text: words.replace(/\s+/g, " "), at: at + found }];
  });
}

/** White space, quotation marks and Markdown's signs may differ from what was written. */
function loose(words: string): RegExp {
  const source = words
    .split(/[\s*_`]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replace(/["'“”‘’]/g, `["'“”‘’]`))
    .join("[\\s*_`\\\\]+");
  return new RegExp(source);
}
