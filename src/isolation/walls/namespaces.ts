import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Server } from "node:net";
import type { Readable } from "node:stream";
import type { Layer } from "./layers.ts";

/** Programs of the system that make and join namespaces. */
export interface NamespaceTools {
  readonly bwrap: string;
  readonly nsenter: string;
}

/** The namespaces that all lines of a run share: a network, and the mounts of layers. Open files keep them alive. */
export interface SharedNamespaces {
  /** Command that starts a program in the namespaces, with privileges there but not on this machine. */
  readonly enter: readonly string[];
  /** Mounts a writable layer over a folder. False if the system can't. */
  mount(layer: Layer, origin: string): Promise<boolean>;
  /** Opens a socket on 127.0.0.1 of the namespaces' network, for a server in this process. */
  listen(): Promise<{ readonly socket: Server; readonly port: number }>;
  close(): void;
}

/** Creates namespaces in which only one folder is writable. Throws if the system doesn't allow it. */
export async function createSharedNamespaces(tools: NamespaceTools, writable: string): Promise<SharedNamespaces> {
  const { files, close } = await openNamespaces(tools.bwrap, writable);
  const enter = [tools.nsenter, ...files, "--preserve-credentials", "--"];
  const mounted = new Map<string, Promise<boolean>>();
  return {
    enter,
    mount(layer, origin) {
      const known = mounted.get(layer.folder) ?? mountLayer(enter, layer, origin);
      mounted.set(layer.folder, known);
      return known;
    },
    listen: () => openListener(enter),
    close,
  };
}

const KINDS = ["user", "mnt", "net"] as const;
const FLAGS = { user: "--user", mnt: "--mount", net: "--net" } as const;

/** Time for the system to answer. */
const ANSWER_MS = 10_000;

/** Bubblewrap creates folders for mounts, and the run's links could redirect those. So only one folder is writable. */
const readOnlyBut = (writable: string): readonly string[] => [
  "--ro-bind",
  "/",
  "/",
  "--dev-bind",
  "/dev",
  "/dev",
  "--dev-bind",
  "/proc",
  "/proc",
  "--bind",
  writable,
  writable,
];

/** Bubblewrap creates the namespaces and starts their loopback. Open files keep them alive after its process ends. */
async function openNamespaces(bwrap: string, writable: string) {
  const made = ["--unshare-user", "--uid", "0", "--gid", "0", "--unshare-net", "--die-with-parent"];
  const args = [...made, ...readOnlyBut(writable), "--info-fd", "3", "--", "/bin/cat"];
  const child = spawn(bwrap, args, { stdio: ["pipe", "pipe", "pipe", "pipe"], timeout: ANSWER_MS });
  const complaint = readStreamText(child.stderr as Readable);
  try {
    const failed = once(child, "error").then(([error]) => Promise.reject(error));
    const info = await Promise.race([readFirstJsonObject(child.stdio[3] as Readable), failed]);
    const pid = Number(info["child-pid"]);
    // The namespaces are complete once its program answers.
    child.stdin?.on("error", () => undefined);
    child.stdin?.write("ready\n");
    const answers = child.stdout !== null && (await Promise.race([hasFirstChunk(child.stdout), failed]));
    if (!answers || !Number.isInteger(pid)) throw new Error((await complaint) || "bubblewrap printed no process");
    const opened = KINDS.map((kind) => ({ kind, file: openSync(`/proc/${pid}/ns/${kind}`, "r") }));
    return {
      files: opened.map(({ kind, file }) => `${FLAGS[kind]}=/proc/${process.pid}/fd/${file}`),
      close: () => {
        for (const { file } of opened) closeSync(file);
      },
    };
  } finally {
    child.kill("SIGKILL");
  }
}

async function readStreamText(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text.trim();
}

/** False if the stream ends without any. */
async function hasFirstChunk(stream: Readable): Promise<boolean> {
  for await (const _ of stream) return true;
  return false;
}

/** The first object in a stream, which may stay open. Empty if there is none. */
async function readFirstJsonObject(stream: Readable): Promise<Readonly<Record<string, unknown>>> {
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes("}")) return JSON.parse(text);
  }
  return {};
}

/** Names are relative, since the options of a mount can't hold commas and colons. */
const MOUNT = `cd "$1" && mount --rbind -- "$2" lower && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged`;

async function mountLayer(enter: readonly string[], layer: Layer, origin: string): Promise<boolean> {
  for (const name of ["lower", "upper", "work", "merged"]) await mkdir(`${layer.folder}/${name}`, { recursive: true });
  const [program = "", ...args] = [...enter, "/bin/sh", "-c", MOUNT, "mount", layer.folder, origin];
  const child = spawn(program, args, { stdio: "ignore", timeout: ANSWER_MS });
  const [code] = await once(child, "exit").catch(() => [1]);
  return code === 0;
}

/** Script for the namespaces: opens a socket, passes it to this process, and exits. */
const HAND_OVER = `const server = require("node:net").createServer();
server.listen(0, "127.0.0.1", () => process.send(server.address().port, server, () => process.exit()));`;

async function openListener(enter: readonly string[]): Promise<{ readonly socket: Server; readonly port: number }> {
  const [program = "", ...args] = [...enter, process.execPath, "-e", HAND_OVER];
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ELECTRON_RUN_AS_NODE: "1" },
    timeout: ANSWER_MS,
  });
  const complaint = readStreamText(child.stderr as Readable);
  const exited = once(child, "exit");
  const handed = once(child, "message") as Promise<[number, Server]>;
  const received = await Promise.race([handed, once(child, "disconnect").then(() => undefined)]);
  if (!received) throw new Error(`The network of the run couldn't be made: ${await complaint}`);
  // Until it has ended, it might take connections itself.
  await exited;
  const [port, socket] = received;
  return { socket, port };
}
