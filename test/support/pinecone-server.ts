import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { PineconeIndexData, PineconeRefusal } from "./pinecone-index.ts";

export const PINECONE_KEY = "pcsk_test-key";
const PINECONE_INDEX = "team-memory";
const API_VERSION = "2026-07";
const MOST_BODY_BYTES = 2 * 1024 * 1024;
const MOST_ADDRESS_CHARS = 8_000;

type Body = Readonly<Record<string, unknown>>;

/** What a server does with a request instead of answering it. Absent: it answers. */
export interface PineconeFault {
  /** The request takes effect before. */
  readonly isDone?: boolean;
  answer(response: ServerResponse): void;
}

/** What the index's description says. */
interface Described {
  readonly host: string;
  readonly schema: unknown;
  readonly status: unknown;
}

/**
 * Pinecone's published API (2026-07) over HTTP, with its limits: the control plane on one port, the index on another. It refuses whatever
 * the API's description doesn't allow.
 */
export class PineconeServer {
  readonly data: PineconeIndexData;
  /** The requests that came, by method and path. */
  readonly requests: string[] = [];
  fault: (request: string) => PineconeFault | undefined = () => undefined;
  describe: (described: Described) => Described = (described) => described;
  private readonly control: Server;
  private readonly index: Server;

  private constructor(dimension: number, metric: string) {
    this.data = new PineconeIndexData(dimension, metric);
    this.control = createServer(
      (request, response) => void this.serve(request, response, () => this.answerControl(request)),
    );
    this.index = createServer(
      (request, response) => void this.serve(request, response, (body) => this.answerIndex(request, body)),
    );
  }

  static async start(dimension: number, metric = "cosine"): Promise<PineconeServer> {
    const server = new PineconeServer(dimension, metric);
    for (const each of [server.control, server.index])
      await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://${getHost(this.control)}/${PINECONE_INDEX}`;
  }

  async stop(): Promise<void> {
    for (const server of [this.control, this.index]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (body: Body) => object,
  ): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    const name = `${request.method} ${pathname}`;
    this.requests.push(name);
    response.on("error", () => "The client left.");
    const fault = this.fault(name);
    try {
      if (fault && !fault.isDone) return fault.answer(response);
      const sent = answer(await readBody(request));
      if (fault) return fault.answer(response);
      send(response, 200, sent);
    } catch (error) {
      if (!(error instanceof PineconeRefusal)) throw error;
      const { status, message } = error;
      if (status === 401) response.writeHead(401, { "content-type": "text/plain" }).end("Unauthorized");
      else if (pathname.startsWith("/indexes")) send(response, status, { status, error: { code: "X", message } });
      else send(response, status, { code: 3, message, details: [] });
    }
  }

  private answerControl(request: IncomingMessage): object {
    checkHeaders(request);
    const [, resource, name, ...others] = (request.url ?? "").split("/");
    if (request.method !== "GET" || resource !== "indexes" || others.length > 0)
      throw new PineconeRefusal(404, "There is no such method.");
    if (name !== PINECONE_INDEX) throw new PineconeRefusal(404, `Resource ${name} not found`);
    const { dimension, metric } = this.data;
    return {
      name,
      ...this.describe({
        host: getHost(this.index),
        schema: { fields: { _values: { type: "dense_vector", dimension, metric } } },
        status: { ready: true, state: "Ready" },
      }),
      deployment: { deployment_type: "managed", cloud: "aws", region: "us-east-1", environment: "aped" },
      deletion_protection: "disabled",
    };
  }

  private answerIndex(request: IncomingMessage, body: Body): object {
    checkHeaders(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    if ((request.url ?? "").length > MOST_ADDRESS_CHARS) throw new PineconeRefusal(414, "The address is too long.");
    switch (`${request.method} ${pathname}`) {
      case "POST /vectors/upsert":
        return this.data.upsert(body);
      case "GET /vectors/fetch":
        return this.data.fetch(searchParams.get("namespace") ?? "", searchParams.getAll("ids"));
      case "POST /vectors/fetch_by_metadata":
        return this.data.fetchByMetadata(body);
      case "GET /vectors/list":
        return this.data.list(searchParams);
      case "POST /query":
        return this.data.query(body);
      case "POST /vectors/delete":
        return this.data.delete(body);
      case "POST /describe_index_stats":
        return this.data.describeStats();
      default:
        throw new PineconeRefusal(404, "There is no such method.");
    }
  }
}

function getHost(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readBody(request: IncomingMessage): Promise<Body> {
  if (request.method !== "POST") return {};
  if (request.headers["content-type"] !== "application/json") throw new PineconeRefusal(415, "The body isn't JSON.");
  if (Number(request.headers["content-length"] ?? 0) > MOST_BODY_BYTES)
    throw new PineconeRefusal(400, "Request body is larger than 2 MB.");
  return (await json(request)) as Body;
}

function checkHeaders({ headers }: IncomingMessage): void {
  if (headers["api-key"] !== PINECONE_KEY) throw new PineconeRefusal(401, "Unauthorized");
  if (headers["x-pinecone-api-version"] !== API_VERSION) throw new PineconeRefusal(400, "The version is missing.");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
