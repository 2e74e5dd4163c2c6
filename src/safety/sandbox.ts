import { segments } from "./paths.ts";
import { secretIn } from "./sensitive.ts";

/** What a confined command may do; everything else of the disk it can read and not write. */
export interface SandboxPlan {
  /** Real folders that it may write to. */
  readonly writable: readonly string[];
  /** Paths in these that stay as they are. */
  readonly fixed: readonly string[];
  /** Paths that are not to come into being; an empty folder stands there meanwhile. */
  readonly absent: readonly string[];
  /** Folders that look empty to it. */
  readonly emptied: readonly string[];
  /** Files that look empty to it. */
  readonly blanked: readonly string[];
}

/** What is in a folder and below it, by relative path. */
export interface Listing {
  readonly path: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Those of them that the user keeps the agent out of. */
  readonly keptOut?: readonly string[];
}

/** What steers programs, at the top of a workspace folder. */
const CONTROLS = [
  ".git/hooks",
  ".git/config",
  ".git/info",
  ".gitattributes",
  ".gitmodules",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".github",
  ".husky",
  ".githooks",
  ".autogpt",
  ".autogptignore",
  ".cursor",
  ".claude",
  ".mcp.json",
  ".envrc",
  ".npmrc",
  "AGENTS.md",
  "CLAUDE.md",
];

/** Folders of a home that hold keys beside other things, or ways to other programs. */
const HOME_FOLDERS = [".kube", ".docker", ".config", ".mozilla", ".password-store"];

/** How commands are confined: they write to the workspace but not to what steers programs, and see no keys. */
export function sandboxPlan(workspace: readonly Listing[], home: Listing | undefined): SandboxPlan {
  const controls = workspace.flatMap(controlsIn);
  const listings = [...workspace, ...(home ? [home] : [])];
  const folders = listings.flatMap((listing) =>
    secretsAmong(listing, listing.folders, listing === home ? HOME_FOLDERS : []),
  );
  const isHidden = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`));
  return {
    writable: workspace.map(({ path }) => path),
    fixed: controls.filter(({ isThere }) => isThere).map(({ path }) => path),
    absent: controls.filter(({ isThere }) => !isThere).map(({ path }) => path),
    emptied: folders.filter((path) => !isHidden(path)),
    blanked: listings
      .flatMap((listing) => secretsAmong(listing, listing.files))
      .filter((path) => !isHidden(path)),
  };
}

function controlsIn({
  path,
  files,
  folders,
}: Listing): { readonly path: string; readonly isThere: boolean }[] {
  const names = [...files, ...folders];
  const isRepository = folders.includes(".git");
  const controls = isRepository
    ? CONTROLS
    : [".git", ...CONTROLS.filter((name) => !name.startsWith(".git/"))];
  return controls.map((name) => ({ path: `${path}/${name}`, isThere: names.includes(name) }));
}

function secretsAmong(
  { path, keptOut = [] }: Listing,
  names: readonly string[],
  also: readonly string[] = [],
): string[] {
  return names
    .filter((name) => also.includes(name) || keptOut.includes(name) || secretIn(segments(name)) !== undefined)
    .map((name) => `${path}/${name}`);
}

/** The arguments of `bwrap` up to the command. Later ones cover earlier ones. */
export function bubblewrapArguments(plan: SandboxPlan): readonly string[] {
  const each = (flag: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => [flag, path, path]);
  return [
    "--die-with-parent",
    "--new-session",
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"],
    ...["--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    ...["--tmpfs", "/tmp", "--tmpfs", "/run"],
    ...each("--bind", plan.writable),
    ...plan.emptied.flatMap((path) => ["--tmpfs", path]),
    ...each("--ro-bind-try", plan.fixed),
    ...plan.absent.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...plan.blanked.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"].flatMap((name) => [
      "--unsetenv",
      name,
    ]),
    "--",
  ];
}

/** The arguments of macOS's `sandbox-exec` up to the command. The last rule that fits an access decides. */
function seatbeltArguments(plan: SandboxPlan): readonly string[] {
  const paths = (all: readonly string[]): string =>
    all.map((path) => `(subpath ${JSON.stringify(path)})`).join(" ");
  const rule = (what: string, all: readonly string[]): string =>
    all.length === 0 ? "" : `(${what} ${paths(all)})`;
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    "(deny file-write*)",
    `(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders") (literal "/dev/null") (literal "/dev/tty"))`,
    rule("allow file-write*", plan.writable),
    rule("deny file-write*", [...plan.fixed, ...plan.absent]),
    rule("deny file-read*", [...plan.emptied, ...plan.blanked]),
  ];
  return ["-p", profile.filter((line) => line !== "").join("\n")];
}

/** How a tool confines a command, and the paths where something stands in meanwhile that is to be taken away afterwards. */
export function confinement(
  tool: "bubblewrap" | "seatbelt",
  workspace: readonly Listing[],
  home: Listing | undefined,
): { readonly args: readonly string[]; readonly standIns: readonly string[] } {
  const plan = sandboxPlan(workspace, home);
  return tool === "seatbelt"
    ? { args: seatbeltArguments(plan), standIns: [] }
    : { args: bubblewrapArguments(plan), standIns: plan.absent };
}
