import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { WebError } from "../../core/ports/services.ts";
import { type Body, ENCODINGS, readBody } from "./body.ts";
import { connectionTrouble } from "./connection-trouble.ts";
import { bareHost, type Reach } from "./reach.ts";
import { request } from "./request.ts";

/** What is asked for, and how much of it. */
export interface Getting {
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
export interface Answer {
  /** Where it was in the end. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

export type Get = (url: URL, getting: Getting) => Promise<Answer>;

const MOST_REDIRECTS = 10;

/** Some sites answer only what names itself; it is no browser and does not pretend to be one. */
const USER_AGENT = "Mozilla/5.0 (compatible; AutoGPT-VSCode/1.0)";

/** Asks addresses, with every hop of a redirect checked like the first. No cookies are kept and no credentials are sent. Throws `WebError`. */
export function getter(reach: Reach): Get {
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
      throw error instanceof WebError ? error : connectionTrouble(error, at);
    }
  };
}

async function followed(
  start: URL,
  getting: Getting,
  reach: Reach,
  going: (url: URL) => void,
): Promise<Answer> {
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

async function read(url: URL, answer: IncomingMessage, { most, arrived }: Getting): Promise<Answer> {
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
async function requireSameSite(from: URL, to: URL, reach: Reach): Promise<void> {
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
