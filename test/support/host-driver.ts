import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { eventually } from "../e2e/support/eventually.ts";

/** VS Code's API, as functions that run in the extension host get it. */
export type VsCodeApi = typeof import("vscode");

/** The extension that does in the host what it is told. */
export const DRIVER_EXTENSION = path.join(import.meta.dirname, "../fixtures/driver-extension");

/** Lets functions run in the extension host of a VS Code. */
export interface HostDriver {
  /** For the host's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a function there: it sees its two arguments and what the host has, and nothing around it here. Rejects when the host is gone. */
  inHost<A, R>(act: (vscode: VsCodeApi, argument: A) => R | Promise<R>, argument: A): Promise<R>;
  close(): void;
}

/** Waits for hosts on a port of its own; each new one takes the place of the one before. */
export async function hostDriver(): Promise<HostDriver> {
  const hosts: { newest?: Socket; asked: number } = { asked: 0 };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    hosts.newest = socket;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    env: { TEST_DRIVER_PORT: String(port) },
    async inHost(act, argument) {
      const host = await eventually("An extension host", () => alive(hosts.newest));
      const id = hosts.asked++;
      host.write(`${JSON.stringify({ id, source: act.toString(), argument })}\n`);
      return answerOf(host, id);
    },
    close() {
      hosts.newest?.destroy();
      server.close();
    },
  };
}

const alive = (socket: Socket | undefined) => (socket?.destroyed === false ? socket : undefined);

async function answerOf<R>(host: Socket, id: number): Promise<R> {
  const lines = createInterface({ input: host });
  try {
    for await (const line of lines) {
      const answer = JSON.parse(line);
      if (answer.id !== id) continue;
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value;
    }
  } finally {
    lines.close();
  }
  throw new Error("The extension host is gone.");
}
