import { once } from "node:events";
import { createServer } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { freePort } from "./free-port.ts";

/** An attribute as OTLP has it in JSON. */
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A span of a request, with its attributes by name. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly error: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
}

/** A collector of traces on loopback, which takes only what OTLP over HTTP allows. */
export interface Collector {
  readonly address: string;
  readonly spans: readonly CollectedSpan[];
  /** Why requests were refused. */
  readonly problems: readonly string[];
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

/** Starts a collector. `answer`: another answer to each request than 200. */
export async function startCollector(answer?: {
  readonly status: number;
  readonly location?: string;
}): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const problems: string[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    try {
      if (request.method !== "POST" || request.url !== "/v1/traces")
        throw new Error(`${request.method} ${request.url}`);
      if (request.headers["content-type"] !== "application/json") throw new Error(`${request.headers["content-type"]}`);
      const found = readSpans(await readJson(request));
      if (!answer) spans.push(...found);
      const { status = 200, location } = answer ?? {};
      response.writeHead(status, { "content-type": "application/json", ...(location ? { location } : {}) }).end("{}");
    } catch (error) {
      problems.push(String(error));
      response.writeHead(400).end("{}");
    }
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${port}`,
    spans,
    problems,
    headers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Reads a request in OTLP's JSON. Throws for a shape that the protocol doesn't have. */
// biome-ignore lint/suspicious/noExplicitAny: it checks a body of any shape
export function readSpans(body: any): CollectedSpan[] {
  check(Array.isArray(body?.resourceSpans), "resourceSpans");
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: any) => {
    check(readAttributes(resource.attributes)["service.name"] === "autogpt", "service.name");
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return scopeSpans.flatMap(({ scope, spans }: any) => {
      check(scope.name === "autogpt", "scope");
      return spans.map(readSpan);
    });
  });
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readSpan(span: any): CollectedSpan {
  const { name, traceId, spanId, parentSpanId, kind, startTimeUnixNano, endTimeUnixNano, attributes, status, events } =
    span;
  check(/^[0-9a-f]{32}$/.test(traceId), "traceId");
  check(/^[0-9a-f]{16}$/.test(spanId), "spanId");
  check(parentSpanId === undefined || /^[0-9a-f]{16}$/.test(parentSpanId), "parentSpanId");
  check(/^\d{19}$/.test(startTimeUnixNano) && /^\d{19}$/.test(endTimeUnixNano), "times");
  check(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano), "an end before its start");
  check([0, 1, 2].includes(status.code), "status");
  return {
    ...{ name, traceId, spanId, kind },
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    error: status.code === 2,
    attributes: readAttributes(attributes),
    events: events.map((event: { name: string }) => event.name),
  };
}

function readAttributes(list: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: Attribute["value"]): unknown {
  const [[kind, found] = ["", undefined]] = Object.entries(value);
  switch (kind) {
    case "stringValue":
    case "doubleValue":
    case "boolValue":
      return found;
    case "intValue":
      check(/^-?\d+$/.test(String(found)), "intValue");
      return Number(found);
    case "arrayValue":
      return (found as { values: Attribute["value"][] }).values.map(readValue);
    default:
      throw new Error(`${kind} is no value`);
  }
}

function check(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`The request is wrong in ${what}.`);
}
