import type { WebSearch } from "../../core/ports/services.ts";
import type { AddressCheck } from "./address-check.ts";
import { readResultList, searchResponse } from "./json-search.ts";

/** Options of Google's search. */
export interface GoogleSearchOptions {
  readonly checkAddress: AddressCheck;
  readonly key: string;
  /** How users can change the key, as part of a sentence. */
  readonly keyStep: string;
  /** The ID of a Programmable Search Engine. */
  readonly engine: string;
  readonly address?: string;
}

/** Google's Custom Search. */
export const GOOGLE_ADDRESS = "https://www.googleapis.com/customsearch/v1";
/** Its maximum per request. */
const MOST = 10;

/** Searches with a Programmable Search Engine of Google. */
export function createGoogleWebSearch({
  checkAddress,
  key,
  keyStep,
  engine,
  address = GOOGLE_ADDRESS,
}: GoogleSearchOptions): WebSearch {
  return {
    name: "Google",
    host: new URL(address).hostname,
    async find(query, count, signal) {
      const url = new URL(address);
      url.searchParams.set("cx", engine);
      url.searchParams.set("q", query);
      url.searchParams.set("num", String(Math.min(count, MOST)));
      const answer = await searchResponse(url, { "x-goog-api-key": key }, { checkAddress, keyStep }, signal);
      return readResultList(hasItems(answer) ? answer.items : []);
    },
  };
}

function hasItems(answer: unknown): answer is { readonly items: unknown } {
  return typeof answer === "object" && answer !== null && "items" in answer;
}
