import { tryJson } from "../../core/base/json.ts";
import { createComplaintResponse, normalizeErrorResponse, WEB_PAGE } from "./error-response.ts";
import { toObjectOrEmpty, toTextOrEmpty } from "./json.ts";

/** A request that is notified of each byte of its response. */
export interface WatchedInit extends RequestInit {
  reportBytes?(): void;
}

/** The only headers that are sent. The clients would add values from environment variables for any server. */
const SENT =
  /^(accept|content-type|user-agent|authorization|api-key|x-api-key|anthropic-version|openai-(organization|project))$/;

/**
 * Calls the host's `fetch`, and converts the answers of OpenAI-compatible servers for the official client. `fetch` is looked up at each
 * call, because an editor may replace it (proxies, certificates). Redirects aren't followed, so a key reaches no other origin, and nothing
 * about this machine is revealed.
 */
export async function fetchFromServer(
  input: string | URL | Request,
  { reportBytes, ...init }: WatchedInit = {},
): Promise<Response> {
  const headers = [...new Headers(init.headers)].filter(([name]) => SENT.test(name));
  const response = watchBytes(await globalThis.fetch(input, { ...init, headers, redirect: "manual" }), reportBytes);
  return response.ok ? response : normalizeErrorResponse(response);
}

/** Wraps a response and reports each of its bytes. */
function watchBytes(response: Response, heard?: () => void): Response {
  heard?.();
  if (!heard || response.body === null) return response;
  const reporter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      heard();
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body.pipeThrough(reporter), response);
}

/** `fetchFromServer` with the response as a stream of events, unless the request asks for none. */
export async function fetchEventStream(input: string | URL | Request, init?: WatchedInit): Promise<Response> {
  const wantsWhole = typeof init?.body === "string" && init.body.includes('"stream":false');
  if (wantsWhole) return fetchJson(input, init);
  const response = await fetchFromServer(input, init);
  return response.ok ? convertToEventStream(response) : response;
}

/** `fetchFromServer` for JSON responses. A web page, which a wrong address returns, is an error. */
export async function fetchJson(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetchFromServer(input, init);
  if (!response.ok || response.body === null) return response;
  const body = await response.text();
  return /^\s*</.test(body)
    ? createComplaintResponse(404, { message: "", code: WEB_PAGE, type: "", param: "" }, response.headers)
    : new Response(body, response);
}

/**
 * Converts a successful response to a stream of events. Some servers send the whole reply as one JSON object, which becomes a single event.
 * Some send events under another content type. A wrong base URL or a login returns a web page under any.
 */
async function convertToEventStream(response: Response): Promise<Response> {
  const { body } = response;
  if (!body) return response;
  const reader = body.getReader();
  const start = await readFirstBytes(reader);
  const sign = new TextDecoder().decode(start).trimStart()[0];
  const rest = prependBytes(start.subarray(start.findIndex((byte) => byte > 0x20)), reader);
  if (sign === "<") {
    await rest.cancel();
    return createComplaintResponse(404, { message: "", code: WEB_PAGE, type: "", param: "" }, response.headers);
  }
  if (sign !== "{" && sign !== "[") {
    const events = rest.pipeThrough(createEventSeparator()).pipeThrough(dropSignsOfLife());
    return new Response(events, EVENTS);
  }
  const values = parseValues(await new Response(rest).text());
  return new Response(values.map(formatEvent).join(""), EVENTS);
}

/** Formats a value as an event. Clients of Messages only read named events. */
function formatEvent(value: unknown): string {
  const type = toTextOrEmpty(toObjectOrEmpty(value).type).replaceAll(/\s/g, "_");
  return `${type === "" ? "" : `event: ${type}\n`}data: ${JSON.stringify(value)}\n\n`;
}

/** Parses a JSON text, or one in each line. */
function parseValues(text: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isEach = lines.length > 1 && lines.every((line) => tryJson(line) !== undefined);
  const values: unknown = isEach ? lines.map((line) => tryJson(line)) : JSON.parse(text);
  return Array.isArray(values) ? values : [values];
}

const WHOLE_DATA = /(?<=^|[\r\n])data: ?(?:\{[^\r\n]*\}|\[DONE\])[ \t]*(?=[\r\n])/g;
/** A login page in an event. */
const PAGE_AS_DATA = /(?<=^|[\r\n])data:[ \t]*<[^\r\n]*/g;
const PAGE_EVENT = `event: error\ndata: ${JSON.stringify({ error: { message: "", code: WEB_PAGE } })}\n`;
const NO_DATA = /(?<=^|[\r\n])data:[ \t]*(?=[\r\n])/g;

/** Ends each event after its complete data line, as some servers omit the empty line, and removes events without data. */
function createEventSeparator(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = "";
  return new TransformStream({
    transform(bytes, controller) {
      held += decoder.decode(bytes, { stream: true });
      const end = Math.max(held.lastIndexOf("\n"), held.lastIndexOf("\r")) + 1;
      const lines = held
        .slice(0, end)
        .replace(NO_DATA, ":")
        .replace(PAGE_AS_DATA, PAGE_EVENT)
        .replace(WHOLE_DATA, "$&\n");
      held = held.slice(end);
      if (lines !== "") controller.enqueue(encoder.encode(lines));
    },
    flush(controller) {
      controller.enqueue(encoder.encode(held + decoder.decode()));
    },
  });
}

const EVENTS: ResponseInit = { headers: { "content-type": "text/event-stream" } };

const EVENT_END = /(?<=\r\n\r\n|\n\n|\r\r)/;
const LIFE =
  /^(?:event:|data:\s*\{\s*"(?:type|object|event)"\s*:)\s*"?(?:ping|status|progress|queued?|heartbeat|keep[-_]?alive)\b/im;
/** Nothing, or a single word that isn't an error. */
const WORD = /^(?!.*error)(?!\[DONE\])[[(<]?[\w:.-]{0,40}[\])>]?$/i;

/** Drops events that only show that the server is alive, which the official client can't read. */
function dropSignsOfLife(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let held = "";
  return new TransformStream({
    transform(bytes, controller) {
      held += decoder.decode(bytes, { stream: true });
      const events = held.split(EVENT_END);
      held = EVENT_END.test(`${events.at(-1)} `) ? "" : (events.pop() ?? "");
      const kept = events.filter((event) => !isSignOfLife(event)).join("");
      if (kept !== "") controller.enqueue(encoder.encode(kept));
    },
    flush(controller) {
      const rest = held + decoder.decode();
      if (rest !== "" && !isSignOfLife(rest)) controller.enqueue(encoder.encode(rest));
    },
  });
}

function isSignOfLife(event: string): boolean {
  if (LIFE.test(event)) return true;
  const data = [...event.matchAll(/^data:(.*)$/gm)].map(([, line = ""]) => line.trim());
  return data.length > 0 || /^event:/m.test(event) ? WORD.test(data.join("")) : false;
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Reads bytes up to the first one that isn't white space. */
async function readFirstBytes(reader: Reader): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (!done) pieces.push(value);
    if (done || value.some((byte) => byte > 0x20)) return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }
}

function prependBytes(start: Uint8Array<ArrayBuffer>, reader: Reader): ReadableStream<Uint8Array<ArrayBuffer>> {
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
