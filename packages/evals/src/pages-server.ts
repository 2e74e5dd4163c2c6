import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { EvalTask } from "./suite.ts";

/** Pages of a task on loopback. */
export interface PagesServer {
  readonly origin: string;
  /** Method, path with query, and body of each request, in their order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Placeholders in a task's texts: the pages' address, their host with its port, and the same server as a host that isn't allowed. */
const MARKS = /\{\{(origin|host|elsewhere)\}\}/g;

function fillPlaceholders(text: string, origin: string): string {
  const { host, port } = new URL(origin);
  const values = { origin, host, elsewhere: `http://localhost:${port}` };
  return text.replace(MARKS, (_, name: keyof typeof values) => values[name]);
}

/** Serves a task's pages on their own port, and records all requests. */
export async function servePages(pages: NonNullable<EvalTask["pages"]>): Promise<PagesServer> {
  const requests: string[] = [];
  let origin = "";
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => "");
    const path = request.url ?? "/";
    requests.push(`${request.method} ${path} ${JSON.stringify(request.headers)} ${body}`.trim());
    const page = pages[URL.parse(path, origin)?.pathname ?? ""];
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end((page && fillPlaceholders(page, origin)) ?? "<p>There is no such page.</p>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return {
    origin,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Inserts the pages' address into all texts of a value. */
export function insertOrigin<T>(value: T, origin: string): T {
  return JSON.parse(fillPlaceholders(JSON.stringify(value), origin));
}
