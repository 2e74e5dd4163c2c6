import { complaintAnswer, errorAnswer, WEB_PAGE } from "./error-answer.ts";
import { eventStream } from "./event-stream.ts";

/**
 * The host's own `fetch`, looked up at each call because an editor may replace it (proxies, certificates), with what
 * OpenAI-compatible servers really answer made into what the official client reads. It never follows a redirect,
 * so that a key goes to no other origin, and tells nothing about this machine.
 */
export async function serverFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const name of [...headers.keys()]) if (name.startsWith("x-stainless-")) headers.delete(name);
  const response = await globalThis.fetch(input, { ...init, headers, redirect: "manual" });
  return response.ok ? response : errorAnswer(response);
}

/** `serverFetch` whose answer is read as a stream of events, unless the request says that it wants none. */
export async function streamingFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await serverFetch(input, init);
  const wantsWhole = typeof init?.body === "string" && init.body.includes('"stream":false');
  return response.ok && !wantsWhole ? eventStream(response) : response;
}

/** `serverFetch` for requests that are answered in JSON: a web page, which a wrong address gives, is an error. */
export async function jsonFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await serverFetch(input, init);
  if (!response.ok || response.body === null) return response;
  const body = await response.text();
  return /^\s*</.test(body)
    ? complaintAnswer(404, { message: "", code: WEB_PAGE, type: "", param: "" }, response.headers)
    : new Response(body, response);
}
