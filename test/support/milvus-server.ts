import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pythonEnvironment } from "./postgres-server.ts";
import { freePort } from "./redis-server.ts";

const PACKAGES = ["milvus-lite==3.2.2", "pymilvus==3.0.2"];
/** Milvus Lite isn't made for several writers at once: its log loses rows then. So it answers one request after another. */
const SERVE = `import sys
from milvus_lite.adapter.grpc.server import run_server
run_server(sys.argv[1], "127.0.0.1", int(sys.argv[2]), max_workers=1)`;

/** A real Milvus Lite server of the tests, on a random port of this machine, with its data in a temporary folder. */
export class MilvusServer {
  readonly port: number;
  private readonly python: string;
  private readonly folder: string;
  private child: ChildProcess | undefined;
  private readonly killNow = () => this.child?.kill("SIGKILL");

  private constructor(python: string, folder: string, port: number) {
    this.python = python;
    this.folder = folder;
    this.port = port;
  }

  /** Undefined where Python lacks; in CI that throws. */
  static async start(): Promise<MilvusServer | undefined> {
    const python = await pythonEnvironment("milvus", PACKAGES);
    if (!python) return undefined;
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-milvus-"));
    const server = new MilvusServer(python, folder, await freePort());
    process.once("exit", server.killNow);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(this.python, ["-c", SERVE, path.join(this.folder, "data"), String(this.port)], {
      stdio: "ignore",
    });
    this.child = child;
    for (let tries = 0; tries < 600; tries++) {
      if (await listens(this.port)) return;
      if (child.exitCode !== null) break;
      await pause(50);
    }
    throw new Error("Milvus Lite didn't start.");
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

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const listening = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return listening;
}
