import { isIP } from "node:net";
import {
  type FetchLike,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { bareHost, isPublicAddress } from "../../node/web/address-check.ts";
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

/** Messages over the input and output of a process. The client knows such a transport by `pid` and `stderr`. */
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

  constructor(process: ServerProcess, longest: number) {
    this.process = process;
    this.longest = longest;
    this.pid = process.pid;
  }

  async start(): Promise<void> {
    this.process.listen({
      line: (text) => this.receive(text),
      tooLong: (head, chars) => this.refuse(head, chars),
      ended: (why) => {
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
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // Many servers print something else first.
      return;
    }
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Answers the request in place of the server. */
  private refuse(head: string, chars: number): void {
    const id = /"id"\s*:\s*(\d+)/.exec(head.slice(0, 400))?.[1];
    const message = tooMuch(chars, this.longest);
    if (id === undefined) this.process.end().catch(() => undefined);
    else this.onmessage?.({ jsonrpc: "2.0", id: Number(id), error: { code: -32000, message } });
  }
}

function tooMuch(bytes: number, longest: number): string {
  return `The answer is too long (${Math.round(bytes / 1_000_000)} MB; at most ${longest / 1_000_000} MB are read). Ask for less.`;
}

export function httpTransport(
  { url, headers, auth, fetch: ask = fetch }: Extract<McpWay, { kind: "address" }>,
  longest: number,
) {
  const options = {
    requestInit: { headers: { ...headers } },
    fetch: async (address: string | URL, init?: RequestInit) =>
      bounded(await asked(new URL(url), new URL(address), init, ask), longest),
  };
  return auth
    ? new SignedInTransport(new URL(url), auth, options)
    : new StreamableHTTPClientTransport(new URL(url), options);
}

const MOST_REDIRECTS = 5;

/** Asks an address on behalf of a server. Where its sign-in redirects to is checked like the first address. */
async function asked(server: URL, address: URL, init: RequestInit | undefined, ask: FetchLike) {
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
 * Throws for an address that a server has no business with: it names where to sign in, and could have this machine and its network asked.
 * A server on this machine or in its network may name others there.
 */
export function demandReachable(server: URL, address: URL): void {
  if (address.origin === server.origin || !isPublicHost(server)) return;
  if (address.protocol === "https:" && isPublicHost(address)) return;
  throw new Error(
    `${server.host} leads to ${address.origin}, which isn't asked: it isn't public, or not encrypted.`,
  );
}

function isPublicHost(url: URL): boolean {
  const host = bareHost(url);
  return isIP(host) === 0 ? !/(?:^|\.)localhost$/.test(host) : isPublicAddress(host);
}

/** A message may need the person to sign in, and once more for a wider scope. */
const MOST_SIGN_INS = 2;

/** Messages to an address that wants its users to sign in. */
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
        await this.finishAuth(answer).finally(() => this.auth.answered());
      }
    }
  }
}

/** The same response, which fails once its body, or one event of a stream, is too long. */
function bounded(response: Response, longest: number): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  let bytes = 0;
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes = isStream && endsEvent(chunk) ? 0 : bytes + chunk.length;
        if (bytes > longest) controller.error(new Error(tooMuch(bytes, longest)));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(limited, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}

/** An empty line ends an event. A long event in one chunk with others is counted a little short. */
function endsEvent(chunk: Uint8Array): boolean {
  return chunk.at(-1) === 10 && (chunk.at(-2) === 10 || chunk.at(-2) === 13);
}
