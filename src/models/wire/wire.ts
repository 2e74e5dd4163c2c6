import type { ModelRequest } from "../../core/ports/model.ts";
import type { Dialect } from "../chat/dialect.ts";
import type { Chunk } from "../chat/reply-stream.ts";
import type { AzureConnection, Connection } from "../http/client.ts";
import type { WatchedInit } from "../http/server-fetch.ts";

/** How to watch a request: it ends with its signal and reports each byte of its response. */
export interface WireOptions {
  readonly signal: AbortSignal;
  readonly fetchOptions: Pick<WatchedInit, "reportBytes" | "redirect">;
}

/** A connection to a server over a wire. Bodies have that wire's form. Errors are the client's own. */
interface WireConnection {
  /** Resolves with the events of a streamed reply once it has begun. */
  stream(body: object, options: WireOptions): Promise<AsyncIterable<unknown>>;
  /** Requests the reply as a whole, which the wire's reader also accepts. */
  fetchWhole(body: object, options: WireOptions): Promise<unknown>;
}

/**
 * An API of model servers: builds its requests, and reads pieces of replies from its events. Retries, lessons from complaints, time limits
 * and prices are outside. Another wire needs a file here and a row in `chat/open-request.ts`.
 */
export interface Wire {
  /** Loads the API's official client. */
  connect(to: Connection | AzureConnection): Promise<WireConnection>;
  /** A streamed request for `model`, with only the parts that the server accepts. */
  request(model: string, request: ModelRequest, dialect: Dialect): object;
  /** Creates a reader for the events of one reply, in order. */
  createReader(): (event: unknown) => Chunk;
}
