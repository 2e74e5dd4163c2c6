import { createHmac, randomUUID } from "node:crypto";
import { type TweetPublisher, WebError } from "../../core/ports/services.ts";

/** The address under which keys for X are stored. */
export const X_ADDRESS = "https://api.x.com";
const SECONDS = 30;

/** Posts on X with version 2 of its API. `keyStep` describes how users can change the keys, as part of a sentence. */
export function createXPublisher(keys: OAuthKeys, keyStep: string, address = X_ADDRESS): TweetPublisher {
  const host = new URL(address).hostname;
  return {
    name: "X",
    host,
    async post(text, signal) {
      const url = `${address}/2/tweets`;
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: computeOAuthHeader(keys, { method: "POST", address: url }),
        },
        body: JSON.stringify({ text }),
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new WebError(`${host} could not be reached. It's unknown whether it was published, so don't repeat it.`, {
          cause: error,
        });
      });
      const id = response.ok ? findTweetId(await response.json().catch(() => undefined)) : undefined;
      if (id === undefined) throw new WebError(explainRefusal(host, response.status, keyStep));
      return `https://x.com/i/status/${id}`;
    },
  };
}

function findTweetId(answer: unknown): string | undefined {
  const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function explainRefusal(host: string, status: number, keyStep: string): string {
  switch (status) {
    case 401:
      return `${host} rejects the keys. The user can change them: ${keyStep}. Nothing was published.`;
    case 403:
      return `${host} does not allow it: the text may have been published before, or the app may only read. Nothing was published.`;
    case 429:
      return `${host} takes no more posts for now. Nothing was published; try again in a quarter of an hour.`;
    default:
      return `${host} answered ${status}. Check whether it was published before you try again.`;
  }
}

/** The four keys that identify an app and its user (OAuth 1.0a). */
export interface OAuthKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string;
  readonly tokenSecret: string;
}

/** A request to sign. */
export interface OAuthRequest {
  readonly method: "GET" | "POST";
  /** Without the query. */
  readonly address: string;
  /** Parameters of the query and of a form; none for a JSON body. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
}

/** The `Authorization` header of a request, signed with HMAC-SHA1 according to RFC 5849. */
export function computeOAuthHeader(keys: OAuthKeys, signing: OAuthRequest): string {
  const { method, address, parameters = {}, nonce = randomUUID(), timestamp = Date.now() / 1000 } = signing;
  const oauth: Readonly<Record<string, string>> = {
    oauth_consumer_key: keys.consumerKey,
    oauth_nonce: nonce,
    oauth_signature_method: "HMAC-SHA1",
    oauth_timestamp: String(Math.floor(timestamp)),
    oauth_token: keys.token,
    oauth_version: "1.0",
  };
  const all = Object.entries({ ...parameters, ...oauth }).map(
    ([name, value]) => [encodeText(name), encodeText(value)] as const,
  );
  const sorted = all.sort(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)));
  const base = [method, address, sorted.map(([name, value]) => `${name}=${value}`).join("&")].map(encodeText).join("&");
  const key = `${encodeText(keys.consumerSecret)}&${encodeText(keys.tokenSecret)}`;
  const signature = createHmac("sha1", key).update(base).digest("base64");
  const parts = Object.entries({ ...oauth, oauth_signature: signature });
  return `OAuth ${parts.map(([name, value]) => `${name}="${encodeText(value)}"`).join(", ")}`;
}

/** Parses the keys from one line of user input; undefined if there aren't four. */
export function readOAuthKeys(line: string): OAuthKeys | undefined {
  const [consumerKey, consumerSecret, token, tokenSecret, more] = line.trim().split(/[\s:,;]+/);
  if (!consumerKey || !consumerSecret || !token || !tokenSecret || more !== undefined) return undefined;
  return { consumerKey, consumerSecret, token, tokenSecret };
}

function encodeText(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
