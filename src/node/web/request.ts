import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { errorMessage } from "../../core/base/errors.ts";
import { WebError } from "../../core/ports/services.ts";
import type { CheckedAddress } from "./address-check.ts";

/** What one request is made of. */
export interface WebRequest {
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
export function request(
  url: URL,
  checked: readonly CheckedAddress[],
  asking: WebRequest,
): Promise<IncomingMessage> {
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
  sent.on("error", (error) => reject(signal.aborted ? signal.reason : webConnectionError(error, url)));
  sent.end(body);
  return promise;
}

/** A lookup that knows only what was checked. */
export function pinned(checked: readonly CheckedAddress[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = checked;
    if (options.all) done(null, [...checked]);
    else done(null, first?.address ?? "", first?.family ?? 4);
  };
}

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by nobody but itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate goes back to one that nobody here trusts",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be traced back to one that is trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate cannot be traced back to one that is trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_REVOKED: "its certificate was revoked",
};

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers there",
  ECONNRESET: "it broke the connection off",
  EPIPE: "it broke the connection off",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "there is no way to it from here",
  ENETUNREACH: "there is no network here that leads to it",
  ENETDOWN: "the network is down",
  EADDRNOTAVAIL: "there is no way to it from here",
};

/** What kept a connection from being made, as a sentence that says what to do. */
export function webConnectionError(error: unknown, url: URL): WebError {
  const code = codeOf(error);
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined)
    return webError(url, `cannot be trusted: ${certificate}. Take another source, or tell the user`, error);
  if (code.startsWith("ERR_SSL") || code === "EPROTO")
    return webError(
      url,
      `does not speak TLS as it should. Try it with ${url.protocol === "https:" ? "http" : "https"}://, or take another source`,
      error,
    );
  if (code.startsWith("HPE_")) return webError(url, "does not answer in HTTP. Check the address", error);
  if (code.startsWith("Z_") || code.startsWith("ERR__ERROR_"))
    return webError(url, "sent what cannot be unpacked. Take another source", error);
  const why = CONNECTION[code] ?? errorMessage(error);
  return webError(
    url,
    `could not be reached: ${why}. Check the address, try again later, or take another source`,
    error,
  );
}

function webError({ host }: URL, what: string, cause: unknown): WebError {
  return new WebError(`${host} ${what}.`, { cause });
}

/** Several addresses that all failed are told as the first of them. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
