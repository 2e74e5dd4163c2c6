import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A server on this machine that answers what a test wants. */
export interface WebServer {
  /** Without a slash at its end. */
  readonly address: string;
  readonly port: number;
  /** The requests so far, as `GET /path`. */
  readonly asked: string[];
}

export type Answering = (asked: IncomingMessage, answer: ServerResponse, url: URL) => unknown;

/** Makes servers for the tests around it, and closes them after each. */
export function webServers(): (answering: Answering, certificate?: string | Buffer) => Promise<WebServer> {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(
      servers.splice(0).map((server) => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
      }),
    );
  });
  return async (answering, pem) => {
    const asked: string[] = [];
    const listener: RequestListener = (request, answer) => {
      asked.push(`${request.method} ${request.url}`);
      void answering(request, answer, new URL(request.url ?? "/", "http://x"));
    };
    const server = pem ? createTlsServer({ key: pem, cert: pem }, listener) : createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { address: `${pem ? "https" : "http"}://127.0.0.1:${port}`, port, asked };
  };
}

/** Answers with a page. */
export function page(answer: ServerResponse, html: string, status = 200): void {
  answer.writeHead(status, { "content-type": "text/html; charset=utf-8" });
  answer.end(html);
}
