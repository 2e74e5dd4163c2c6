import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertNever } from "../../core/base/errors.ts";
import { findSandboxTool } from "../../node/sandbox/sandbox.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { buildBubblewrapArguments } from "../../walls/bubblewrap.ts";
import { createView, PROGRAM_FOLDERS, type View } from "../../walls/view.ts";
import { type ChildStart, getPluginEnvironment } from "../process/plugin-child.ts";
import { PluginLog } from "../process/plugin-log.ts";
import { PluginProcess } from "../process/plugin-process.ts";

/** How strongly a plugin is isolated from the machine: by a sandbox, by Node's permissions, or not at all. */
type Level = "walls" | "permissions" | "none";

/** The best isolation that was verified on this machine. */
export interface Isolation {
  readonly level: Level;
  /** How to start a plugin from its folder. */
  start(folder: string, network: boolean): ChildStart;
}

/** Megabytes for the data of a plugin's program, and for its whole process, including Node's own reservations. */
const HEAP_MB = 256;
const MEMORY_MB = 1280;

/** The time limit for trying one way. */
const PROBE_MS = 10_000;

/** A way to run plugins, and the abilities that it may leave unrestricted. */
interface Way extends Isolation {
  readonly open: readonly string[];
}

/**
 * Finds the best way to run plugins with `runner`, the file of runner.ts. Each way is tested with a process of this program. Anything that
 * it fails to block doesn't count as isolated.
 */
export async function findIsolation(runner: string | URL, storage: string): Promise<Isolation> {
  const file = typeof runner === "string" ? runner : fileURLToPath(runner);
  const tool = process.platform === "linux" ? await findSandboxTool() : undefined;
  const bwrap = tool?.kind === "bubblewrap" ? tool.path : undefined;
  const permissions = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const startConfined: Isolation["start"] = (folder, network) =>
    buildStart(file, folder, { network, bwrap, permissions });
  const startWalled: Isolation["start"] = (folder, network) => buildStart(file, folder, { network, bwrap });
  const startRestricted: Isolation["start"] = (folder, network) => buildStart(file, folder, { network, permissions });
  const ways: readonly Way[] = [
    ...(bwrap ? [{ level: "walls", start: startConfined, open: [] } as const] : []),
    // Further processes are of no harm within walls.
    ...(bwrap ? [{ level: "walls", start: startWalled, open: ["spawn", "worker"] } as const] : []),
    { level: "permissions", start: startRestricted, open: ["others", "network"] },
  ];
  for (const way of ways) if (await isEffective(way, storage)) return way;
  return { level: "none", start: (folder, network) => buildStart(file, folder, { network }) };
}

interface Confined {
  readonly network: boolean;
  readonly bwrap?: string | undefined;
  readonly permissions?: string;
}

function buildStart(runner: string, folder: string, { network, bwrap, permissions }: Confined): ChildStart {
  const readable = [runner, folder];
  // Node's permissions don't cover its databases.
  const denied = process.allowedNodeEnvironmentFlags.has("--experimental-sqlite") ? ["--no-experimental-sqlite"] : [];
  const allowed = permissions ? [permissions, ...denied, ...readable.map((path) => `--allow-fs-read=${path}`)] : [];
  const flags = [`--max-old-space-size=${HEAP_MB}`, "--disable-warning=ExperimentalWarning", ...allowed];
  const words = [process.execPath, ...flags, runner];
  const seen = [...listNeededFolders(process.execPath), ...readable];
  const walls = bwrap && [
    bwrap,
    ...buildBubblewrapArguments(describePluginView(seen, network)),
    "--chdir",
    folder,
    "--",
  ];
  return {
    words: walls ? [...walls, ...words] : words,
    cwd: folder,
    env: {
      ...getPluginEnvironment(),
      ELECTRON_RUN_AS_NODE: "1",
      NODE_DISABLE_COMPILE_CACHE: "1",
      ...(walls ? { HOME, TMPDIR: "/tmp" } : {}),
    },
    memoryMb: MEMORY_MB,
    isAlone: permissions !== undefined,
  };
}

/** The home of plugins within walls, which is empty. */
const HOME = "/home/plugin";

/** Programs and libraries of a Linux system. */
const SYSTEM = [...PROGRAM_FOLDERS, "/nix/store"];

/** Parts of /etc that programs need to start, and to use the network, without users and passwords. */
const SETTINGS = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/timezone"];
const FOR_NETWORK = ["resolv.conf", "hosts", "nsswitch.conf", "ssl", "pki", "ca-certificates", "gai.conf"];

/** The system's programs and files and folders by name. It sees no other process, and all that it starts ends with it. */
export function describePluginView(readable: readonly string[], network: boolean): View {
  // On many systems, the settings of the network are a link into /run.
  const linked = network && existsSync("/etc/resolv.conf") ? [realpathSync("/etc/resolv.conf")] : [];
  return createView({
    network: { kind: network ? "machine" : "none" },
    system: [...SYSTEM, ...SETTINGS, ...(network ? FOR_NETWORK.map((name) => join("/etc", name)) : [])],
    scratch: [{ at: "/tmp" }, { at: HOME }],
    readable: [...readable, ...linked.filter((path) => !path.startsWith("/etc/"))],
  });
}

/** The folders that a program needs in addition to the system's: its own, and the libraries next to it. */
function listNeededFolders(program: string): readonly string[] {
  const path = realpathSync(program);
  if (SYSTEM.some((folder) => path.startsWith(`${folder}/`))) return [];
  const lib = join(dirname(path), "..", "lib");
  return [dirname(path), ...(existsSync(lib) ? [realpathSync(lib)] : [])];
}

/** Tries to read, write, start programs and threads, and reach other processes and the network. */
async function isEffective({ start, open }: Way, storage: string): Promise<boolean> {
  const folder = join(storage, `probe-${randomUUID()}`);
  const own = join(folder, "plugin");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "secret"), "x", { mode: 0o600 });
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const tried = new PluginProcess({
    prepare: async () => start(own, false),
    hello: { probe: { files: [join(folder, "secret"), "/etc/passwd"], port } },
    log: new PluginLog(join(folder, "log.txt"), (text) => text),
  });
  try {
    const works = await tried.start(AbortSignal.timeout(PROBE_MS));
    return Array.isArray(works) && works.every((name) => open.includes(String(name)));
  } catch {
    return false;
  } finally {
    await tried.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Describes what a plugin can see and do, for the list of plugins. */
export function describeIsolation({ level }: Isolation, network: boolean): DisplayText {
  switch (level) {
    case "walls":
      return network ? displayText("plugins.folder.wallsNetwork") : displayText("plugins.folder.walls");
    case "permissions":
      return displayText("plugins.folder.permissions");
    case "none":
      return displayText("plugins.folder.none");
    default:
      return assertNever(level);
  }
}
