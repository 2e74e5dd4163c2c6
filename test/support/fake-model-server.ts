import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./free-port.ts";

/** A piece of an answer's body: bytes, or what happens instead of more bytes. */
export type Piece =
  | string
  | Uint8Array
  | { readonly pauseMs: number }
  /** Nothing comes before this has happened. */
  | { readonly until: Promise<unknown> }
  /** The socket is destroyed. */
  | "cut!"
  /** Nothing more ever comes, and the connection stays open. */
  | "hang!";

/** What the server gives for one request. With `headersHang` not even headers come. */
export interface ServerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each is taken when those before it are out. */
  readonly pieces: Iterable<Piece>;
  readonly headersHang?: boolean;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

export type Answering = ServerAnswer | ((request: SeenRequest) => ServerAnswer);

/** A model server of our own on loopback, for whatever a real one may do wrong. */
export interface FakeModelServer {
  readonly origin: string;
  readonly port: number;
  /** Of the OpenAI-compatible API. */
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
  /** How many connections their client has closed before the answer was whole. */
  readonly abandoned: number;
  /** What the next requests get, in order; the last answer is given again and again. */
  plan(...answers: readonly Answering[]): void;
  close(): Promise<void>;
  /** Listens again after it was closed, on the same port. */
  reopen(): Promise<void>;
}

/** Starts a fake model server on a port of its own. */
export async function fakeModelServer(...answers: readonly Answering[]): Promise<FakeModelServer> {
  const requests: SeenRequest[] = [];
  let planned: Answering[] = [...answers];
  let abandoned = 0;
  const server = createServer(async (request, response) => {
    const seen = await readRequest(request);
    requests.push(seen);
    response.on("close", () => {
      if (!response.writableFinished) abandoned++;
    });
    const next = planned.length > 1 ? planned.shift() : planned[0];
    const answer = typeof next === "function" ? next(seen) : next;
    await send(response, answer ?? json(500, { error: { message: "No answer was planned for this test." } }));
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    baseUrl: `${origin}/v1`,
    requests,
    get abandoned() {
      return abandoned;
    },
    plan(...next) {
      planned = [...next];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
    async reopen() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
}

/** A fake model server for all tests of a suite. */
export function serverForSuite(): () => FakeModelServer {
  let server: FakeModelServer;
  before(async () => {
    server = await fakeModelServer();
  });
  after(() => server.close());
  return () => server;
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

async function send(response: ServerResponse, answer: ServerAnswer): Promise<void> {
  if (answer.headersHang) return;
  response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream", ...answer.headers });
  response.flushHeaders();
  for (const piece of answer.pieces) {
    if (response.destroyed || piece === "hang!") return;
    if (piece === "cut!") {
      // Until the bytes before it are out.
      await pause(20);
      response.destroy();
      return;
    }
    if (typeof piece === "object" && "pauseMs" in piece) await pause(piece.pauseMs);
    else if (typeof piece === "object" && "until" in piece) await piece.until;
    else response.write(piece);
  }
  response.end();
}

/** An answer in JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): ServerAnswer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    pieces: [typeof body === "string" ? body : JSON.stringify(body)],
  };
}

/** JSON answers by path, some of them made from the request's body; what is not planned is not found. */
export function byPath(
  answers: Readonly<Record<string, object | ((body: SeenRequest["body"]) => unknown)>>,
): Answering {
  return ({ path, body }) => {
    const answer = answers[path];
    if (answer === undefined) return json(404, { error: "not found" });
    return json(200, typeof answer === "function" ? answer(body) : answer);
  };
}

/** A refusal in OpenAI's words. */
export function refusal(
  status: number,
  message: string,
  more: { readonly code?: string; readonly type?: string; readonly param?: string } = {},
): ServerAnswer {
  return json(status, { error: { message, type: null, code: null, param: null, ...more } });
}

/** An answer as a stream: each chunk an event, then what stands for itself. */
export function stream(...chunks: readonly (object | Piece)[]): ServerAnswer {
  return { pieces: chunks.map((chunk) => (isPiece(chunk) ? chunk : event(chunk))) };
}

function isPiece(chunk: object | Piece): chunk is Piece {
  if (typeof chunk === "string" || chunk instanceof Uint8Array) return true;
  return "pauseMs" in chunk || "until" in chunk;
}

/** One event of a stream. */
export function event(data: unknown, end = "\n"): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}${end}${end}`;
}

export const DONE = event("[DONE]");

/** A chunk as OpenAI sends it. */
export function chunk(delta: unknown, finish: string | null = null, more: object = {}): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "served-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

/** Chunks of text, one each, and how they end. */
export function textChunks(...texts: readonly string[]): object[] {
  return texts.map((content) => chunk({ content }));
}

export function finish(reason = "stop"): object {
  return chunk({}, reason);
}

/** A piece of a tool call. */
export function callChunk(piece: { index?: number; id?: string; name?: string; arguments?: unknown }): object {
  const { index, id, ...rest } = piece;
  return chunk({
    tool_calls: [
      { ...(index === undefined ? {} : { index }), ...(id ? { id } : {}), type: "function", function: rest },
    ],
  });
}

export function usage(input: number, output: number, more: object = {}): object {
  return {
    ...chunk({}),
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...more },
  };
}

/** A whole good answer of one text. */
export function saying(...texts: readonly string[]): ServerAnswer {
  return stream(...textChunks(...texts), finish(), usage(12, 3), DONE);
}

/** A stock server of llama-cpp-python, as its version 0.3.36 answered: `contextTokens` is its `--n_ctx`. */
export function llamaCppPython(contextTokens: number, answer: (body: SeenRequest["body"]) => string): Answering {
  return ({ body }) => {
    if (body.response_format?.type === "json_schema")
      return refusal(
        500,
        "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}\n\n  File \"/usr/lib/python3/site-packages/llama_cpp/server/app.py\", line 376, in create_chat_completion\n    POST /v1/chat/completions",
        { type: "internal_server_error" },
      );
    const tokens = Math.ceil(JSON.stringify(body.messages).length / 3);
    if (tokens < contextTokens) return body.stream ? saying(answer(body)) : json(200, whole(answer(body)));
    if (body.stream) return { pieces: [] };
    return refusal(
      400,
      `This model's maximum context length is ${contextTokens} tokens. However, you requested ${tokens + body.max_tokens} tokens (${tokens} in the messages, ${body.max_tokens} in the completion). Please reduce the length of the messages or completion.`,
      { type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
    );
  };
}

/** A server with one slot, as a stock llama-cpp-python is: a request breaks off the stream that runs, with these last pieces. */
export function oneSlot(brokenOff: readonly Piece[]): Answering {
  let breakOff = (): void => undefined;
  return () => {
    breakOff();
    const { promise, resolve } = Promise.withResolvers<void>();
    let isBroken = false;
    breakOff = () => {
      isBroken = true;
      resolve();
    };
    const rest = [...textChunks(" slot."), finish(), DONE];
    function* pieces(): Generator<Piece> {
      yield event(chunk({ content: "One" }));
      yield { until: Promise.race([promise, pause(50)]) };
      for (const piece of isBroken ? brokenOff : rest) yield typeof piece === "string" ? piece : event(piece);
      if (!isBroken) breakOff = () => undefined;
    }
    return { pieces: pieces() };
  };
}

/** A reply that is not streamed. */
export function whole(content: string): object {
  return {
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "served-model" },
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
  };
}
