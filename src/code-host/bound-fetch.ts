import { DisplayError, displayText } from "../texts/display-text.ts";
import type { CodeServer } from "./servers.ts";

const MOST_REDIRECTS = 3;

/**
 * A `fetch` that reaches one origin only, because its requests carry a token. A redirect within the origin is followed for requests that
 * read, as for a renamed repository; any other is an error. `fetch` is looked up at each call, because an editor may replace it.
 */
export function createBoundFetch(api: string): typeof globalThis.fetch {
  const { origin } = new URL(api);
  return async (input, init = {}) => {
    let address = demandOrigin(input instanceof Request ? input.url : String(input), origin);
    for (let hops = 0; ; hops++) {
      const response = await globalThis.fetch(address, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      const isRead = init.method === undefined || init.method === "GET";
      const isRedirect = [301, 302, 307, 308].includes(response.status) && location !== null;
      if (!isRedirect || init.redirect === "manual") return response;
      if (!isRead || hops === MOST_REDIRECTS) throw createRedirectError(origin);
      await response.body?.cancel();
      address = demandOrigin(new URL(location, address).href, origin);
    }
  };
}

function demandOrigin(address: string, origin: string): string {
  if (URL.parse(address)?.origin !== origin) throw createRedirectError(origin);
  return address;
}

function createRedirectError(origin: string): DisplayError {
  return new DisplayError(displayText("codehost.redirected", { host: new URL(origin).host }));
}

/** The end of a log, or the longest answer, that is kept. */
const MOST_BYTES = 4_000_000;
const LOG_MS = 60_000;

/** Reads the end of a log from the place that the server names. It's on another origin, and gets no token. */
export async function fetchLogEnd(
  location: string,
  server: CodeServer,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = URL.parse(location, server.api);
  if (!url || (url.protocol !== "https:" && url.protocol !== new URL(server.api).protocol)) return undefined;
  const response = await globalThis.fetch(url, {
    redirect: "error",
    credentials: "omit",
    signal: AbortSignal.any([signal, AbortSignal.timeout(LOG_MS)]),
  });
  return response.ok ? readEnd(response) : undefined;
}

/** The end of an answer's text. */
export async function readEnd(response: Response): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    kept.push(chunk);
    bytes += chunk.length;
    while (kept[0] && bytes - kept[0].length >= MOST_BYTES) bytes -= kept.shift()?.length ?? 0;
  }
  return Buffer.concat(kept).toString("utf8");
}
