import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { WebError } from "../../core/ports/services.ts";
import { type AddressCheck, bareHost } from "./address-check.ts";
import { request, webConnectionError } from "./request.ts";

/** What is asked for, and how much of it. */
export interface GetOptions {
  readonly signal: AbortSignal;
  /** Bytes; what is more is left unread. */
  readonly most: number;
  /** For all of it. */
  readonly seconds: number;
  /** Media types, best first, as `Accept` has them. */
  readonly accept: string;
  /** Keys may be among them: a redirect to another origin does not get them. */
  readonly headers?: Readonly<Record<string, string>>;
  arrived?(bytes: number, total: number | undefined): void;
}

/** What a server answered, whatever its status. */
export interface WebResponse {
  /** Where it was in the end. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponseBody;
}

export type Get = (url: URL, getting: GetOptions) => Promise<WebResponse>;

const MOST_REDIRECTS = 10;

/** Some sites answer only what names itself; it is no browser and does not pretend to be one. */
const USER_AGENT = "Mozilla/5.0 (compatible; AutoGPT-VSCode/1.0)";

/** Asks addresses, with every hop of a redirect checked like the first. No cookies are kept and no credentials are sent. Throws `WebError`. */
export function getter(reach: AddressCheck): Get {
  return async (url, getting) => {
    const { signal, seconds } = getting;
    const clock = AbortSignal.timeout(seconds * 1000);
    let at = url;
    try {
      return await followed(url, { ...getting, signal: AbortSignal.any([signal, clock]) }, reach, (next) => {
        at = next;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (clock.aborted)
        throw new WebError(
          `${at.host} took longer than ${seconds} seconds, so it was given up. Try again later, or take another source.`,
        );
      throw error instanceof WebError ? error : webConnectionError(error, at);
    }
  };
}

async function followed(
  start: URL,
  getting: GetOptions,
  reach: AddressCheck,
  going: (url: URL) => void,
): Promise<WebResponse> {
  let url = start;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    requireWeb(url);
    going(url);
    const answer = await request(url, await reach(url), {
      headers: {
        ...plainHeaders(getting.accept),
        ...(url.origin === start.origin ? getting.headers : {}),
      },
      signal: getting.signal,
    });
    const next = redirectOf(answer, url);
    if (!next) return read(url, answer, getting);
    answer.destroy();
    await requireSameSite(url, next, reach);
    url = next;
  }
  throw new WebError(
    `${start.host} redirects without end (more than ${MOST_REDIRECTS} times), so it was given up. Take another source.`,
  );
}

async function read(url: URL, answer: IncomingMessage, { most, arrived }: GetOptions): Promise<WebResponse> {
  const { headers, statusCode = 0 } = answer;
  const total = headers["content-encoding"] === undefined ? Number(headers["content-length"]) : Number.NaN;
  const body = await readBody(answer, most, (bytes) =>
    arrived?.(bytes, Number.isNaN(total) ? undefined : total),
  );
  return { url, status: statusCode, headers, body };
}

function plainHeaders(accept: string): Readonly<Record<string, string>> {
  return {
    "user-agent": USER_AGENT,
    accept,
    "accept-language": "en,*;q=0.5",
    "accept-encoding": ENCODINGS,
  };
}

function redirectOf({ statusCode, headers }: IncomingMessage, from: URL): URL | undefined {
  if (headers.location === undefined || ![301, 302, 303, 307, 308].includes(statusCode ?? 0))
    return undefined;
  const next = URL.parse(headers.location, from);
  if (!next) throw new WebError(`${from.host} redirects to what is no address. Take another source.`);
  if (next.hash === "") next.hash = from.hash;
  return next;
}

function requireWeb({ protocol, username, password, host }: URL): void {
  if (protocol !== "http:" && protocol !== "https:")
    throw new WebError(`${host || "It"} leads to a ${protocol} address; only http and https are opened.`);
  if (username !== "" || password !== "")
    throw new WebError(`The address at ${host} holds a user name or password. Leave it out.`);
}

/** Another site is another decision: what was approved is the host that was shown. */
async function requireSameSite(from: URL, to: URL, reach: AddressCheck): Promise<void> {
  requireWeb(to);
  if (isSameSite(bareHost(from), bareHost(to))) return;
  await reach(to);
  throw new WebError(
    `${from.host} redirects to another site: ${to.href} If that is what you want, ask for that address.`,
  );
}

function isSameSite(one: string, other: string): boolean {
  const [a, b] = [one, other].map((host) => host.replace(/^www\./, ""));
  return a === b || one.endsWith(`.${b}`) || other.endsWith(`.${a}`);
}

/** What came of an answer's body. */
export interface ResponseBody {
  readonly bytes: Buffer;
  /** It was longer than the limit, and ends there. */
  readonly isCut: boolean;
}

/** What `Accept-Encoding` says we can unpack. */
const ENCODINGS = "gzip, br";

/** Nothing is packed in more layers than this by honest servers. */
const MOST_LAYERS = 2;

/** Reads an answer's body, unpacked. What is longer than `most` bytes, packed or unpacked, is left unread. Throws `WebError`. */
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
    const stream = layers.length === 0 ? answer : unpacked(answer.pipe(atMost(most)), layers.toReversed());
    return await collected(stream, most, arrived);
  } finally {
    answer.destroy();
  }
}

/** The packed bytes alone are more than may be read. */
class TooMuch extends Error {}

/** Passes so many bytes on, and breaks off at the next. */
function atMost(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > most) done(new TooMuch());
      else done(null, chunk);
    },
  });
}

async function collected(
  stream: Readable,
  most: number,
  arrived: (bytes: number) => void,
): Promise<ResponseBody> {
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

/** The stream with its outermost layers taken off one after the other. */
function unpacked(stream: Readable, layers: readonly string[]): Readable {
  return layers.reduce((packed: Readable, layer) => {
    const unpacking = decompressor(layer, packed);
    packed.on("error", (error) => unpacking.destroy(error));
    return packed.pipe(unpacking);
  }, stream);
}

function decompressor(layer: string, packed: Readable) {
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
