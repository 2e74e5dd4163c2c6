import { PROCESS_FOLDER, SYSTEM_FOLDERS } from "./confinement.ts";
import { isSameOrBelow, TOOLCHAINS } from "./plan.ts";
import { CLOSED_DOORS, writeFilters } from "./seatbelt.ts";

/** A folder that programs see at another path. */
export interface MountedFolder {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

/** Access of the programs of an isolated run. Everything that isn't named here is hidden from them. */
export interface WalledView {
  /** The user's home, and the empty folder that takes its place. */
  readonly home: string;
  readonly privateHome: string;
  /** The run's own folder for temporary files. */
  readonly temporary: string;
  /** Folders that programs can read: those of the search path, borrowed git objects, and the run's own code. */
  readonly readable: readonly string[];
  /** The copy's folders. */
  readonly writable: readonly string[];
  /** Dependency folders and caches of toolchains. */
  readonly mounted: readonly MountedFolder[];
  /** Files that look empty: sockets of programs outside. */
  readonly blanked: readonly string[];
  /** Folders that look empty. */
  readonly emptied: readonly string[];
}

/** The user in the new namespaces, and what this bubblewrap can do. */
export interface BubblewrapFacts {
  readonly user: number;
  readonly group: number;
  /** It can keep programs from making further user namespaces, and limit folders in memory. */
  readonly endsNamespaces: boolean;
}

/** Parts of toolchains that programs write to when they install something. A writable layer lets them. */
export const TOOLCHAIN_CACHES: readonly string[] = [
  ...[".cargo/registry", ".cargo/git", "go/pkg", ".m2/repository", ".gradle/caches", ".nuget/packages"],
  ...[".npm/_cacache", ".local/share/pnpm", ".gem/ruby", ".pub-cache"],
];

/** System folders with keys that root can read. */
const KEYS_OF_ROOT = {
  files: ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/krb5.keytab"],
  folders: ["/etc/ssl/private", "/etc/letsencrypt", "/etc/sudoers.d", "/etc/kubernetes", "/etc/wireguard"],
} as const;

/** Paths of the system that only root could read, and that its programs mustn't: none for others. */
export function listPathsHiddenFromRoot(
  isRoot: boolean,
  kindOf: (path: string) => "file" | "folder" | undefined,
): { readonly files: readonly string[]; readonly folders: readonly string[] } {
  if (!isRoot) return { files: [], folders: [] };
  return {
    files: KEYS_OF_ROOT.files.filter((path) => kindOf(path) === "file"),
    folders: KEYS_OF_ROOT.folders.filter((path) => kindOf(path) === "folder"),
  };
}

/** Megabytes of files in memory, which belong to no process. */
const SHARED_MB = 1024;
const RUN_MB = 64;

/** The arguments of `bwrap` up to the command, for a process in the run's network. Later ones cover earlier ones. */
export function buildBubblewrapWalls(view: WalledView, facts: BubblewrapFacts): readonly string[] {
  const { home, privateHome, temporary, writable, mounted, blanked, emptied } = view;
  const isOpen = (path: string): boolean => writable.some((folder) => isSameOrBelow(path, folder));
  const readable = [...TOOLCHAINS.map((name) => `${home}/${name}`), ...view.readable].filter(
    (path) => !isOpen(path),
  );
  const mountInMemory = (path: string, mb: number): readonly string[] => [
    ...(facts.endsNamespaces ? ["--size", String(mb * 1_048_576)] : []),
    ...["--tmpfs", path],
  ];
  const ofHome = home === "/" || isOpen(home) ? [] : ["--bind", privateHome, home];
  return [
    ...["--die-with-parent", "--new-session"],
    ...["--unshare-user", "--uid", String(facts.user), "--gid", String(facts.group)],
    ...(facts.endsNamespaces ? ["--disable-userns"] : []),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
    ...SYSTEM_FOLDERS.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--dev", "/dev", ...mountInMemory("/dev/shm", SHARED_MB), "--remount-ro", "/dev"],
    ...PROCESS_FOLDER,
    ...mountInMemory("/run", RUN_MB),
    ...["--bind", temporary, "/tmp", "--bind", temporary, "/var/tmp"],
    ...ofHome,
    ...readable.flatMap((path) => ["--ro-bind-try", path, path]),
    ...writable.flatMap((path) => ["--bind", path, path]),
    ...mounted.flatMap(({ from, at, writable: isWritable }) => [
      isWritable ? "--bind" : "--ro-bind",
      from,
      at,
    ]),
    ...emptied.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...blanked.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--remount-ro", "/"],
  ];
}

/** macOS folders that programs need and that hold no projects and no homes. */
const MAC_SYSTEM = [
  ...[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/opt",
    "/dev",
    "/private/etc",
    "/Applications/Xcode.app",
  ],
  ...["/private/var/db/dyld", "/private/var/db/timezone", "/private/var/select", "/nix"],
];

/** The arguments of macOS's `sandbox-exec` up to the command. Whatever no rule allows is denied. */
export function buildSeatbeltWalls(
  view: Pick<WalledView, "home" | "privateHome" | "temporary" | "readable" | "writable">,
  proxyPort: number | undefined,
): readonly string[] {
  const { home, privateHome, temporary } = view;
  const writable = [...view.writable, privateHome, temporary];
  const readable = [...MAC_SYSTEM, ...TOOLCHAINS.map((name) => `${home}/${name}`), ...view.readable];
  const above = [...new Set([...readable, ...writable].flatMap(listFoldersAbove))];
  const profile = [
    "(version 1)",
    "(deny default)",
    "(allow process-exec*)",
    "(allow process-fork)",
    ...CLOSED_DOORS,
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    "(allow pseudo-tty)",
    `(allow file-read* ${writeFilters("subpath", [...readable, ...writable])} (literal "/"))`,
    `(allow file-read-metadata ${writeFilters("literal", above)})`,
    `(allow file-write* ${writeFilters("subpath", writable)} (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))`,
    proxyPort === undefined ? "" : `(allow network-outbound (remote ip "localhost:${proxyPort}"))`,
  ];
  return ["-p", profile.filter((line) => line !== "").join("\n")];
}

function listFoldersAbove(path: string): readonly string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}
