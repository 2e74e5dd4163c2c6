import type { WebSearch } from "../../core/ports/services.ts";
import { type AddressCheck, createAddressCheck, getBareHost } from "./address-check.ts";
import { readResultList, searchResponse } from "./json-search.ts";

/** Options of a search service of the user's choice. */
export interface CustomSearchOptions {
  /** The address with `{query}` and, if the service supports it, `{count}`. */
  readonly template: string;
  /** Headers, with `{key}` in place of the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** "" if it needs none. */
  readonly key: string;
  /** How users can change the key, as part of a sentence. */
  readonly keyStep: string;
  /** Checks the service's host, which may be on this machine because the user has named it. */
  readonly checkAddress?: AddressCheck;
}

/** Searches with any service that returns JSON. */
export function createCustomWebSearch({
  template,
  headers,
  key,
  keyStep,
  checkAddress,
}: CustomSearchOptions): WebSearch {
  const host = getBareHost(new URL(fillTemplate(template, "", 1)));
  const check = checkAddress ?? createAddressCheck(() => [host]);
  return {
    name: host,
    host,
    async find(query, count, signal) {
      const sent = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.replaceAll("{key}", () => key)]),
      );
      return readResultList(
        await searchResponse(
          new URL(fillTemplate(template, query, count)),
          sent,
          { checkAddress: check, keyStep },
          signal,
        ),
      );
    },
  };
}

/** Why a template can't be used, as a sentence; undefined when it can. */
export function checkSearchTemplate(template: string): string | undefined {
  const url = URL.parse(fillTemplate(template, "x", 1));
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return isWeb && template.includes("{query}")
    ? undefined
    : "The address of the search service must be a web address with {query} in it, like https://search.example.com/search?q={query}&format=json (autogpt.web.searchUrl).";
}

function fillTemplate(template: string, query: string, count: number): string {
  return template.replaceAll("{query}", () => encodeURIComponent(query)).replaceAll("{count}", () => String(count));
}
