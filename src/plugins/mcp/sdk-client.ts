// The one file that the client's package is part of. It is loaded when a run first uses a server.
import {
  type CallToolResult,
  Client,
  type FetchLike,
  type JSONRPCMessage,
  type PriorDiscovery,
  type ReadResourceResult,
  type Resource,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Tool,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
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

/** Asks the user what a server wants to know. The result is checked by the client. */
export type Elicit = (request: unknown, signal: AbortSignal) => Promise<ElicitAnswer>;

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

export interface ConnectParts {
  readonly way: McpWay;
  /** The server's protocol, as an earlier connection found it. */
  readonly prior: PriorDiscovery | undefined;
  readonly limitMs: number;
  /** Longer messages, in bytes, are dropped unread. */
  readonly longest: number;
  readonly elicit: Elicit | undefined;
  toolsChanged(): void;
  ended(why: string): void;
}

/** A connection to a server, whichever protocol it speaks. */
export interface McpConnection {
  readonly era: PriorDiscovery;
  readonly instructions: string | undefined;
  readonly client: Client;
  /** The server's process; 0 if it has none here. */
  readonly pid: number;
  tools(): Promise<readonly Tool[]>;
  call(tool: Tool, args: Readonly<Record<string, unknown>>, options: CallLimits): Promise<CallToolResult>;
  /** Names and addresses of its resources. */
  resources(): Promise<readonly Resource[]>;
  read(uri: string, options: Pick<CallLimits, "signal" | "limitMs">): Promise<ReadResourceResult>;
  hold(isHeld: boolean): void;
  lastWords(): string;
  close(): Promise<void>;
}

/** How far a call has come, in the server's own words. */
export interface ProgressNote {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface CallLimits {
  readonly signal: AbortSignal;
  /** Without progress, and in all. */
  readonly limitMs: number;
  readonly longestMs: number;
  progress(note: ProgressNote): void;
}

/** How we introduce ourselves to servers. */
const US = { name: "autogpt", version: "1.0.0" };

/** A server that never answers an unknown question is one of the earlier protocol. */
const PROBE_MS = 8_000;

/** Connects to a server. A program that ends when it is asked for its protocol is started again as one of the earlier one. */
export async function connect(parts: ConnectParts): Promise<McpConnection> {
  if (parts.prior || parts.way.kind === "address") return connectOnce(parts);
  const until = Date.now() + parts.limitMs;
  return connectOnce(parts).catch((error: unknown) => {
    const limitMs = until - Date.now();
    if (!/closed|ended/i.test(String(error)) || limitMs <= 0) throw error;
    return connectOnce({ ...parts, prior: { kind: "legacy" }, limitMs });
  });
}

async function connectOnce(parts: ConnectParts): Promise<McpConnection> {
  const { way, prior, limitMs, elicit } = parts;
  const state: { isOpen: boolean; process?: ServerProcess } = { isOpen: false };
  const client = new Client(US, {
    capabilities: elicit ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {},
    versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_MS, limitMs) } },
    listChanged: { tools: { autoRefresh: false, onChanged: () => parts.toolsChanged() } },
    jsonSchemaValidator: UNCHECKED,
  });
  if (elicit)
    client.setRequestHandler("elicitation/create", async (request, { mcpReq }) => {
      const { action, content } = await elicit(request.params, mcpReq.signal);
      return content ? { action, content: { ...content } } : { action };
    });
  if (way.kind === "process") state.process = await way.start();
  const transport =
    way.kind === "address"
      ? httpTransport(way, parts.longest)
      : new ProcessTransport(state.process ?? (await way.start()), parts.longest);
  const over = (): void => {
    if (state.isOpen)
      parts.ended(transport instanceof ProcessTransport ? transport.why : "closed the connection");
    state.isOpen = false;
  };
  client.onclose = over;
  try {
    await client.connect(transport, { timeout: limitMs, ...(prior ? { prior } : {}) });
  } catch (error) {
    void client.close().catch(() => undefined);
    void transport.close().catch(() => undefined);
    throw error;
  }
  state.isOpen = true;
  const discover = client.getDiscoverResult();
  return {
    client,
    era: discover ? { kind: "modern", discover } : { kind: "legacy" },
    instructions: client.getInstructions(),
    pid: state.process?.pid ?? 0,
    ...requestsOf(client, limitMs),
    hold: (isHeld) => state.process?.hold(isHeld),
    lastWords: () => state.process?.lastWords() ?? "",
    close: async () => {
      state.isOpen = false;
      await client.close().catch(() => undefined);
    },
  };
}

/** The requests to a server. */
function requestsOf(
  client: Client,
  limitMs: number,
): Pick<McpConnection, "tools" | "call" | "resources" | "read"> {
  return {
    tools: async () => (await client.listTools(undefined, { cacheMode: "refresh", timeout: limitMs })).tools,
    call: (tool, args, { signal, limitMs: timeout, longestMs, progress }) =>
      client.callTool(
        { name: tool.name, arguments: { ...args } },
        {
          ...{
            signal,
            timeout,
            maxTotalTimeout: longestMs,
            resetTimeoutOnProgress: true,
            toolDefinition: tool,
          },
          onprogress: progress,
        },
      ),
    resources: async () =>
      client.getServerCapabilities()?.resources
        ? (await client.listResources(undefined, { cacheMode: "refresh", timeout: limitMs })).resources
        : [],
    read: (uri, { signal, limitMs: timeout }) =>
      client.readResource({ uri }, { signal, timeout, cacheMode: "bypass" }),
  };
}

/** Results are quoted data, and a server's schema may be made to take forever. */
const UNCHECKED = {
  getValidator:
    <Value>() =>
    (input: unknown) => ({
      valid: true as const,
      data: input as NonNullable<Value>,
      errorMessage: undefined,
    }),
};

/** Messages over the input and output of a process. The client knows such a transport by `pid` and `stderr`. */
class ProcessTransport implements Transport {
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

function httpTransport(
  { url, headers, auth, fetch: ask = fetch }: Extract<McpWay, { kind: "address" }>,
  longest: number,
) {
  const options = {
    requestInit: { headers: { ...headers } },
    fetch: async (address: string | URL, init?: RequestInit) => bounded(await ask(address, init), longest),
  };
  return auth
    ? new SignedInTransport(new URL(url), auth, options)
    : new StreamableHTTPClientTransport(new URL(url), options);
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
