import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { connectionTrouble } from "./connection-trouble.ts";
import type { Checked } from "./reach.ts";

/** What one request is made of. */
export interface Asking {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** GET if it is left out. */
  readonly method?: string;
  readonly body?: Uint8Array;
}

/**
 * Asks one address, which must have been checked: the connection goes to the very IP addresses that were, whatever the name resolves to by
 * then. No redirect is followed, no connection is kept. Throws `WebError`; an abort throws the signal's reason.
 */
export function request(url: URL, checked: readonly Checked[], asking: Asking): Promise<IncomingMessage> {
  const { headers, signal, body, method = "GET" } = asking;
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = send(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-length": body.length }) },
    agent: false,
    lookup: pinned(checked),
    signal,
  });
  sent.once("response", resolve);
  sent.on("error", (error) => reject(signal.aborted ? signal.reason : connectionTrouble(error, url)));
  sent.end(body);
  return promise;
}

/** A lookup that knows only what was checked. */
export function pinned(checked: readonly Checked[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = checked;
    if (options.all) done(null, [...checked]);
    else done(null, first?.address ?? "", first?.family ?? 4);
  };
}
