import { isIP } from "node:net";
import {
  type FetchLike,
  isSpecType,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { findJsonObjects, isObject, type Json, tryJson } from "../../core/base/json.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { getBareHost, isPublicAddress } from "../../node/web/address-check.ts";
import type { ServerProcess } from "./server-process.ts";
import type { SignIn } from "./sign-in.ts";

/** How a server is reached. */
export type McpWay =
  | { readonly kind: "process"; start(): Promise<ServerProcess> }
  | {
      readonly kind: "address";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly auth?: SignIn | undefined;
      readonly fetch?: FetchLike | undefined;
    };

/** Sends and receives messages through a process's input and output. The client recognizes such a transport by `pid` and `stderr`. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly stderr = null;
  readonly pid: number;
  /** Why the process has ended. */
  why = "";
  private readonly process: ServerProcess;

  private readonly longest: number;
  /** A message has arrived, so the server is running. */
  private isUp = false;

  constructor(process: ServerProcess, longest: number) {
    this.process = process;
    this.longest = longest;
    this.pid = process.pid;
  }

  async start(): Promise<void> {
    this.process.listen({
      handleLine: (text) => this.receive(text),
      handleLongLine: (head, chars) => this.refuse(head, chars),
      handleEnd: (why) => {
        this.why = why;
        this.onclose?.();
      },
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.process.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    void this.process.end();
    this.onclose?.();
  }

  private receive(text: string): void {
    // Many servers print something else first, and some don't end its line.
    const message = tryJson(text) ?? (this.isUp ? undefined : findMessageAfterWords(text));
    if (message === undefined) return;
    this.isUp = true;
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Answers the request in place of the server. */
  private refuse(head: string, chars: number): void {
    const id = /"id"\s*:\s*(\d+)/.exec(head.slice(0, 400))?.[1];
    const message = explainSizeLimit(chars, this.longest);
    if (id === undefined) this.process.end().catch(() => undefined);
    else this.onmessage?.({ jsonrpc: "2.0", id: Number(id), error: { code: -32000, message } });
  }
}

/** The most characters before the first message. */
const LONGEST_WORDS = 4_000;

/** The first message in a line that begins with other text. A request there is ignored, as the text merely quotes it. */
function findMessageAfterWords(text: string): unknown {
  for (const { index } of text.slice(0, LONGEST_WORDS).matchAll(/\{\s*"/g)) {
    const rest = text.slice(index);
    const message = tryJson(rest) ?? tryJson(findJsonObjects(rest).objects[0] ?? "");
    if (isObject(message) && message.jsonrpc === "2.0" && !("method" in message && "id" in message)) return message;
  }
  return undefined;
}

/** Converts tool results in a transport to a form that the client accepts: it would discard a whole result because of one unknown part. */
export function makeResultsReadable<Kind extends Transport>(transport: Kind): Kind {
  const calls = new Set<unknown>();
  const send = transport.send.bind(transport);
  let listener: Transport["onmessage"];
  const receive: NonNullable<Transport["onmessage"]> = (message, extra) => {
    const isResult = "result" in message && calls.delete(message.id);
    listener?.(isResult ? { ...message, result: makeResultReadable(message.result) } : message, extra);
  };
  return Object.defineProperty(
    Object.assign(transport, {
      send: (...[message, ...options]: Parameters<Transport["send"]>) => {
        for (const one of [message].flat())
          if ("id" in one && "method" in one && one.method === "tools/call") calls.add(one.id);
        return send(message, ...options);
      },
    }),
    "onmessage",
    {
      get: () => listener && receive,
      set: (next: typeof listener) => {
        listener = next;
      },
    },
  );
}

function makeResultReadable(result: unknown): Json {
  const given: Json = isObject(result) ? result : { content: result };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  // Another kind of result has no content, such as a question.
  if (fields.content === undefined && (fields.resultType ?? "complete") !== "complete") return fields;
  const blocks = [fields.content ?? []].flat();
  return {
    ...fields,
    content: blocks.map((block) =>
      isSpecType.ContentBlock(block) ? block : { type: "text", text: describeUnreadContent(block) },
    ),
  };
}

const LONGEST_UNREAD = 2_000;

/** Describes unreadable content by its kind. */
function describeUnreadContent(block: unknown): string {
  if (typeof block === "string") return block;
  const kind = isObject(block)
    ? `of the unknown or damaged kind "${escapeInvisible(String(block.type))}"`
    : "without a kind";
  return `[content ${kind}] ${cutText(JSON.stringify(block), LONGEST_UNREAD)}`;
}

function explainSizeLimit(bytes: number, longest: number): string {
  return `The answer is too long (${Math.round(bytes / 1_000_000)} MB; at most ${longest / 1_000_000} MB are read). Ask for less.`;
}

export function createHttpTransport(
  { url, headers, auth, fetch: ask = fetch }: Extract<McpWay, { kind: "address" }>,
  longest: number,
) {
  const options = {
    requestInit: { headers: { ...headers } },
    fetch: async (address: string | URL, init?: RequestInit) =>
      limitResponse(await fetchForServer(new URL(url), new URL(address), init, ask), longest),
  };
  return auth
    ? new SignedInTransport(new URL(url), auth, options)
    : new StreamableHTTPClientTransport(new URL(url), options);
}

const MOST_REDIRECTS = 5;

/** Requests an address on behalf of a server. Redirects are checked like the first address. */
async function fetchForServer(server: URL, address: URL, init: RequestInit | undefined, ask: FetchLike) {
  let at = address;
  for (let hops = 0; ; hops++) {
    demandReachable(server, at);
    const response = await ask(at, { ...init, redirect: "manual" });
    const isMoved = response.status >= 300 && response.status < 400;
    const next = isMoved ? URL.parse(response.headers.get("location") ?? "", at) : null;
    const isFollowed = init?.redirect === undefined && ["GET", undefined].includes(init?.method);
    if (!next || !isFollowed || hops >= MOST_REDIRECTS) return response;
    await response.body?.cancel();
    // Whatever identifies us is meant for one place.
    if (next.origin !== at.origin) throw new Error(`${at.origin} redirects to another place: ${next.origin}`);
    at = next;
  }
}

/**
 * Throws for an address that a server may not use. The server names where to sign in, and could make this program contact this machine and
 * its network. A server on this machine or in its network may name others there.
 */
export function demandReachable(server: URL, address: URL): void {
  if (address.origin === server.origin || !isPublicHost(server)) return;
  if (address.protocol === "https:" && isPublicHost(address)) return;
  throw new Error(`${server.host} leads to ${address.origin}, which isn't asked: it isn't public, or not encrypted.`);
}

function isPublicHost(url: URL): boolean {
  const host = getBareHost(url);
  return isIP(host) === 0 ? !/(?:^|\.)localhost$/.test(host) : isPublicAddress(host);
}

/** A message may require the user to sign in, and again for a wider scope. */
const MOST_SIGN_INS = 2;

/** Sends messages to an address that requires a sign-in. */
class SignedInTransport extends StreamableHTTPClientTransport {
  private readonly auth: SignIn;

  constructor(url: URL, auth: SignIn, options: StreamableHTTPClientTransportOptions) {
    super(url, { ...options, authProvider: auth });
    this.auth = auth;
  }

  override async start(): Promise<void> {
    await this.auth.open();
    await super.start();
  }

  override async close(): Promise<void> {
    this.auth.close();
    await super.close();
  }

  override async send(...message: Parameters<StreamableHTTPClientTransport["send"]>): Promise<void> {
    for (let count = 1; ; count++) {
      try {
        return await super.send(...message);
      } catch (error) {
        if (!(error instanceof UnauthorizedError) || count > MOST_SIGN_INS) throw error;
        const answer = await this.auth.answer();
        if (!answer) throw error;
        await this.finishAuth(answer).finally(() => this.auth.forgetAnswer());
      }
    }
  }
}

/** The same response, which fails once its body, or one event of a stream, is too long. */
function limitResponse(response: Response, longest: number): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  let bytes = 0;
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes = isStream && hasEventEnd(chunk) ? 0 : bytes + chunk.length;
        if (bytes > longest) controller.error(new Error(explainSizeLimit(bytes, longest)));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(limited, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}

/** An empty line ends an event. A long event in a chunk with others may be measured as shorter. */
function hasEventEnd(chunk: Uint8Array): boolean {
  return chunk.at(-1) === 10 && (chunk.at(-2) === 10 || chunk.at(-2) === 13);
}
