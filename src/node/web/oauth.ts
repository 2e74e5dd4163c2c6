import { createHmac, randomUUID } from "node:crypto";

/** The four parts by which a service knows an app and its user (OAuth 1.0a). */
export interface OAuthKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string;
  readonly tokenSecret: string;
}

/** What is signed. */
export interface Signing {
  readonly method: "GET" | "POST";
  /** Without its query. */
  readonly address: string;
  /** Parameters of the query and of a form; none for a JSON body. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
}

/** The `Authorization` header of a request, signed with HMAC-SHA1 as RFC 5849 says. */
export function oauthHeader(keys: OAuthKeys, signing: Signing): string {
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
    ([name, value]) => [encoded(name), encoded(value)] as const,
  );
  const sorted = all.sort(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)));
  const base = [method, address, sorted.map(([name, value]) => `${name}=${value}`).join("&")]
    .map(encoded)
    .join("&");
  const key = `${encoded(keys.consumerSecret)}&${encoded(keys.tokenSecret)}`;
  const signature = createHmac("sha1", key).update(base).digest("base64");
  const parts = Object.entries({ ...oauth, oauth_signature: signature });
  return `OAuth ${parts.map(([name, value]) => `${name}="${encoded(value)}"`).join(", ")}`;
}

/** The keys as the user gives them, in one line; undefined when they are not four. */
export function readOAuthKeys(line: string): OAuthKeys | undefined {
  const [consumerKey, consumerSecret, token, tokenSecret, more] = line.trim().split(/[\s:,;]+/);
  if (!consumerKey || !consumerSecret || !token || !tokenSecret || more !== undefined) return undefined;
  return { consumerKey, consumerSecret, token, tokenSecret };
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
