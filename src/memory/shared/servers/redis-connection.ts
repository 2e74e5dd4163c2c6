import type { EventEmitter } from "node:events";
import { isIP } from "node:net";
import { Queue, waitUntilAborted } from "../../../core/base/async.ts";
import { isThisMachine } from "../../../core/base/http-message.ts";
import { omitUndefined } from "../../../core/base/objects.ts";
import { decodeEscapes } from "../../../core/base/uri-path.ts";
import { readLinkedText } from "../../../disk/plain-file.ts";
import { displayText } from "../../../texts/display-text.ts";
import { MemoryError } from "../../store/memory-error.ts";
import type { SharedLogOptions } from "../shared-log.ts";
import { RedisAnswers } from "./redis-answers.ts";
import { convertServerError, type TroublePatterns } from "./shared-errors.ts";

const CONNECT_MS = 5_000;
const ANSWER_MS = 25_000;
const OLDEST_SERVER = 5;

/** A connection of the library. */
interface Client {
  send(words: readonly (string | Buffer)[], signal: AbortSignal): Promise<unknown>;
  destroy(): void;
}

/** The part of the library's client that gives access to its source of bytes. */
interface RedisClient extends Pick<Client, "destroy"> {
  _ejectSocket(): EventEmitter;
  _insertSocket(socket: EventEmitter): void;
  on(event: "error", listener: () => void): unknown;
}

/** An answer of the server. Its shape is checked where it's used. */
export type RedisReply = unknown;

/** Sends one command. */
export type SendCommand = (...words: readonly (string | Buffer)[]) => Promise<RedisReply>;

/** A connection that opens on first use and reopens after a loss. Its operations run one after another. */
export class RedisConnection {
  private readonly options: SharedLogOptions;
  private readonly address: RedisAddress;
  /** Called once a connection is there, and when it is lost. */
  private readonly changed: (state: "connected" | "lost") => void;
  private readonly queue = new Queue();
  private client: Client | undefined;
  private closed = false;

  constructor(options: SharedLogOptions, changed: (state: "connected" | "lost") => void = () => undefined) {
    this.options = options;
    this.address = parseRedisAddress(options.url);
    this.changed = changed;
  }

  get isConnected(): boolean {
    return this.client !== undefined;
  }

  /** Resolves with what `work` returns. Throws `MemoryError`; then the next use connects again. */
  use<T>(work: (send: SendCommand) => Promise<T>, timeoutMs = ANSWER_MS): Promise<T> {
    return this.queue.add(async () => {
      try {
        if (this.closed) throw new Error("closed");
        this.client ??= await this.connect();
        const { client } = this;
        return await work((...words) => client.send(words, AbortSignal.timeout(timeoutMs)));
      } catch (error) {
        if (!isAnswer(error)) this.drop();
        throw convertServerError(error, this.address.host, ERRORS);
      }
    });
  }

  close(): void {
    this.closed = true;
    this.drop();
  }

  private async connect(): Promise<Client> {
    const { createClient } = await import("@redis/client");
    const { host, port, user, database, isEncrypted, authority } = this.address;
    const { secret } = this.options;
    const ca = authority === undefined ? {} : { ca: await readLinkedText(authority) };
    const client = createClient({
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      database,
      ...(user === "" ? {} : { username: user }),
      ...omitUndefined({ password: secret }),
      socket: {
        host,
        port,
        connectTimeout: CONNECT_MS,
        reconnectStrategy: false,
        // A name of the server is for names alone; an address is checked without it.
        ...(isEncrypted ? { tls: true, ...(isIP(host) === 0 ? { servername: host } : {}), ...ca } : {}),
      },
    });
    const { answers, tooMuch } = limitClientAnswers(client);
    const connected: Client = {
      send: (words, signal) => {
        answers.expect();
        return waitUntilAborted(client.sendCommand([...words]), AbortSignal.any([tooMuch, signal]));
      },
      destroy: () => client.destroy(),
    };
    client.on("error", () => this.handleLostClient(connected));
    client.on("end", () => this.handleLostClient(connected));
    try {
      const limit = AbortSignal.any([tooMuch, AbortSignal.timeout(2 * CONNECT_MS)]);
      await waitUntilAborted(client.connect(), limit);
      checkVersion(await connected.send(["INFO", "server"], limit).catch(() => ""));
    } catch (error) {
      destroy(connected);
      throw error;
    }
    this.changed("connected");
    return connected;
  }

  private handleLostClient(client: Client): void {
    if (this.client !== client) return;
    this.drop();
    if (!this.closed) this.changed("lost");
  }

  private drop(): void {
    const { client } = this;
    this.client = undefined;
    if (client) destroy(client);
  }
}

/**
 * Limits the server's answers that reach the library, whose options limit neither bytes nor announced lengths. Its source of bytes is
 * accessible only in this undocumented way; the tests fail if that changes.
 */
function limitClientAnswers(client: RedisClient): {
  readonly answers: RedisAnswers;
  readonly tooMuch: AbortSignal;
} {
  const answers = new RedisAnswers();
  const stop = new AbortController();
  let isOver = false;
  const socket = client._ejectSocket();
  client._insertSocket(socket);
  const decoders = socket.listeners("data");
  socket.removeAllListeners("data");
  socket.on("data", (bytes: Buffer) => {
    if (isOver) return;
    if (answers.canAcceptChunk(bytes)) for (const decode of decoders) decode.call(socket, bytes);
    else {
      isOver = true;
      stop.abort(new Error("an answer that is too large or isn't of Redis"));
      destroy(client);
    }
  });
  // The library begins again within an answer then.
  client.on("error", () => {
    isOver = true;
  });
  return { answers, tooMuch: stop.signal };
}

function destroy(client: Pick<Client, "destroy">): void {
  try {
    client.destroy();
  } catch {
    // It is closed already.
  }
}

/** Checks the version. Some users may not query it; then an old server rejects a command later. */
function checkVersion(info: RedisReply): void {
  const version = /^redis_version:([\w.]{1,20})/m.exec(String(info))?.[1];
  if (version !== undefined && Number.parseInt(version, 10) < OLDEST_SERVER)
    throw new MemoryError(displayText("trouble.sharedOldRedis", { version }));
}

/** The parts of an address. */
interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: number;
  readonly isEncrypted: boolean;
  /** A file with the certificate of a private authority. */
  readonly authority: string | undefined;
}

/** Throws `MemoryError`. */
function parseRedisAddress(text: string): RedisAddress {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const database = url?.pathname.replace(/^\//, "") ?? "";
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === "" || !/^\d{0,4}$/.test(database))
    throw new MemoryError(displayText("trouble.sharedUrl", { example: "rediss://user@host:6379" }));
  if (url.password !== "") throw new MemoryError(displayText("trouble.sharedUrlSecret"));
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isEncrypted = url.protocol === "rediss:";
  if (!isEncrypted && !isThisMachine(host))
    throw new MemoryError(displayText("trouble.sharedNotEncryptedBy", { host, prefix: "rediss://" }));
  return {
    host,
    isEncrypted,
    port: Number(url.port || 6379),
    user: decodeEscapes(url.username),
    database: Number(database || 0),
    authority: url.searchParams.get("ca") ?? undefined,
  };
}

/** The first words of server errors that have a message of their own. In a script's error, they come later. */
const ERRORS: TroublePatterns = [
  [/WRONGPASS|NOAUTH|invalid password|AUTH.*without any password/i, "refused"],
  [/NOPERM|no permissions/i, "rights"],
  [/\bOOM\b|MISCONF/, "full"],
  [/READONLY/, "readOnly"],
  [/DB index|WRONGTYPE/i, "missing"],
];

/** True if the server answered with an error, so that the connection remains usable. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{3,20} /.test(error.message);
}
