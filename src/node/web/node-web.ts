import { omitUndefined } from "../../core/base/objects.ts";
import { type ApiRequest, type ApiResponse, type Web, WebError, type WebPage } from "../../core/ports/services.ts";
import type { AddressCheck } from "./address-check.ts";
import type { Browse } from "./browser.ts";
import { createGetter, type Get, type WebResponse } from "./get.ts";
import { type PageReading, readPageInWorker } from "./page-job.ts";
import { checkResponse } from "./response-error.ts";

/** Options for web access. */
export interface NodeWebOptions {
  readonly checkAddress: AddressCheck;
  /** Maximum size of an unpacked page. */
  readonly maxBytes: number;
  /** `page-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  /** Opens pages in a real browser; absent if there is none, or the user doesn't want one. */
  readonly browse?: Browse | undefined;
}

const PAGE_SECONDS = 30;
const DOWNLOAD_SECONDS = 600;
const DOWNLOAD_BYTES = 100_000_000;
const PAGE_TYPES =
  "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.5";

/** Web access with plain Node. */
export function createNodeWeb(parts: NodeWebOptions): Web {
  const get = createGetter(parts.checkAddress);
  return {
    async openPage(url, looking) {
      const { signal, browser, notice } = looking;
      const answer = await fetchUsableAnswer(get, url, {
        most: parts.maxBytes,
        seconds: PAGE_SECONDS,
        signal,
      });
      const plain = await read(answer, parts, signal);
      if (!plain.isEmptyWithoutScripts) return createPage(answer, plain, listCutNotes(answer, parts));
      if (!browser || !parts.browse) return createPage(answer, plain, [NEEDS_SCRIPTS]);
      notice?.(`${answer.url.host} is empty without its scripts, so it is opened in a browser.`);
      const html = await parts.browse(answer.url, parts.maxBytes, signal);
      const drawn = { ...answer, body: html, headers: { "content-type": "text/html; charset=utf-8" } };
      return createPage(answer, await read(drawn, parts, signal), [
        "The page was opened in a browser.",
        ...listCutNotes(drawn, parts),
      ]);
    },
    async download(url, { signal, reportProgress }) {
      const answer = await fetchUsableAnswer(get, url, {
        most: DOWNLOAD_BYTES,
        seconds: DOWNLOAD_SECONDS,
        signal,
        accept: "*/*",
        ...omitUndefined({ reportArrival: reportProgress }),
      });
      if (answer.body.isCut)
        throw new WebError(
          `The file is larger than ${DOWNLOAD_BYTES / 1_000_000} MB, so nothing was kept of it. Ask the user to download it.`,
        );
      return { url: answer.url.href, bytes: answer.body.bytes, type: answer.headers["content-type"] ?? "" };
    },
    send: (url, request) => sendRequest(get, url, request, parts.maxBytes),
  };
}

const API_SECONDS = 60;

/** Sends a single request and returns any answer from the server. */
export async function sendRequest(
  get: Get,
  url: URL,
  { method, headers, body, signal }: ApiRequest,
  most: number,
): Promise<ApiResponse> {
  const sent = { method, headers, signal, most, seconds: API_SECONDS, ...omitUndefined({ body }) };
  const answer = await get(url, { accept: "application/json, */*;q=0.8", ...sent });
  const named = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  const { bytes, isCut } = answer.body;
  return {
    url: answer.url.href,
    status: answer.status,
    headers: Object.fromEntries(named),
    bytes,
    isCut,
  };
}

const NEEDS_SCRIPTS =
  "The page is (nearly) empty without its scripts, and no browser was there to run them. Look for its data elsewhere.";

/** Fetches an answer and checks that it's usable. */
async function fetchUsableAnswer(
  get: Get,
  url: URL,
  getting: Omit<Parameters<Get>[1], "accept"> & { readonly accept?: string },
): Promise<WebResponse> {
  const answer = await get(url, { accept: PAGE_TYPES, ...getting });
  const trouble = checkResponse(answer);
  if (trouble) throw trouble;
  return answer;
}

/** Types that aren't text, regardless of their bytes. */
const NO_TEXT =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-tar|x-7z|octet-stream|wasm|msword|vnd\.(?!.*\+(?:json|xml))))/i;

async function read(
  { url, headers, body }: Pick<WebResponse, "url" | "headers" | "body">,
  { worker }: NodeWebOptions,
  signal: AbortSignal,
): Promise<Extract<PageReading, { kind: "page" }>> {
  const type = headers["content-type"] ?? "";
  const reading = NO_TEXT.test(type)
    ? ({ kind: "binary" } as const)
    : await readPageInWorker(worker, { bytes: body.bytes, type, url: url.href }, signal);
  if (reading.kind === "page") return reading;
  const what = type === "" ? "no text" : `${type.split(";")[0]}, which is no text`;
  throw new WebError(
    `${url.href} is ${what}. If the file itself is wanted, get it with download_file; read_file reads PDF and Word files.`,
  );
}

function listCutNotes({ body }: Pick<WebResponse, "body">, { maxBytes }: NodeWebOptions): readonly string[] {
  return body.isCut
    ? [`The page is larger than ${maxBytes} bytes (autogpt.web.maxBytes), so only its beginning was read.`]
    : [];
}

function createPage(
  { url }: WebResponse,
  { title, text, links }: Extract<PageReading, { kind: "page" }>,
  notes: readonly string[],
): WebPage {
  return { url: url.href, title, text, links, notes };
}
