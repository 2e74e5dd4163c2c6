import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { omitUndefined } from "../../core/base/objects.ts";
import { WebError } from "../../core/ports/services.ts";
import { type AddressCheck, getBareHost } from "./address-check.ts";
import { createWebConnectionError, request } from "./request.ts";

/** Options of a request. */
export interface GetOptions {
  readonly signal: AbortSignal;
  /** GET if absent. Redirects of other methods than GET and HEAD aren't followed. */
  readonly method?: string;
  readonly body?: Uint8Array;
  /** The maximum bytes to read. */
  readonly most: number;
  /** Time limit for the whole request. */
  readonly seconds: number;
  /** Media types, best first, as in `Accept`. */
  readonly accept: string;
  /** May include keys, so redirects to another origin don't receive them. */
  readonly headers?: Readonly<Record<string, string>>;
  reportArrival?(bytes: number, total: number | undefined): void;
}

/** A server's response with any status. */
export interface WebResponse {
  /** The final address. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponseBody;
}

export type Get = (url: URL, getting: GetOptions) => Promise<WebResponse>;

const MOST_REDIRECTS = 10;

/** Some sites only respond to a client with a name. This name doesn't pretend to be a browser. */
const USER_AGENT = "Mozilla/5.0 (compatible; AutoGPT-VSCode/1.0)";

/**
 * Sends requests, mostly GET, and checks every redirect like the first request. Stores no cookies and sends no credentials. Throws
 * `WebError`.
 */
export function createGetter(checkAddress: AddressCheck): Get {
  return async (url, getting) => {
    const { signal, seconds } = getting;
    const clock = AbortSignal.timeout(seconds * 1000);
    let at = url;
    try {
      return await followRedirects(
        url,
        { ...getting, signal: AbortSignal.any([signal, clock]) },
        checkAddress,
        (next) => {
          at = next;
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (clock.aborted)
        throw new WebError(
          `${at.host} took longer than ${seconds} seconds, so it was given up. Try again later, or take another source.`,
        );
      throw error instanceof WebError ? error : createWebConnectionError(error, at);
    }
  };
}

async function followRedirects(
  start: URL,
  getting: GetOptions,
  checkAddress: AddressCheck,
  going: (url: URL) => void,
): Promise<WebResponse> {
  const { method = "GET", body } = getting;
  let url = start;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    requireWeb(url);
    going(url);
    const answer = await request(url, await checkAddress(url), {
      headers: {
        ...createHeaders(getting.accept),
        ...(url.origin === start.origin ? getting.headers : {}),
      },
      signal: getting.signal,
      method,
      ...omitUndefined({ body }),
    });
    const next = ["GET", "HEAD"].includes(method) ? findRedirect(answer, url) : undefined;
    if (!next) return read(url, answer, getting);
    answer.destroy();
    await requireSameSite(url, next, checkAddress);
    url = next;
  }
  throw new WebError(
    `${start.host} redirects without end (more than ${MOST_REDIRECTS} times), so it was given up. Take another source.`,
  );
}

async function read(url: URL, answer: IncomingMessage, { most, reportArrival }: GetOptions): Promise<WebResponse> {
  const { headers, statusCode = 0 } = answer;
  const total = headers["content-encoding"] === undefined ? Number(headers["content-length"]) : Number.NaN;
  const body = await readBody(answer, most, (bytes) => reportArrival?.(bytes, Number.isNaN(total) ? undefined : total));
  return { url, status: statusCode, headers, body };
}

function createHeaders(accept: string): Readonly<Record<string, string>> {
  return {
    "user-agent": USER_AGENT,
    accept,
    "accept-language": "en,*;q=0.5",
    "accept-encoding": ENCODINGS,
  };
}

function findRedirect({ statusCode, headers }: IncomingMessage, from: URL): URL | undefined {
  if (headers.location === undefined || ![301, 302, 303, 307, 308].includes(statusCode ?? 0)) return undefined;
  const next = URL.parse(headers.location, from);
  if (!next) throw new WebError(`${from.host} redirects to an invalid address. Take another source.`);
  if (next.hash === "") next.hash = from.hash;
  return next;
}

function requireWeb({ protocol, username, password, host }: URL): void {
  if (protocol !== "http:" && protocol !== "https:")
    throw new WebError(`${host || "It"} leads to a ${protocol} address; only http and https are opened.`);
  if (username !== "" || password !== "")
    throw new WebError(`The address at ${host} holds a user name or password. Leave it out.`);
}

/** Refuses redirects to another site, because the user approved only the host that was shown. */
async function requireSameSite(from: URL, to: URL, checkAddress: AddressCheck): Promise<void> {
  requireWeb(to);
  if (isSameSite(getBareHost(from), getBareHost(to))) return;
  await checkAddress(to);
  throw new WebError(
    `${from.host} redirects to another site: ${to.href} If that is what you want, ask for that address.`,
  );
}

/** True if one host is the other or a part of its site, as `docs.example.com` is of `example.com`. */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [one, other].map((host) => host.replace(/^www\./, ""));
  return a === b || one.endsWith(`.${b}`) || other.endsWith(`.${a}`);
}

/** The body of a response. */
export interface ResponseBody {
  readonly bytes: Buffer;
  /** It was cut because it exceeded the limit. */
  readonly isCut: boolean;
}

/** The supported encodings, as in `Accept-Encoding`. */
const ENCODINGS = "gzip, br";

/** Honest servers don't nest more encodings. */
const MOST_LAYERS = 2;

/** Reads and unpacks a response's body. Everything beyond `most` bytes, packed or unpacked, is left unread. Throws `WebError`. */
async function readBody(
  answer: IncomingMessage,
  most: number,
  arrived: (bytes: number) => void = () => undefined,
): Promise<ResponseBody> {
  const layers = (answer.headers["content-encoding"] ?? "")
    .split(",")
    .map((layer) => layer.trim().toLowerCase())
    .filter((layer) => layer !== "" && layer !== "identity");
  if (layers.length > MOST_LAYERS)
    throw new WebError(`The answer is packed in ${layers.length} layers, so it was not unpacked.`);
  try {
    const stream = layers.length === 0 ? answer : unpackStream(answer.pipe(limitBytes(most)), layers.toReversed());
    return await collectBody(stream, most, arrived);
  } finally {
    answer.destroy();
  }
}

/** The packed bytes alone exceed the limit. */
class TooMuch extends Error {}

/** Passes on this many bytes, and fails if there are more. */
function limitBytes(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > most) done(new TooMuch());
      else done(null, chunk);
    },
  });
}

async function collectBody(stream: Readable, most: number, arrived: (bytes: number) => void): Promise<ResponseBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  let isCut = false;
  try {
    for await (const chunk of stream) {
      const bytes: Buffer = chunk;
      const room = most - length;
      chunks.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
      length += Math.min(bytes.length, room);
      arrived(length);
      isCut = bytes.length > room;
      if (isCut) break;
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    isCut = true;
  }
  return { bytes: Buffer.concat(chunks, length), isCut };
}

/** Removes a stream's encodings, outermost first. */
function unpackStream(stream: Readable, layers: readonly string[]): Readable {
  return layers.reduce((packed: Readable, layer) => {
    const unpacking = createDecompressor(layer, packed);
    packed.on("error", (error) => unpacking.destroy(error));
    return packed.pipe(unpacking);
  }, stream);
}

function createDecompressor(layer: string, packed: Readable) {
  switch (layer) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      packed.destroy();
      throw new WebError(`The answer is packed in a way that cannot be unpacked here (${layer}).`);
  }
}
