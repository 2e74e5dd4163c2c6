import net from "node:net";
import os from "node:os";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { ConnectionOptions } from "node:tls";
import type { Client, ClientConfig } from "pg";
import { Queue } from "../../../core/base/async.ts";
import { getErrorMessage } from "../../../core/base/errors.ts";
import { isThisMachine } from "../../../core/base/http-message.ts";
import { decodeEscapes } from "../../../core/base/uri-path.ts";
import { findErrorCode } from "../../../disk/error-codes.ts";
import { readLinkedText } from "../../../disk/plain-file.ts";
import { displayText } from "../../../texts/display-text.ts";
import { MemoryError } from "../../store/memory-error.ts";
import type { SharedLogOptions } from "../shared-log.ts";
import { CHANNEL, CREATE_EXTENSION, CREATE_TABLES, OLDEST_SERVER, SCHEMA_VERSION } from "./postgres-schema.ts";
import { createSharedError, MAX_ANSWER_BYTES } from "./shared-errors.ts";

const CONNECT_MS = 5_000;
/** How long the server may take for a statement, and how much longer the client waits. */
const STATEMENT_MS = 20_000;
const SPARE_MS = 5_000;
/** How long a server may take to close the connection. */
const END_MS = 1_000;

/** A connection that opens on first use and reopens after a loss. Its operations run one after another. */
export class PostgresConnection {
  private readonly options: SharedLogOptions;
  private readonly address: Address;
  /** Called when other users have changed something, and when the connection is lost. */
  private readonly heard: (() => void) | undefined;
  private readonly statementMs: number;
  private readonly queue = new Queue();
  private connected: Connected | undefined;
  private closed = false;
  /** Bytes that the server has sent in this operation. */
  private received = 0;

  constructor(options: SharedLogOptions, heard?: () => void, statementMs: number = STATEMENT_MS) {
    this.options = options;
    this.address = parsePostgresAddress(options.url);
    this.heard = heard;
    this.statementMs = statementMs;
  }

  /** Resolves with what `work` returns; `epoch` names the log. Throws `MemoryError`; then the next use connects again. */
  use<T>(work: (client: Client, epoch: string, hasVectors: boolean) => Promise<T>): Promise<T> {
    return this.queue.add(async () => {
      try {
        if (this.closed) throw new Error("closed");
        this.received = 0;
        this.connected ??= await this.connect();
        if (this.closed) await this.close();
        const { client, epoch, hasVectors } = this.connected;
        return await work(client, epoch, hasVectors);
      } catch (error) {
        // A server that hangs would keep all later statements waiting behind this one.
        if (!isAnswer(error)) this.drop();
        throw createPostgresError(error, this.address.host);
      }
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    const { connected } = this;
    this.connected = undefined;
    // The end of an operation that is under way isn't waited for: its connection ends with it.
    const end = connected?.client.end().catch(() => "The server is gone.");
    await Promise.race([end, pause(END_MS, undefined, { ref: false })]);
    connected?.client.connection.stream.destroy();
  }

  private async connect(): Promise<Connected> {
    const { Client } = await import("pg");
    const client = new Client({
      ...(await createClientConfig(this.address, this.options.secret ?? "")),
      query_timeout: this.statementMs + SPARE_MS,
      stream: () => this.limitAnswerBytes(new net.Socket()),
    });
    client.on("error", () => this.handleLostClient(client));
    client.on("end", () => this.handleLostClient(client));
    try {
      await client.connect();
      if (this.address.isEncrypted) this.limitAnswerBytes(client.connection.stream);
      await client.query(
        `set statement_timeout = ${this.statementMs}; set idle_in_transaction_session_timeout = ${STATEMENT_MS}; set hnsw.ef_search = 100`,
      );
      const state = await prepare(client);
      client.on("notification", ({ payload }) => payload === this.options.project && this.heard?.());
      if (this.heard) await client.query(`listen ${CHANNEL}`);
      return { client, ...state };
    } catch (error) {
      client.end().catch(() => "It never began.");
      client.connection.stream.destroy();
      throw error;
    }
  }

  /** Drops the connection without waiting for the server. The next use opens another one. */
  private drop(): void {
    const { connected } = this;
    this.connected = undefined;
    connected?.client.connection.stream.destroy();
  }

  /** Ends the connection if an answer gets too large, because the library keeps the whole answer in memory. */
  private limitAnswerBytes<Stream extends Duplex>(stream: Stream): Stream {
    return stream.on("data", (bytes: Buffer) => {
      this.received += bytes.length;
      if (this.received > MAX_ANSWER_BYTES) stream.destroy(new Error("an answer that is too large"));
    });
  }

  private handleLostClient(client: Client): void {
    if (this.connected?.client !== client) return;
    this.connected = undefined;
    client.end().catch(() => "It is gone already.");
    if (!this.closed) this.heard?.();
  }
}

interface Connected extends Prepared {
  readonly client: Client;
}

interface Prepared {
  readonly epoch: string;
  readonly hasVectors: boolean;
}

/** Creates the tables in a new database, and checks existing ones. Throws `MemoryError`. */
async function prepare(client: Client): Promise<Prepared> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as version, to_regclass('memory_item') is not null as is_there",
  );
  const { version, is_there: isThere } = rows[0];
  if (version < OLDEST_SERVER)
    throw new MemoryError(displayText("trouble.sharedOldServer", { version: String(Math.floor(version / 10_000)) }));
  if (!isThere) await makeTables(client);
  const found = await client.query(
    "select version, epoch::text, exists (select from pg_extension where extname = 'vector') as vectors from memory_log limit 1",
  );
  const [log] = found.rows;
  if (!log || log.version > SCHEMA_VERSION) throw new MemoryError(displayText("trouble.sharedNewer"));
  return { epoch: log.epoch, hasVectors: log.vectors };
}

/**
 * Creates the tables, one program at a time. The lock precedes the transaction, which then sees tables that another program has created.
 */
async function makeTables(client: Client): Promise<void> {
  await client.query("select pg_advisory_lock(7168, 0)");
  try {
    await client.query(CREATE_EXTENSION).catch(() => "Without it the server doesn't search, but keeps the log.");
    await client.query(CREATE_TABLES);
  } finally {
    await client.query("select pg_advisory_unlock(7168, 0)");
  }
}

/** The parts of an address. */
interface Address {
  /** A name, or a socket's folder. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly isEncrypted: boolean;
  /** A file with the certificate of a private authority. */
  readonly authority: string | undefined;
}

/** Throws `MemoryError`. A socket's folder is the parameter `host`, and the host is empty: `postgres:///database?host=/run/postgresql`. */
function parsePostgresAddress(url: string): Address {
  const match = /^(postgres(?:ql)?):\/\/((?:[^/@?]*@)?)([^/?]*)(.*)$/.exec(url.trim());
  if (!match || !URL.canParse(`x://${match[2]}${match[3] || "socket"}${match[4]}`))
    throw new MemoryError(displayText("trouble.sharedUrl", { example: "postgres://user@host:5432/database" }));
  const { hostname, port, username, password, pathname, searchParams } = new URL(
    `x://${match[2]}${match[3] || "socket"}${match[4]}`,
  );
  if (password !== "" || searchParams.has("password")) throw new MemoryError(displayText("trouble.sharedUrlSecret"));
  const host = searchParams.get("host") ?? hostname.replace(/^\[|\]$/g, "");
  const mode = searchParams.get("sslmode") ?? "";
  const isLocal = host.startsWith("/") || isThisMachine(host);
  if (!isLocal && ["disable", "allow", "prefer"].includes(mode))
    throw new MemoryError(displayText("trouble.sharedNotEncrypted", { host }));
  return {
    host,
    port: Number(port || searchParams.get("port") || 5432),
    user: decodeEscapes(username) || os.userInfo().username,
    database: decodeEscapes(pathname.slice(1)) || "postgres",
    isEncrypted: !isLocal || mode.startsWith("require") || mode.startsWith("verify"),
    authority: searchParams.get("sslrootcert") ?? undefined,
  };
}

/**
 * Always checks certificates. The password is a function, because the library replaces an empty one with a password from `PGPASSWORD` or
 * `.pgpass`, which may belong to other servers.
 */
async function createClientConfig(address: Address, password: string): Promise<ClientConfig> {
  const { host, port, user, database, isEncrypted, authority } = address;
  const ca = authority === undefined ? {} : { ca: await readLinkedText(authority) };
  const ssl: ConnectionOptions | false = isEncrypted ? { rejectUnauthorized: true, ...ca } : false;
  return {
    host,
    port,
    user,
    database,
    ssl,
    password: () => password,
    application_name: "AutoGPT",
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  };
}

/** The classes of PostgreSQL errors with a message of their own. */
const CODES: Readonly<Record<string, Parameters<typeof createSharedError>[0]>> = {
  "28P01": "refused",
  "28000": "refused",
  "3D000": "missing",
  "42501": "rights",
  "25006": "readOnly",
  "53100": "full",
  "53200": "full",
  "53300": "full",
};

/** True if the server answered with an error, so that the connection remains usable. */
function isAnswer(error: unknown): boolean {
  return error instanceof MemoryError || (error instanceof Error && "severity" in error);
}

function createPostgresError(error: unknown, host: string): MemoryError {
  if (error instanceof MemoryError) return error;
  const code = findErrorCode(error) ?? "";
  const reason = getErrorMessage(error);
  // The server asks for a password, and there is none.
  const trouble = /^SASL:.* password must/.test(reason) ? "refused" : (CODES[code] ?? "other");
  return createSharedError(trouble, {
    host: host.startsWith("/") ? "localhost" : host,
    reason,
    cause: error,
  });
}
