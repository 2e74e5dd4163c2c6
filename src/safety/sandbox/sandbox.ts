import { segments } from "../paths/paths.ts";
import { controlIn, secretIn } from "../paths/sensitive.ts";

/** The access of a confined command. Everything not named here is hidden from it. */
export interface SandboxPlan {
  /** Folders that it can read. */
  readonly readable: readonly string[];
  /** Folders that begin empty, can be written, and are gone afterwards. */
  readonly scratch: readonly string[];
  /** Real folders that it may write to. */
  readonly writable: readonly string[];
  /** Paths in these that stay as they are. */
  readonly fixed: readonly string[];
  /** Paths that must not come into being; an empty folder takes their place meanwhile. */
  readonly absent: readonly string[];
  /** Folders that look empty to it. */
  readonly emptied: readonly string[];
  /** Files that look empty to it. */
  readonly blanked: readonly string[];
}

/** What is in a folder and below it, by relative path. */
export interface FolderListing {
  readonly path: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Those of them that the user keeps the agent out of. */
  readonly keptOut?: readonly string[];
  /** Links by where they lead within the folder; those that lead out of it, and pipes and the like, by their own names. */
  readonly links?: readonly { readonly name: string; readonly leadsTo: string }[];
}

/** The machine around the workspace folders. */
export interface SandboxMachine {
  readonly home: string;
  /** Further folders with what programs need: those of the search path, and the run's own code. */
  readonly needed: readonly string[];
  /** Commands run as root. */
  readonly isRoot: boolean;
}

/** What steers programs, at the top of a workspace folder. */
const CONTROLS = [
  ".git",
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

/** Folders of a Linux system that hold programs and no projects. */
const SYSTEM = [
  ...[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
  ],
  ...["/sys", "/var/lib/dpkg", "/var/lib/rpm", "/home/linuxbrew/.linuxbrew"],
];

/** Capabilities that root keeps to work with others' files in containers. With more it could undo the sandbox. */
const POWERS_OF_ROOT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL"];

const SCRATCH = ["/tmp", "/var/tmp", "/run"];

/** Folders of macOS that hold homes and projects. */
const PEOPLE = ["/Users", "/Volumes"];

/** Where toolchains are in a home. Only those parts of them that hold no credentials. */
const TOOLCHAINS = [
  ...[".local/bin", ".local/lib", ".local/share/uv", ".local/share/mise", ".local/share/pnpm", ".local/pipx"],
  ...[".nvm", ".fnm", ".local/share/fnm", ".volta", ".asdf", ".bun/bin", ".deno/bin", ".tool-versions"],
  ...[".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup", "go/bin", "go/pkg", ".pyenv", ".rbenv"],
  ...[".gem/ruby", ".sdkman/candidates", ".jdks", ".m2/repository", ".m2/wrapper", ".gradle/wrapper"],
  ...[".gradle/caches", ".dotnet", ".nuget/packages", ".ghcup", ".cabal", ".stack", ".opam", ".pub-cache"],
  ...[
    ".virtualenvs",
    ".local/share/virtualenvs",
    ".conda",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    ".juliaup",
    ".julia",
    ".elan",
    ".swiftly",
    ".npm/_cacache",
  ],
];

/** The most files that are held, nearest to the top first: mounts take quadratic time. All are compared afterwards. */
const MOST_FIXED = 300;

/** The sandbox takes no more paths than these. */
const MOST_PATHS = 2500;

/** A folder with more protected files than this is hidden as a whole. */
const MOST_BLANKED = 20;

/** How commands are confined: they write to the workspace but not to what steers programs, and see no keys and no other projects. */
export function sandboxPlan(
  workspace: readonly FolderListing[],
  { home, needed }: SandboxMachine,
): SandboxPlan {
  const writable = workspace.map(({ path }) => path);
  const isOpen = (path: string): boolean => writable.some((folder) => isAt(path, folder));
  const fixed = workspace.flatMap((listing) =>
    controlsAmong(listing).flatMap((name) => placeOf(listing, name)),
  );
  const emptied = topmost(workspace.flatMap((listing) => secretsAmong(listing, listing.folders)));
  const seen = (path: string): boolean => !emptied.some((folder) => isAt(path, folder));
  const crowded = crowdedFolders(
    workspace.flatMap((listing) => secretsAmong(listing, listing.files)).filter(seen),
  );
  const plan = {
    readable: [...TOOLCHAINS.map((name) => `${home}/${name}`), ...needed].filter((path) => !isOpen(path)),
    scratch: [...SCRATCH, home].filter((path) => path !== "/" && !isOpen(path)),
    writable,
    fixed: [...new Set(fixed)].filter(seen).slice(0, MOST_FIXED),
    absent: workspace.flatMap(absentControls),
    emptied: [...emptied, ...crowded.folders],
    blanked: crowded.files,
  };
  if (plan.fixed.length + plan.absent.length + plan.emptied.length + plan.blanked.length > MOST_PATHS)
    throw new Error(
      "The sandbox would have to protect more files than it can. Move secrets out of the workspace, or turn autogpt.shell.sandbox off",
    );
  return plan;
}

/** What must stay as it is in a workspace folder, and what must stay hidden, as paths. */
export function watchedIn(listing: FolderListing): {
  readonly controls: readonly string[];
  readonly hidden: readonly string[];
} {
  const { path, files, folders } = listing;
  return {
    controls: controlsAmong(listing).map((name) => `${path}/${name}`),
    hidden: topmost([...secretsAmong(listing, folders), ...secretsAmong(listing, files)]),
  };
}

/** The topmost files and folders in a workspace folder that steer programs, wherever in it, and repositories without a working tree. */
function controlsAmong({ files, folders, links = [] }: FolderListing): readonly string[] {
  const names = [...files, ...folders, ...links.map(({ name }) => name)];
  const tops = new Set(CONTROLS);
  return topmost(
    names
      .filter((name) => tops.has(name) || controlIn(segments(name)) !== undefined)
      .concat(bare(files, folders)),
  );
}

/** The settings and hooks of bare repositories: git takes a folder with HEAD, objects and refs for one. */
function bare(files: readonly string[], folders: readonly string[]): readonly string[] {
  const all = new Set([...files, ...folders]);
  return files
    .filter((name) => /(?:^|\/)HEAD$/.test(name))
    .map((name) => name.slice(0, -"HEAD".length))
    .filter((above) => all.has(`${above}objects`) && all.has(`${above}refs`))
    .flatMap((above) => STEERS_GIT.map((name) => above + name))
    .filter((name) => all.has(name));
}

const STEERS_GIT = ["HEAD", "config", "config.worktree", "commondir", "hooks"];

function absentControls({ path, files, folders, links = [] }: FolderListing): readonly string[] {
  const there = new Set([...files, ...folders, ...links.map(({ name }) => name)]);
  return CONTROLS.filter((name) => !there.has(name)).map((name) => `${path}/${name}`);
}

/** Where a name leads within the folder; nowhere when it leads out of it or is neither file nor folder. */
function placeOf({ path, links = [] }: FolderListing, name: string): readonly string[] {
  const link = links.find((one) => one.name === name);
  if (link?.leadsTo === name) return [];
  return [`${path}/${link?.leadsTo ?? name}`];
}

/** A link by the name of a secret makes one of what it leads to. */
function secretsAmong(listing: FolderListing, names: readonly string[]): string[] {
  const { path, keptOut = [], links = [] } = listing;
  const kept = new Set(keptOut);
  const isSecret = (name: string): boolean => kept.has(name) || secretIn(segments(name)) !== undefined;
  const led = new Set(links.filter(({ name }) => isSecret(name)).map((link) => link.leadsTo));
  return names.filter((name) => isSecret(name) || led.has(name)).map((name) => `${path}/${name}`);
}

/** Files, but for those folders that hold many of them. */
function crowdedFolders(paths: readonly string[]): { readonly folders: string[]; readonly files: string[] } {
  const byFolder = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf("/")));
  const crowded = [...byFolder].filter(([, own]) => own.length > MOST_BLANKED).map(([folder]) => folder);
  const folders = topmost(crowded);
  return { folders, files: paths.filter((path) => !folders.some((folder) => isAt(path, folder))) };
}

/** The paths that aren't below another one. */
function topmost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      if (all.has(path.slice(0, at))) return false;
    return true;
  });
}

function isAt(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The arguments of `bwrap` up to the command. Later ones cover earlier ones. */
function bubblewrapArguments(plan: SandboxPlan, isRoot: boolean): readonly string[] {
  const each = (flag: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => [flag, path, path]);
  return [
    "--die-with-parent",
    "--new-session",
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"],
    ...["--cap-drop", "ALL"],
    ...(isRoot ? POWERS_OF_ROOT.flatMap((name) => ["--cap-add", `CAP_${name}`]) : []),
    ...each("--ro-bind-try", SYSTEM),
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    ...each("--ro-bind-try", ["/proc/sys", "/proc/sysrq-trigger"]),
    ...plan.scratch.flatMap((path) => ["--tmpfs", path]),
    ...each("--ro-bind-try", plan.readable),
    ...each("--bind", plan.writable),
    ...plan.emptied.flatMap((path) => ["--tmpfs", path]),
    ...each("--ro-bind-try", plan.fixed),
    ...plan.absent.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...plan.blanked.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--remount-ro", "/"],
  ];
}

/** The arguments of macOS's `sandbox-exec` up to the command. The last rule that fits an access decides. */
function seatbeltArguments(plan: SandboxPlan, home: string): readonly string[] {
  const paths = (all: readonly string[]): string =>
    all.map((path) => `(subpath ${JSON.stringify(path)})`).join(" ");
  const rule = (what: string, all: readonly string[]): string =>
    all.length === 0 ? "" : `(${what} ${paths(all)})`;
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    "(deny file-write*)",
    rule("allow file-write*", plan.writable),
    `(deny file-write* (regex #"/(${CONTROLS.map(anyCase).join("|")})(/|$)"))`,
    `(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders") (literal "/dev/null") (literal "/dev/tty"))`,
    rule("deny file-write*", [...plan.fixed, ...plan.absent]),
    rule("deny file-read*", [...new Set([...PEOPLE, home])]),
    rule("allow file-read-metadata", [...new Set([...PEOPLE, home])]),
    rule("allow file-read*", [...plan.readable, ...plan.writable]),
    rule("deny file-read*", [...plan.emptied, ...plan.blanked]),
  ];
  return ["-p", profile.filter((line) => line !== "").join("\n")];
}

/** A regular expression for a name on disks that ignore case. */
function anyCase(name: string): string {
  return name
    .replaceAll(".", "\\.")
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** How a tool confines a command, and the stand-ins for absent paths that have to be removed afterwards. */
export function confinement(
  tool: "bubblewrap" | "seatbelt",
  workspace: readonly FolderListing[],
  surroundings: SandboxMachine,
): { readonly args: readonly string[]; readonly standIns: readonly string[] } {
  const plan = sandboxPlan(workspace, surroundings);
  return tool === "seatbelt"
    ? { args: seatbeltArguments(plan, surroundings.home), standIns: [] }
    : { args: bubblewrapArguments(plan, surroundings.isRoot), standIns: plan.absent };
}
