import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { freePort } from "./free-port.ts";
import type { Certificates } from "./tls-servers.ts";

/** A way to a server that can be blocked. */
export interface BlockedLink {
  readonly port: number;
  /** While it's blocked, nothing gets through, and nothing is said about it. */
  setBlocked(isBlocked: boolean): void;
  close(): Promise<void>;
}

/** Opens a port of this machine that leads to another one; with certificates, by TLS. */
export async function openLink(target: number, certificates?: Certificates): Promise<BlockedLink> {
  const pairs = new Set<readonly Socket[]>();
  let isBlocked = false;
  const join = (near: Socket): void => {
    const far = createConnection(target, "127.0.0.1");
    const pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
      if (isBlocked) from.pause();
    }
  };
  const server: Server = certificates
    ? createTlsServer(
        {
          cert: readFileSync(certificates.certificate),
          key: readFileSync(certificates.key),
          ALPNProtocols: ["h2"],
        },
        join,
      )
    : createServer(join);
  server.on("tlsClientError", () => undefined);
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port,
    setBlocked: (blocked) => {
      isBlocked = blocked;
      for (const socket of [...pairs].flat()) {
        if (blocked) socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
