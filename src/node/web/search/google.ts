import type { WebSearch } from "../../../core/ports/services.ts";
import type { Reach } from "../reach.ts";
import { jsonAnswer } from "./json-answer.ts";
import { readFound } from "./read-found.ts";

/** What Google is asked with. */
export interface GoogleParts {
  readonly reach: Reach;
  readonly key: string;
  /** How the user changes the key, as part of a sentence. */
  readonly keyStep: string;
  /** The id of a Programmable Search Engine. */
  readonly engine: string;
  readonly address?: string;
}

/** Google's Custom Search. */
export const GOOGLE_ADDRESS = "https://www.googleapis.com/customsearch/v1";
/** It gives no more at once. */
const MOST = 10;

/** Searches with a Programmable Search Engine of Google. */
export function googleSearch({
  reach,
  key,
  keyStep,
  engine,
  address = GOOGLE_ADDRESS,
}: GoogleParts): WebSearch {
  return {
    name: "Google",
    host: new URL(address).hostname,
    async find(query, count, signal) {
      const url = new URL(address);
      url.searchParams.set("cx", engine);
      url.searchParams.set("q", query);
      url.searchParams.set("num", String(Math.min(count, MOST)));
      const answer = await jsonAnswer(url, { "x-goog-api-key": key }, { reach, keyStep }, signal);
      return readFound(hasItems(answer) ? answer.items : []);
    },
  };
}

function hasItems(answer: unknown): answer is { readonly items: unknown } {
  return typeof answer === "object" && answer !== null && "items" in answer;
}
