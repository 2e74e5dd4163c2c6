import http2 from "node:http2";
import { Queue } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import { displayText } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import { loadMilvusCodec, type MessageName, type MilvusCodec } from "./milvus-messages.ts";
import {
  createSharedError,
  decodeAddressPart,
  isThisMachine,
  MAX_ANSWER_BYTES,
  type SharedTrouble,
} from "./shared-errors.ts";
import type { SharedLogOptions } from "./shared-log.ts";

const CONNECT_MS = 5_000;
const ANSWER_MS = 25_000;

/** The messages whose answers contain more than a status. */
const ANSWERS: Readonly<Record<string, MessageName>> = {
  DescribeCollection: "Description",
  Query: "QueryResults",
  Search: "SearchResults",
};

/** Calls a method of the server. Throws if the server refuses. */
export type CallMilvus = (method: MessageName, fields: object) => Promise<Readonly<Record<string, unknown>>>;

/** A connection that opens on first use and reopens after a loss. Its operations run one after another. */
export class MilvusConnection {
  private readonly options: SharedLogOptions;
  private readonly address: MilvusAddress;
  /** Called for each new connection. Its result is passed to each use. */
  private readonly prepare: (call: CallMilvus) => Promise<string>;
  private readonly lost: () => void;
  private readonly queue = new Queue();
  private connected: Connected | undefined;
  private closed = false;

  constructor(options: SharedLogOptions, prepare: (call: CallMilvus) => Promise<string>, lost: () => void) {
    this.options = options;
    this.address = parseMilvusAddress(options.url);
    this.prepare = prepare;
    this.lost = lost;
  }

  get isConnected(): boolean {
    return this.connected !== undefined;
  }

  /** Resolves with what `work` returns; `epoch` names the log. Throws `MemoryError`; then the next use connects again. */
  use<T>(work: (call: CallMilvus, epoch: string) => Promise<T>): Promise<T> {
    return this.queue.add(async () => {
      try {
        if (this.closed) throw new Error("closed");
        this.connected ??= await this.connect();
        const { call, epoch } = this.connected;
        return await work(call, epoch);
      } catch (error) {
        if (!(error instanceof MilvusRefusal)) this.drop(this.connected);
        throw createMilvusError(error, this.address.host);
      }
    });
  }

  close(): void {
    this.closed = true;
    this.drop(this.connected);
  }

  private async connect(): Promise<Connected> {
    const { address, options } = this;
    const codec = await loadMilvusCodec();
    const ca = address.authority === undefined ? {} : { ca: await readLinkedText(address.authority) };
    const session = http2.connect(address.origin, { ...ca, settings: { enablePush: false } });
    session.unref();
    const connected = Promise.withResolvers<void>();
    session.once("connect", () => connected.resolve());
    session.once("error", connected.reject);
    session.setTimeout(CONNECT_MS, () => connected.reject(new Error("no answer")));
    try {
      await connected.promise;
      session.setTimeout(0);
      const call = createMilvusCaller(session, { codec, address, secret: options.secret ?? "" });
      const made: Connected = { session, call, epoch: await this.prepare(call) };
      const handleGone = (): void => this.handleLostSession(made);
      session.on("error", handleGone).on("close", handleGone).on("goaway", handleGone);
      return made;
    } catch (error) {
      session.on("error", () => "It never began.").destroy();
      throw error;
    }
  }

  private handleLostSession(connected: Connected): void {
    if (this.connected !== connected) return;
    this.drop(connected);
    if (!this.closed) this.lost();
  }

  private drop(connected: Connected | undefined): void {
    this.connected = undefined;
    connected?.session.destroy();
  }
}

interface Connected {
  readonly session: http2.ClientHttp2Session;
  readonly call: CallMilvus;
  readonly epoch: string;
}

/** The server's own message about why it refused a request. The connection remains usable. */
class MilvusRefusal extends Error {}

interface CallOptions {
  readonly codec: MilvusCodec;
  readonly address: MilvusAddress;
  readonly secret: string;
}

/** Makes gRPC calls: each message has its length in front, and the trailers contain the call's status. */
function createMilvusCaller(session: http2.ClientHttp2Session, { codec, address, secret }: CallOptions): CallMilvus {
  const { user, database } = address;
  const token = user === "" ? secret : `${user}:${secret}`;
  return async (method, fields) => {
    const message = codec.encode(method, { dbName: database, ...fields });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const stream = session.request({
      ":method": "POST",
      ":path": `/milvus.proto.milvus.MilvusService/${method}`,
      "content-type": "application/grpc",
      te: "trailers",
      ...(token === "" ? {} : { authorization: Buffer.from(token).toString("base64") }),
      ...(database === "" ? {} : { dbname: database }),
    });
    stream.setTimeout(ANSWER_MS, () => stream.destroy(new Error("no answer")));
    const status = Promise.withResolvers<void>();
    status.promise.catch(() => "It is awaited below.");
    const check = (headers: http2.IncomingHttpHeaders): void => {
      const code = String(headers["grpc-status"] ?? "0");
      const reason = decodeAddressPart(String(headers["grpc-message"] ?? `status ${code}`));
      if (code !== "0") status.reject(new MilvusRefusal(`${CODES[code] ?? ""}${reason}`));
    };
    stream.on("response", check).on("trailers", check);
    stream.once("end", status.resolve).once("error", status.reject).once("close", status.resolve);
    stream.end(Buffer.concat([head, message]));
    const answer = await readStreamBytes(stream).catch((error: unknown) => {
      status.reject(error);
      return Buffer.alloc(0);
    });
    await status.promise;
    if (answer.length < 5 || answer[0] !== 0) throw new Error("an answer that isn't gRPC");
    const read = codec.decode(
      ANSWERS[method] ?? (method === "CreateCollection" ? "Status" : "Answer"),
      answer.subarray(5),
    );
    checkStatus(method, read);
    return read;
  };
}

/** gRPC status codes with a message of their own: no permission, no space left, not signed in. */
const CODES: Readonly<Record<string, string>> = {
  "7": "permission: ",
  "8": "exhausted: ",
  "16": "unauthenticated: ",
};

async function readStreamBytes(stream: http2.ClientHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new Error("an answer that is too large");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Checks the status: methods that change the server return only a status, others have it in a field. */
function checkStatus(method: MessageName, answer: Readonly<Record<string, unknown>>): void {
  const status = isObject(answer.status) ? answer.status : answer;
  const { code = 0, errorCode = 0, reason = "" } = status;
  if (code !== 0 || errorCode !== 0) throw new MilvusRefusal(`${method}: ${String(reason)} (${code || errorCode})`);
}

/** The parts of an address. */
interface MilvusAddress {
  readonly host: string;
  readonly origin: string;
  readonly user: string;
  readonly database: string;
  /** A file with the certificate of a private authority. */
  readonly authority: string | undefined;
}

/** Throws `MemoryError`. */
function parseMilvusAddress(text: string): MilvusAddress {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const database = decodeAddressPart(url?.pathname.replace(/^\//, "") ?? "");
  if (!url || !/^https?:$/.test(url.protocol) || !/^\w{0,100}$/.test(database))
    throw new MemoryError(displayText("trouble.sharedUrl", { example: "https://user@host:19530" }));
  if (url.password !== "") throw new MemoryError(displayText("trouble.sharedUrlSecret"));
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "http:" && !isThisMachine(host))
    throw new MemoryError(displayText("trouble.sharedNotEncryptedBy", { host, prefix: "https://" }));
  const port = url.port || (url.protocol === "http:" ? "19530" : "443");
  return {
    host,
    database,
    user: decodeAddressPart(url.username),
    origin: `${url.protocol}//${url.hostname}:${port}`,
    authority: url.searchParams.get("ca") ?? undefined,
  };
}

const ERRORS: readonly (readonly [RegExp, SharedTrouble])[] = [
  [/unauthenticated|auth check failure|incorrect (?:user|password)|\(1100\)|\(1400\)/i, "refused"],
  [/permission|privilege|\(1401\)/i, "rights"],
  [/exhausted|quota|OutOfMemory|no space|disk full|force deny/i, "full"],
  [/database not found|\(800\)/i, "missing"],
];

function createMilvusError(error: unknown, host: string): MemoryError {
  if (error instanceof MemoryError) return error;
  const reason = getErrorMessage(error);
  const trouble = ERRORS.find(([pattern]) => pattern.test(reason))?.[1] ?? "other";
  return createSharedError(trouble, { host, reason, cause: error });
}
