import { once } from "node:events";
import fs from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { ChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { pythonEnvironment } from "./postgres-server.ts";

const PACKAGES = ["milvus-lite==3.2.2", "pymilvus==3.0.2"];
/** Milvus Lite isn't made for several writers at once: its log loses rows then. So it answers one request after another. */
const SERVE = `import sys
from milvus_lite.adapter.grpc.server import run_server
run_server(sys.argv[1], "127.0.0.1", int(sys.argv[2]), max_workers=1)`;

/** A real Milvus Lite server of the tests, on a random port of this machine, with its data in a temporary folder. */
export class MilvusServer extends ChildServer {
  protected readonly program;

  /** Undefined where Python lacks; in CI that throws. */
  static async start(): Promise<MilvusServer | undefined> {
    const python = await pythonEnvironment("milvus", PACKAGES);
    if (!python) return undefined;
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-milvus-"));
    const server = new MilvusServer(python, folder, await freePort());
    await server.start();
    return server;
  }

  private constructor(python: string, folder: string, port: number) {
    super(folder, port);
    this.program = { program: python, args: ["-c", SERVE, path.join(folder, "data"), String(port)] };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  protected answers(): Promise<boolean> {
    return listens(this.port);
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
