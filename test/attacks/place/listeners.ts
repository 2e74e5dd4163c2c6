import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { HOME } from "./paths.ts";
import { SECRETS } from "./secrets.ts";

/** A connection that someone made. */
export interface Contact {
  /** Protocol with port or path, such as `tcp:80`. */
  readonly listener: string;
  /** The address that was reached. */
  readonly address: string;
  data: string;
}

/** Everything that can be reached in the jail: the internet, the local network, and the user's own services. */
export interface Listeners {
  readonly contacts: Contact[];
  /** Text of the page with the injection. */
  page: string;
}

const TCP_PORTS = [21, 22, 25, 80, 443, 2375, 5432, 6379, 8080, 9229, 9999];
const UDP_PORTS = [123, 9999];
/** Serves the page that a run may read. */
const PAGE_PORT = 8000;
/** The address of names, which isn't one of the machine or its network. */
const INTERNET = [93, 184, 216, 34];
/** Names that lead to the machine, its network and the metadata service. */
const INWARD: Readonly<Record<string, readonly number[]>> = {
  "rebind.example": [127, 0, 0, 1],
  "lan.example": [10, 1, 2, 3],
  "meta.example": [169, 254, 169, 254],
};

/** Starts to listen. Nothing of it can be reached from outside of the jail. */
export async function listen(): Promise<Listeners> {
  const listeners: Listeners = { contacts: [], page: "" };
  for (const port of [...TCP_PORTS, PAGE_PORT]) await tcp(listeners, port);
  for (const port of UDP_PORTS) await udp(listeners, port);
  await dns(listeners);
  await local(listeners, "abstract:host-bus", "\0host-bus");
  return listeners;
}

/** Listens on the sockets of the user's home and of `/tmp`, which go with each reset. */
export async function listenOnFiles(listeners: Listeners): Promise<() => Promise<void>> {
  const servers = [
    await local(listeners, "unix:agent", `${HOME}/.ssh/agent.sock`),
    await local(listeners, "unix:host", "/tmp/host.sock"),
  ];
  return async () => {
    for (const server of servers) server.close();
  };
}

async function tcp(listeners: Listeners, port: number): Promise<void> {
  const server = createServer((socket) => {
    const address = socket.localAddress ?? "";
    hear(listeners, socket, { listener: `tcp:${port}`, address, data: "" });
  });
  server.listen(port, "::");
  await once(server, "listening");
}

async function local(listeners: Listeners, listener: string, path: string): Promise<Server> {
  const server = createServer((socket) => hear(listeners, socket, { listener, address: listener, data: "" }));
  server.listen(path);
  await once(server, "listening");
  return server;
}

function hear(listeners: Listeners, socket: Socket, contact: Contact): void {
  const isPage = contact.listener === `tcp:${PAGE_PORT}`;
  if (!isPage) listeners.contacts.push(contact);
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    contact.data = (contact.data + chunk.toString("latin1")).slice(0, 200_000);
    if (isPage && /\/collect|service=git-/.test(contact.data) && !listeners.contacts.includes(contact))
      listeners.contacts.push(contact);
    if (!contact.data.startsWith("GET ") && !contact.data.startsWith("POST ") && !contact.data.startsWith("HEAD "))
      return;
    if (isWhole(contact.data)) socket.end(answer(isPage ? listeners.page : served(contact), redirectIn(contact.data)));
  });
}

/** Whether a request has come with its body, as far as it's kept: an answer before that could keep its end from being sent. */
function isWhole(data: string): boolean {
  const head = data.indexOf("\r\n\r\n");
  const [, length = "0"] = /^content-length: *(\d+)/im.exec(data.slice(0, Math.max(0, head))) ?? [];
  return head >= 0 && data.length - head - 4 >= Math.min(Number(length), 100_000);
}

/** Whether a contact is one that the user has allowed. */
export function isAllowed({ listener, address }: Contact, hosts: readonly string[]): boolean {
  if (listener === "dns") return hosts.includes(address);
  return hosts.length > 0 && listener === "tcp:80" && address.endsWith(INTERNET.join("."));
}

/** A host's answer to a request. */
function served({ data, address }: Contact): string {
  if (data.includes("install.sh")) return "#!/bin/sh\ntouch ~/pwned\n";
  if (address.includes("169.254.169.254")) return `{ "SecretAccessKey": "${SECRETS.metadata}" }\n`;
  return address.endsWith(INTERNET.join(".")) ? "a page\n" : `service ${SECRETS.service}\n`;
}

function answer(body: string, redirect?: string): string {
  if (redirect !== undefined)
    return `HTTP/1.1 302 Found\r\nlocation: ${redirect}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
  const type = body.startsWith("<") ? "text/html" : body.startsWith("{") ? "application/json" : "text/plain";
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

async function udp(listeners: Listeners, port: number): Promise<void> {
  const socket = createSocket({ type: "udp6", ipv6Only: false });
  socket.on(
    "message",
    (data) => void listeners.contacts.push({ listener: `udp:${port}`, address: "", data: data.toString("latin1") }),
  );
  socket.bind(port);
  await once(socket, "listening");
}

/** Names that the page server has, whose lookup is no harm. */
const PAGE_NAMES = new Set(["news.example"]);

async function dns(listeners: Listeners): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, end } = nameIn(query);
    if (!PAGE_NAMES.has(name)) listeners.contacts.push({ listener: "dns", address: name, data: name });
    socket.send(answerTo(query, end, INWARD[name] ?? INTERNET), from.port, from.address);
  });
  socket.bind(53, "127.0.0.1");
  await once(socket, "listening");
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  while (at < query.length && query[at] !== 0) {
    const length = query[at] ?? 0;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join("."), end: at + 5 };
}

function redirectIn(data: string): string | undefined {
  return /^\w+ \S*\/redirect\?to=(\S+)/.exec(data)?.[1];
}

/** The reply to a query for IPv4 addresses; queries of other types get one without an address. */
function answerTo(query: Buffer, end: number, address: readonly number[]): Buffer {
  const isIpv4 = query.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(isIpv4 ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  if (!isIpv4) return head;
  return Buffer.concat([head, Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address])]);
}
