import type { ModelRequest } from "../../core/ports/model.ts";
import type { Dialect } from "../chat/dialect.ts";
import type { Chunk } from "../chat/reply-stream.ts";
import type { AzureConnection, Connection } from "../http/client.ts";
import type { WatchedInit } from "../http/server-fetch.ts";

/** How a request is watched: it ends with its signal, and each byte of its response is reported. */
export interface WireOptions {
  readonly signal: AbortSignal;
  readonly fetchOptions: Pick<WatchedInit, "reportBytes" | "redirect">;
}

/** A server that is spoken to over a wire. Bodies are those of the same wire. Errors are the client's own. */
interface WireConnection {
  /** Resolves with the events of a streamed reply once it has begun. */
  stream(body: object, options: WireOptions): Promise<AsyncIterable<unknown>>;
  /** The same reply in one piece, which the wire's reader takes as well. */
  fetchWhole(body: object, options: WireOptions): Promise<unknown>;
}

/**
 * An API of model servers: requests in its form, and pieces of replies out of its events. Retries, lessons from complaints, time limits
 * and prices are above it. Another wire is a file here and a row in `chat/chat-model.ts`.
 */
export interface Wire {
  /** Loads the API's official client. */
  connect(to: Connection | AzureConnection): Promise<WireConnection>;
  /** A streamed request for `model`, with only the parts that the server accepts. */
  request(model: string, request: ModelRequest, dialect: Dialect): object;
  /** Reads the events of one reply, in their order. */
  createReader(): (event: unknown) => Chunk;
}
