import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, isIP, type Server as NetServer, type Socket } from "node:net";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { type AddressCheck, getBareHost } from "./address-check.ts";
import { createPinnedLookup, request } from "./request.ts";

/** A local proxy of this program, which forwards only checked requests. */
export interface CheckedProxy {
  readonly port: number;
  /** Ends all connections through it. */
  close(): Promise<void>;
}

/** Maximum bytes in total, received and sent. */
const MOST_BYTES = 100_000_000;
const MOST_SENT = 1_000_000;

/** The proxy's socket, and limits for its traffic. */
export interface ProxyOptions {
  /** A socket that is already listening; absent: a port on the loopback address. */
  readonly socket?: NetServer;
  /** Maximum bytes in total, received and sent. */
  readonly mostBytes?: number;
  /** Maximum bytes of the body of one plain request. */
  readonly mostSent?: number;
}

/** Starts a proxy for one browser or run. Each request and tunnel goes only to an address that `checkAddress` has checked. */
export async function startCheckedProxy(
  checkAddress: AddressCheck,
  { socket: listening, mostBytes = MOST_BYTES, mostSent = MOST_SENT }: ProxyOptions = {},
): Promise<CheckedProxy> {
  const sockets = new Set<Socket>();
  const budget = { left: mostBytes, sent: mostSent };
  const server = createServer((asked, answer) => void pass(asked, answer, checkAddress, budget));
  server.on("connect", (asked, socket: Socket, head) => {
    if (head.length > 0) socket.unshift(head);
    void openTunnel(asked.url ?? "", socket, checkAddress, sockets, budget);
  });
  server.on("connection", (socket) => keep(socket, sockets));
  await new Promise<void>((resolve) =>
    listening ? server.listen(listening, resolve) : server.listen(0, "127.0.0.1", resolve),
  );
  const address = server.address() as AddressInfo;
  return { port: address.port, close: () => end(server, sockets) };
}

interface ByteBudget {
  left: number;
  /** Bytes of one request's body. */
  readonly sent: number;
}

async function end(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => sockets.delete(socket));
}

/** Forwards a plain request with an absolute address. */
async function pass(
  asked: IncomingMessage,
  answer: ServerResponse,
  checkAddress: AddressCheck,
  budget: ByteBudget,
): Promise<void> {
  const url = URL.parse(asked.url ?? "");
  const stop = new AbortController();
  answer.once("close", () => stop.abort());
  try {
    if (url?.protocol !== "http:") throw new Error("Only http is passed on like this.");
    const body = await readBody(asked, budget.sent);
    const headers = filterHeaders(asked);
    const got = await request(url, await checkAddress(url), {
      headers,
      signal: stop.signal,
      ...omitUndefined({ method: asked.method }),
      ...(body.length === 0 ? {} : { body }),
    });
    got.on("error", () => answer.destroy());
    got.on("data", (chunk: Buffer) => spend(budget, chunk, answer));
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
  } catch (error) {
    if (!answer.headersSent) answer.writeHead(403, { "content-type": "text/plain", "proxy-status": "autogpt" });
    answer.end(getErrorMessage(error));
  }
}

/** The body of a page's request, which must be small. */
async function readBody(asked: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of asked) {
    length += chunk.length;
    if (length > most) throw new Error("Too much is sent.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Removes headers that are meant for this proxy. The server comes from the address, not from the client. */
function filterHeaders({ headers }: IncomingMessage): Record<string, string> {
  const own = /^(?:proxy-|host$|connection$|keep-alive$|te$|trailer$|transfer-encoding$|upgrade$|content-length$)/;
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" && !own.test(name) ? [[name, value]] : [],
    ),
  );
}

/** Opens a tunnel for TLS to a checked address. */
async function openTunnel(
  target: string,
  socket: Socket,
  checkAddress: AddressCheck,
  sockets: Set<Socket>,
  budget: ByteBudget,
): Promise<void> {
  const url = URL.parse(`https://${target}`);
  const checked = url ? await checkAddress(url).catch(() => []) : [];
  if (!url || checked.length === 0) {
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    return;
  }
  const far = connect({
    host: getBareHost(url),
    port: Number(url.port || 443),
    lookup: createPinnedLookup(checked),
  });
  keep(far, sockets);
  far.once("connect", () => {
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    far.pipe(socket);
    void sendGreeted({ socket, far, url, checkAddress, budget });
  });
  far.on("data", (chunk: Buffer) => spend(budget, chunk, socket));
  far.once("close", () => socket.end());
  socket.once("close", () => far.destroy());
}

interface Tunnel {
  readonly socket: Socket;
  readonly far: Socket;
  readonly url: URL;
  readonly checkAddress: AddressCheck;
  readonly budget: ByteBudget;
}

/** Forwards a client's data if the server in its TLS greeting is also allowed, since many servers can share an address. */
async function sendGreeted({ socket, far, url, checkAddress, budget }: Tunnel): Promise<void> {
  try {
    const host = getBareHost(url);
    const name = await readGreetedServer(socket);
    const isSame = name === undefined || name === (isIP(host) === 0 ? host : "");
    if (!isSame) await checkAddress(new URL(`https://${name}${url.port && `:${url.port}`}`));
    socket.on("data", (chunk: Buffer) => spend(budget, chunk, far));
    socket.pipe(far);
  } catch {
    far.destroy();
  }
}

/** The server in a client's TLS greeting, before any data is forwarded: empty if it names none, undefined for another protocol. */
async function readGreetedServer(socket: Socket): Promise<string | undefined> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    const isGreeting = bytes[0] === GREETING_RECORD;
    if (isGreeting && (bytes.length < 5 || bytes.length < 5 + bytes.readUInt16BE(3))) continue;
    socket.unshift(bytes);
    return isGreeting ? readServerName(bytes.subarray(5, 5 + bytes.readUInt16BE(3))) : undefined;
  }
  throw new Error("The client ended.");
}

const [GREETING_RECORD, CLIENT_HELLO, SERVER_NAME] = [22, 1, 0];

/** The server that a TLS client's greeting names; empty if there is none. */
function readServerName(hello: Buffer): string {
  try {
    return hello[0] === CLIENT_HELLO ? parseServerName(hello).toLowerCase() : "";
  } catch {
    return "";
  }
}

/** Throws a `RangeError` if the greeting is cut off. */
function parseServerName(hello: Buffer): string {
  // After type, length, version and random number: session, ciphers and compressions, each with its length.
  let at = 38;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  for (at += 2; at < hello.length; at += 4 + hello.readUInt16BE(at + 2)) {
    if (hello.readUInt16BE(at) !== SERVER_NAME) continue;
    // A list with one name: its length, the kind of the name, and the name's length.
    if (hello.readUInt8(at + 6) !== 0) return "";
    return hello.toString("latin1", at + 9, at + 9 + hello.readUInt16BE(at + 7));
  }
  return "";
}

function spend(budget: ByteBudget, chunk: Buffer, to: Socket | ServerResponse): void {
  budget.left -= chunk.length;
  if (budget.left < 0) to.destroy();
}
