import { execFile, execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";

const run = promisify(execFile);
const PACKAGE = "pgserver==0.1.4";
export const BACKENDS_CACHE = path.join(os.homedir(), ".cache", "autogpt-backends");
const START = "import pgserver, sys; print(pgserver.get_server(sys.argv[1], cleanup_mode=None).get_uri())";

/** A real PostgreSQL server of the tests, on a socket in a temporary folder. */
export interface PostgresServer {
  /** The address of a database; absent: the server's own. */
  url(database?: string): string;
  /** Makes an empty database and returns its name. */
  newDatabase(): Promise<string>;
  /** Runs SQL as the administrator. */
  query(sql: string, values?: readonly unknown[], database?: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends every process of the server as a power failure does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A Python environment with some packages, which later runs find again. Undefined where Python lacks; in CI that throws. */
export async function pythonEnvironment(name: string, packages: readonly string[]): Promise<string | undefined> {
  const folder = path.join(BACKENDS_CACHE, name);
  const python = (of: string) =>
    path.join(of, ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]));
  if (await isThere(python(folder))) return python(folder);
  const made = `${folder}-${process.pid}`;
  try {
    await fs.mkdir(BACKENDS_CACHE, { recursive: true });
    await run(process.platform === "win32" ? "py" : "python3", ["-m", "venv", made], { timeout: 60_000 });
    await run(python(made), ["-m", "pip", "--disable-pip-version-check", "install", "-q", ...packages], {
      timeout: 300_000,
    });
    await fs.rename(made, folder);
  } catch (error) {
    await fs.rm(made, { recursive: true, force: true });
    if (await isThere(python(folder))) return python(folder);
    if (process.env.CI) throw error;
    return undefined;
  }
  return python(folder);
}

/** Starts a server. Undefined where Python lacks; in CI that throws. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const python = await pythonEnvironment("postgres", [PACKAGE]);
  if (!python) return undefined;
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-pg-"));
  // The server's own user has to reach it.
  await fs.chmod(folder, 0o755);
  const server = new TestServer(python, path.join(folder, "data"));
  process.once("exit", server.atExit);
  await server.start();
  return server;
}

class TestServer implements PostgresServer {
  private readonly python: string;
  private readonly folder: string;
  private uri = "";
  private pid: number | undefined;
  private databases = 0;
  readonly atExit = () => this.killNow();

  constructor(python: string, folder: string) {
    this.python = python;
    this.folder = folder;
  }

  url(database = "postgres"): string {
    return this.uri.replace("@/postgres", `@/${database}`);
  }

  async newDatabase(): Promise<string> {
    const name = `test_${++this.databases}`;
    await this.query(`create database ${name}`);
    return name;
  }

  async query(
    sql: string,
    values: readonly unknown[] = [],
    database = "postgres",
  ): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database) });
    client.on("error", () => "The server was killed.");
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async start(): Promise<void> {
    const { stdout } = await run(this.python, ["-c", START, this.folder], { timeout: 60_000 });
    this.uri = stdout.trim().replace("postgres:@", "postgres@");
    this.pid = Number((await fs.readFile(path.join(this.folder, "postmaster.pid"), "utf8")).split("\n")[0]);
  }

  async kill(): Promise<void> {
    const { pid } = this;
    this.killNow();
    // Its number may belong to another process by now, or to one that nothing waits for.
    for (let tries = 0; tries < 250 && pid !== undefined && isRunning(pid); tries++) await pause(20);
  }

  /** The processes of the server end with their parent, but not at once. */
  killNow(): void {
    const { pid } = this;
    this.pid = undefined;
    if (pid === undefined || !isRunning(pid)) return;
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)])
      .toString()
      .split("\n");
    for (const each of [pid, ...children.map(Number)]) {
      try {
        if (each > 1) process.kill(each, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }

  async stop(): Promise<void> {
    process.off("exit", this.atExit);
    await this.kill();
    await fs.rm(path.dirname(this.folder), { recursive: true, force: true, maxRetries: 5 });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isThere(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}
