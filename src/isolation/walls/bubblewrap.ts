import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir, release, tmpdir, totalmem } from "node:os";
import { join, relative } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { chooseShellProgram } from "../../node/processes/programs.ts";
import { createSandboxEnvironment } from "../../node/processes/shell-environment.ts";
import { listSandboxProgramFolders, writeArgumentFile } from "../../node/sandbox/sandbox.ts";
import { fail } from "../../texts/display-text.ts";
import { buildBubblewrapArguments } from "../../walls/bubblewrap.ts";
import { createView, listToolchains, type Mount, SYSTEM_FOLDERS, type View } from "../../walls/view.ts";
import type { BorrowedFolder, Copy } from "../copy/copy.ts";
import { getLayer, getWallsFolder } from "./layers.ts";
import {
  computeMemoryLimits,
  type LineStarts,
  MOST_PROCESSES,
  type ResourceLimits,
  wrapWithLimits,
} from "./line-starts.ts";
import type { NamespaceTools, SharedNamespaces } from "./namespaces.ts";
import type { RunNetwork } from "./network.ts";
import { createSystemCallFilter } from "./system-calls.ts";

/** This machine's bubblewrap, with the results of its probe. */
export interface Bubblewrap extends NamespaceTools {
  readonly endsNamespaces: boolean;
  readonly hasLayers: boolean;
}

/** Options for the command lines of a run or of one of its agents. */
export interface WalledLineOptions {
  readonly copy: Copy;
  /** Further folders that programs may read. */
  readonly readable: readonly string[];
  readonly quotaBytes: number;
  readonly env: NodeJS.ProcessEnv;
  redact(text: string): string;
}

/** The namespaces and the network of a copy, which a run and its agents share. */
export interface CopyWalls {
  readonly namespaces: SharedNamespaces;
  readonly network: RunNetwork | undefined;
}

/**
 * Passes arguments in a file, so that thousands of paths fit, and removes it with a system program. The process ID and the filter use
 * files, too.
 */
const WITH_FILES = `exec 7<"$1" 8>"$2" 9<"$3" && command -p rm -f -- "$3" && shift 3 && exec "$@"`;

/** Starts programs in bubblewrap. `openWalls` is called when the first one needs it. */
export function createBubblewrapLines(
  tool: Bubblewrap,
  openWalls: () => Promise<CopyWalls>,
  options: WalledLineOptions,
): LineStarts {
  const { copy, env: base, redact } = options;
  const folder = getWallsFolder(copy);
  const places = {
    privateHome: join(folder, "home"),
    temporary: join(folder, "tmp"),
    filter: join(folder, "system-calls"),
  };
  const home = base.HOME ?? homedir();
  const shell = chooseShellProgram(base);
  let ready: (CopyWalls & { readonly view: View }) | undefined;
  return {
    takeNotes: () => ready?.network?.takeRefusals() ?? [],
    hasLayers: tool.hasLayers,
    file: "/bin/sh",
    shell,
    get env() {
      return createWalledEnvironment(base, redact, ready?.network);
    },
    async prepare() {
      for (const path of [places.privateHome, places.temporary]) await mkdir(path, { recursive: true, mode: 0o700 });
      if (!existsSync(places.filter)) writeFileSync(places.filter, createSystemCallFilter() ?? "");
      const shared = await openWalls();
      const view = await collectWalledView(options, tool, { ...places, home, namespaces: shared.namespaces });
      ready = { ...shared, view };
    },
    start(words, cwd, readable = []) {
      if (!ready) throw new Error("prepare() comes first");
      refuseLinks(readable, home, places.privateHome);
      // Not in the copy, which may be deleted while the line runs.
      const record = join(tmpdir(), `autogpt-walls-${randomUUID()}`);
      const filter = createSystemCallFilter() ? ["--seccomp", "7"] : [];
      const view = createView({ ...ready.view, readable: [...ready.view.readable, ...readable] });
      const walls = buildBubblewrapArguments(view, tool.endsNamespaces);
      const list = writeArgumentFile([...walls, ...filter, "--info-fd", "8", "--chdir", cwd]);
      const inside = wrapWithLimits(computeResourceLimits(options), words);
      return {
        record,
        args: [
          "-c",
          WITH_FILES,
          "walls",
          places.filter,
          record,
          list,
          ...ready.namespaces.enter,
          tool.bwrap,
          "--args",
          "9",
          "--",
          ...inside,
        ],
      };
    },
  };
}

/** Throws if a link is in the way: the run writes its own home, and could redirect the user's files. */
function refuseLinks(readable: readonly string[], home: string, privateHome: string): void {
  for (const path of readable.filter((one) => isAtOrBelow(one, home))) {
    const names = relative(home, path).split("/");
    const above = names.map((_name, index) => join(privateHome, ...names.slice(0, index + 1)));
    if (above.some((one) => lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink()))
      fail("plugins.hooksLinked", { path });
  }
}

interface RunPlaces {
  readonly home: string;
  readonly privateHome: string;
  readonly temporary: string;
  readonly namespaces: SharedNamespaces;
}

/** Megabytes of files in memory that belong to no process. */
const RUN_MB = 64;

/** Collects everything that programs see, from the current state of the copy and the machine. */
async function collectWalledView(
  { copy, env, readable: own }: WalledLineOptions,
  { hasLayers }: Bubblewrap,
  { home, privateHome, temporary, namespaces }: RunPlaces,
): Promise<View> {
  const borrowed = await mountBorrowedFolders(copy, namespaces, hasLayers);
  const mounted = hasLayers ? [...borrowed, ...(await mountToolchainCaches(copy, namespaces, home))] : borrowed;
  const seen = [...listProgramPaths(env, home, copy), ...copy.objects, ...own];
  const hidden = listPathsHiddenFromRoot(process.getuid?.() === 0, findPathType);
  return createView({
    user: { id: process.getuid?.() ?? 1000, group: process.getgid?.() ?? 1000 },
    network: { kind: "shared" },
    system: SYSTEM_FOLDERS,
    scratch: [
      { at: "/run", mb: RUN_MB },
      { at: "/tmp", from: temporary },
      { at: "/var/tmp", from: temporary },
      { at: home, from: privateHome },
    ],
    readable: [...listToolchains(home), ...seen],
    writable: copy.visible,
    mounted,
    blanked: [
      ...hidden.files,
      ...listNamedKeys(env, seen),
      ...listHostSockets([...seen, ...mounted.map(({ from }) => from)]),
    ],
    sealed: hidden.folders,
  });
}

/** Files with the keys of a fleet's worker, which its environment names, where programs would see them. */
export function listNamedKeys(
  env: NodeJS.ProcessEnv,
  visible: readonly string[],
  system: readonly string[] = SYSTEM_FOLDERS,
): readonly string[] {
  const named = [env.AUTOGPT_FLEET_KEY_FILE, env.AUTOGPT_TEMPORAL_KEY].flatMap((path) => {
    return path && existsSync(path) ? [realpathSync(path)] : [];
  });
  return named.filter((path) => [...system, ...visible].some((folder) => isAtOrBelow(path, folder)));
}

/** System folders with keys that root can read. */
const KEYS_OF_ROOT = {
  files: [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/krb5.keytab",
    "/etc/master.passwd",
  ],
  folders: ["/etc/ssl/private", "/etc/letsencrypt", "/etc/sudoers.d", "/etc/kubernetes", "/etc/wireguard"],
} as const;

/** System paths that only root could read, but that root's programs mustn't; none for other users. */
export function listPathsHiddenFromRoot(
  isRoot: boolean,
  findType: (path: string) => "file" | "folder" | undefined,
): { readonly files: readonly string[]; readonly folders: readonly string[] } {
  if (!isRoot) return { files: [], folders: [] };
  return {
    files: KEYS_OF_ROOT.files.filter((path) => findType(path) === "file"),
    folders: KEYS_OF_ROOT.folders.filter((path) => findType(path) === "folder"),
  };
}

/** Since version 5.14, the kernel counts processes per user namespace. */
export function canCountByNamespace(kernel: string = release()): boolean {
  const [major = 0, minor = 0] = kernel.split(/[.-]/).map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

function computeResourceLimits({ quotaBytes }: WalledLineOptions): ResourceLimits {
  return {
    memoryMb: computeMemoryLimits(totalmem()).perProcess,
    fileMb: Math.max(1, Math.floor(quotaBytes / 1_048_576)),
    ...(canCountByNamespace() ? { processes: 2 * MOST_PROCESSES } : {}),
  };
}

/** The environment of walled programs: required variables, and those for the run's network. */
export function createWalledEnvironment(
  base: NodeJS.ProcessEnv,
  redact: (text: string) => string,
  network: RunNetwork | undefined,
): NodeJS.ProcessEnv {
  const { XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, ...kept } = createSandboxEnvironment(
    base,
    redact,
  );
  return { ...kept, TMPDIR: "/tmp", TAR_OPTIONS: "--no-same-owner", ...network?.env };
}

/** Program folders outside the workspace. Those in the workspace are visible only in the copy. */
export function listProgramPaths(env: NodeJS.ProcessEnv, home: string, { folders }: Copy): readonly string[] {
  return listSandboxProgramFolders(env, home).filter((path) =>
    folders.every(({ origin }) => !isAtOrBelow(path, origin) && !isAtOrBelow(origin, path)),
  );
}

async function mountBorrowedFolders(copy: Copy, namespaces: SharedNamespaces, hasLayers: boolean): Promise<Mount[]> {
  const all = await Promise.all(
    copy.borrowed
      .filter(({ origin }) => existsSync(origin))
      .map(async (borrowed): Promise<Mount[]> => {
        const layer = getLayer(copy, borrowed);
        const writable = hasLayers && (await namespaces.mount(layer, borrowed.origin));
        const from = writable ? layer.merged : borrowed.origin;
        return listMountPaths(borrowed).map((at) => ({ from, at, writable }));
      }),
  );
  return all.flat();
}

/** Programs of a virtual environment contain its path, so it's mounted at that path as well. */
function listMountPaths({ origin, path }: BorrowedFolder): readonly string[] {
  return existsSync(join(origin, "pyvenv.cfg")) ? [path, origin] : [path];
}

/** Parts of toolchains to which programs write when they install something. A writable layer allows that. */
const TOOLCHAIN_CACHES = [
  ".cargo/registry",
  ".cargo/git",
  "go/pkg",
  ".m2/repository",
  ".gradle/caches",
  ".nuget/packages",
  ".npm/_cacache",
  ".local/share/pnpm",
  ".gem/ruby",
  ".pub-cache",
];

async function mountToolchainCaches(copy: Copy, namespaces: SharedNamespaces, home: string): Promise<Mount[]> {
  const there = TOOLCHAIN_CACHES.map((name) => join(home, name)).filter((path) => findPathType(path) === "folder");
  const all = await Promise.all(
    there.map(async (path) => {
      const layer = getLayer(copy, { path });
      const writable = await namespaces.mount(layer, path);
      return { from: writable ? layer.merged : path, at: path, writable };
    }),
  );
  return all.filter(({ writable }) => writable);
}

export function findPathType(path: string): "file" | "folder" | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? "folder" : stats?.isFile() ? "file" : undefined;
}

/**
 * Host programs' sockets in folders that the run's programs see, including system folders, where Nix and databases listen. Making a folder
 * read-only doesn't block its sockets.
 */
export function listHostSockets(
  visible: readonly string[],
  listed = readFileSync("/proc/net/unix", "utf8"),
  isThere: (path: string) => boolean = existsSync,
): readonly string[] {
  const paths = listed.split("\n").flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
  const folders = [...SYSTEM_FOLDERS, ...visible];
  return [...new Set(paths)].filter((path) => folders.some((folder) => isAtOrBelow(path, folder)) && isThere(path));
}
