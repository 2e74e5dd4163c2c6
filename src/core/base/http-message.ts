import { cutMiddle, escapeForApproval } from "./text.ts";

/** Methods of requests that commands send. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/**
 * True for a host that no one outside of this machine can be, in an address or alone. Names below `localhost` aren't: a resolver may know them
 * as another machine.
 */
export function isThisMachine(host: string): boolean {
  return /^(?:localhost|\[::1\]|::1|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/i.test(host);
}

/** Headers that the connection sets, or that identify the user. */
const RESERVED =
  /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|keep-alive|via|origin|referer|accept-encoding)$|^(?:proxy|sec)-/i;
const CREDENTIALS =
  /^(?:authorization|cookie2?|set-cookie|authentication)$|(?:^|[-_])(?:api-?key|auth-?token|access-?token|token|secret|password)$|^x-.*auth/i;

/** Why a header isn't sent, as a sentence; undefined if it is. */
export function findHeaderProblem(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(name)) return `"${escapeForApproval(name)}" is no name of a header.`;
  if (RESERVED.test(name)) return `The header "${name}" is set by the connection. Leave it out.`;
  if (CREDENTIALS.test(name))
    return `The header "${name}" would carry a key. Keys are the user's: leave it out, and ask the user to describe the API in autogpt.plugins.config, where a key can be stored.`;
  if (!/^[\t\x20-\x7e\x80-\xff]{0,2000}$/.test(value))
    return `The value of the header "${name}" has line ends or characters that headers can't have, or is too long.`;
  return undefined;
}

/** Maximum number of characters of a body that the model reads. */
const MOST = 20_000;

const TOLD = ["content-type", "location", "retry-after", "link", "allow", "etag"];

/** A response as text for the model: status, a few headers, and the body; JSON is indented. */
export function renderResponse({
  status,
  headers,
  bytes,
  isCut,
}: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}): string {
  const told = TOLD.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]));
  const size = `${bytes.length} bytes${isCut ? ", cut there because it is longer" : ""}`;
  const head = [`HTTP ${status}, ${size}`, ...told].join("\n");
  return bytes.length === 0 ? head : `${head}\n\n${renderBody(bytes, headers["content-type"] ?? "")}`;
}

function renderBody(bytes: Uint8Array, type: string): string {
  const text = decodeBody(bytes, /charset="?([\w-]+)/i.exec(type)?.[1]);
  if (text === undefined) return "(no text)";
  const shown = indentJson(text);
  return cutMiddle(shown, MOST, `\n[… ${shown.length - MOST} characters left out …]\n`, 0.8);
}

function decodeBody(bytes: Uint8Array, charset = "utf-8"): string | undefined {
  if (bytes.subarray(0, 2000).includes(0)) return undefined;
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
