import { complaintResponse, errorResponse, WEB_PAGE } from "./error-response.ts";

/**
 * The host's own `fetch`, looked up at each call because an editor may replace it (proxies, certificates), with what
 * OpenAI-compatible servers really answer made into what the official client reads. It never follows a redirect,
 * so that a key goes to no other origin, and tells nothing about this machine.
 */
export async function serverFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const name of [...headers.keys()]) if (name.startsWith("x-stainless-")) headers.delete(name);
  const response = await globalThis.fetch(input, { ...init, headers, redirect: "manual" });
  return response.ok ? response : errorResponse(response);
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
    ? complaintResponse(404, { message: "", code: WEB_PAGE, type: "", param: "" }, response.headers)
    : new Response(body, response);
}

/**
 * A good answer as the stream of events that was asked for. Some servers give the whole reply as one JSON object
 * (it becomes a single event), some give events under another content type, and a wrong base URL gives a web page.
 */
async function eventStream(response: Response): Promise<Response> {
  const { body } = response;
  if (!body || response.headers.get("content-type")?.includes("text/event-stream")) return response;
  const reader = body.getReader();
  const start = await firstBytes(reader);
  const sign = new TextDecoder().decode(start).trimStart()[0];
  const rest = prepended(start, reader);
  if (sign === "<") {
    await rest.cancel();
    return complaintResponse(404, { message: "", code: WEB_PAGE, type: "", param: "" }, response.headers);
  }
  if (sign !== "{" && sign !== "[") return new Response(rest, EVENTS);
  const whole: unknown = JSON.parse(await new Response(rest).text());
  return new Response(`data: ${JSON.stringify(whole)}\n\n`, EVENTS);
}

const EVENTS: ResponseInit = { headers: { "content-type": "text/event-stream" } };

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** What comes up to the first byte that is not white space. */
async function firstBytes(reader: Reader): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (!done) pieces.push(value);
    if (done || value.some((byte) => byte > 0x20))
      return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }
}

function prepended(start: Uint8Array<ArrayBuffer>, reader: Reader): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      if (start.length > 0) controller.enqueue(start);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
