import { WebError, type WebSearch } from "../../core/ports/services.ts";
import type { AddressCheck } from "./address-check.ts";
import { createGetter, type Get } from "./get.ts";
import { readPageInWorker } from "./page-job.ts";
import { checkResponse } from "./response-error.ts";

/** Options of DuckDuckGo. */
export interface DuckDuckGoOptions {
  readonly checkAddress: AddressCheck;
  /** `page-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  /** Its page for browsers without scripts. */
  readonly address?: string;
}

const ADDRESS = "https://html.duckduckgo.com/html/";
const SECONDS = 20;
const MOST_BYTES = 1_000_000;

/** Searches with DuckDuckGo, which needs no key. */
export function createDuckDuckGoSearch({ checkAddress, worker, address = ADDRESS }: DuckDuckGoOptions): WebSearch {
  const get = createGetter(checkAddress);
  return {
    name: "DuckDuckGo",
    host: new URL(address).hostname,
    async find(query, _count, signal) {
      const url = new URL(address);
      url.searchParams.set("q", query);
      const { bytes, type } = await fetchAnswer(get, url, signal);
      const reading = await readPageInWorker(worker, { bytes, type, url: url.href, results: true }, signal);
      return reading.kind === "results" ? reading.found : [];
    },
  };
}

async function fetchAnswer(
  get: Get,
  url: URL,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  const answer = await get(url, { most: MOST_BYTES, seconds: SECONDS, accept: "text/html", signal });
  const { bytes } = answer.body;
  // It answers 202 with a captcha instead of 429.
  if (answer.status === 202 || bytes.includes("anomaly-modal")) throw new WebError(CAPTCHA);
  const trouble = checkResponse(answer);
  if (trouble) throw trouble;
  return { bytes, type: answer.headers["content-type"] ?? "text/html" };
}

const CAPTCHA =
  "DuckDuckGo asks for a captcha, because many searches came from here. Wait some minutes, open a page that you know, or ask the user to set another engine (autogpt.web.searchProvider).";
