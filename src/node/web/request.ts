import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { WebError } from "../../core/ports/services.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { CheckedAddress } from "./address-check.ts";

/** Options of one request. */
export interface WebRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** GET if absent. */
  readonly method?: string;
  readonly body?: Uint8Array;
}

/**
 * Sends a request to one checked address. It connects only to the checked IP addresses, even if the name resolves differently by then. It
 * follows no redirect and keeps no connection. Throws `WebError`; an abort throws the signal's reason.
 */
export function request(url: URL, checked: readonly CheckedAddress[], asking: WebRequest): Promise<IncomingMessage> {
  const { headers, signal, body, method = "GET" } = asking;
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = send(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-length": body.length }) },
    agent: false,
    lookup: createPinnedLookup(checked),
    signal,
  });
  sent.once("response", resolve);
  sent.on("error", (error) => reject(signal.aborted ? signal.reason : createWebConnectionError(error, url)));
  sent.end(body);
  return promise;
}

/** A lookup that knows only the checked addresses. */
export function createPinnedLookup(checked: readonly CheckedAddress[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = checked;
    if (options.all) done(null, [...checked]);
    else done(null, first?.address ?? "", first?.family ?? 4);
  };
}

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate goes back to one that isn't trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be traced back to one that is trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate cannot be traced back to one that is trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_REVOKED: "its certificate was revoked",
};

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers there",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "it can't be reached from here",
  ENETUNREACH: "there is no network here that leads to it",
  ENETDOWN: "the network is down",
  EADDRNOTAVAIL: "it can't be reached from here",
};

/** Why a connection couldn't be made, as a sentence that says what to do. */
export function createWebConnectionError(error: unknown, url: URL): WebError {
  const code = findFirstCode(error);
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined)
    return createWebError(url, `cannot be trusted: ${certificate}. Take another source, or tell the user`, error);
  if (code.startsWith("ERR_SSL") || code === "EPROTO")
    return createWebError(
      url,
      `does not speak TLS as it should. Try it with ${url.protocol === "https:" ? "http" : "https"}://, or take another source`,
      error,
    );
  if (code.startsWith("HPE_")) return createWebError(url, "does not answer in HTTP. Check the address", error);
  if (code.startsWith("Z_") || code.startsWith("ERR__ERROR_"))
    return createWebError(url, "sent data that can't be unpacked. Take another source", error);
  const why = CONNECTION[code] ?? getErrorMessage(error);
  return createWebError(
    url,
    `could not be reached: ${why}. Check the address, try again later, or take another source`,
    error,
    displayText(OFFLINE.has(code) ? "results.offline" : "results.unreachable", { host: url.host }),
  );
}

/** Errors of a machine without a network. */
const OFFLINE: ReadonlySet<string> = new Set(["ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL", "EAI_AGAIN"]);

function createWebError({ host }: URL, what: string, cause: unknown, shown?: DisplayText): WebError {
  return new WebError(`${host} ${what}.`, { cause, ...omitUndefined({ shown }) });
}

/** The error's code; if several addresses failed, the first one's. */
function findFirstCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return findFirstCode(error.errors[0]);
  return findErrorCode(error) ?? "";
}
