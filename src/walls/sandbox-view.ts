import { splitPathSegments } from "../safety/paths/paths.ts";
import { findControlReason, findSecretReason } from "../safety/paths/sensitive.ts";
import { createView, isSameOrBelow, listToolchains, SYSTEM_FOLDERS, type View } from "./view.ts";

/** Content of a folder and everything below it, by relative path. */
export interface FolderListing {
  readonly path: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Names that the user's ignore file excludes. */
  readonly keptOut?: readonly string[];
  /** Links with their targets within the folder. Links that lead out of it, and pipes and the like, have their own name as target. */
  readonly links?: readonly { readonly name: string; readonly leadsTo: string }[];
}

/** The machine around the workspace folders. */
export interface SandboxMachine {
  readonly home: string;
  /** Further folders that programs need: those of the search path, and the run's own code. */
  readonly needed: readonly string[];
  /** Commands run as root. */
  readonly isRoot: boolean;
  /** For Seatbelt: real paths of the commands' own home and temporary folder. */
  readonly own?: readonly string[];
  /** For Seatbelt: commands reach the machine's loopback, since they have none of their own. */
  readonly hasLoopback?: boolean;
}

/** Files that steer programs, at the top of a workspace folder. */
const TOP_CONTROLS = [
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
  "CLAUDE.local.md",
];

const SCRATCH = ["/tmp", "/var/tmp", "/run"];

/** The folder of macOS for temporary files of all programs. */
const MAC_SCRATCH = "/private/tmp";

/** macOS folders that hold homes and projects. */
const PEOPLE_FOLDERS = ["/Users", "/Volumes"];

/** Capabilities that root keeps in containers, to work with others' files. With more, it could undo the sandbox. */
const POWERS_OF_ROOT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL"];

/** Limit on further read-only mounts, nearest to the top first, because mounts take quadratic time. All files are compared afterwards. */
const MOST_FIXED = 300;

/** Maximum number of paths in a sandbox. */
const MOST_PATHS = 2500;

/** A folder with more protected files is hidden as a whole. */
const MOST_BLANKED = 20;

/** Plans a sandbox in which commands write to the workspace but not to files that steer programs, and see no keys and no other projects. */
export function describeSandboxView(
  tool: "bubblewrap" | "seatbelt",
  workspace: readonly FolderListing[],
  { home, needed, isRoot, own = [], hasLoopback = false }: SandboxMachine,
): View {
  const fixed = workspace.flatMap(listFixedPaths);
  const absent = workspace.flatMap(listAbsentControls);
  const emptied = selectTopmost(workspace.flatMap((listing) => listSecrets(listing, listing.folders)));
  const isVisible = (path: string): boolean => !emptied.some((folder) => isSameOrBelow(path, folder));
  const crowded = splitCrowdedFolders(
    workspace.flatMap((listing) => listSecrets(listing, listing.files)).filter(isVisible),
  );
  const parts = {
    user: "same",
    readable: [...listToolchains(home), ...needed],
    writable: workspace.map(({ path }) => path),
    fixed: [...new Set(fixed)].filter(isVisible),
    emptied: [...emptied, ...crowded.folders],
    blanked: crowded.files,
  } as const;
  if (parts.fixed.length + absent.length + parts.emptied.length + parts.blanked.length > MOST_PATHS)
    throw new Error(
      "The sandbox would have to protect more files than it can. Move secrets out of the workspace, or turn autogpt.shell.sandbox off",
    );
  if (tool === "seatbelt")
    return createView({
      ...parts,
      network: { kind: hasLoopback ? "loopback" : "none" },
      scratch: [{ at: MAC_SCRATCH }, ...own.map((at) => ({ at, from: at }))],
      readable: [...parts.readable, ...own],
      fixed: [...parts.fixed, ...absent],
      fixedNames: TOP_CONTROLS,
      openExcept: [...new Set([...PEOPLE_FOLDERS, home])],
    });
  return createView({
    ...parts,
    powers: isRoot ? POWERS_OF_ROOT : [],
    system: SYSTEM_FOLDERS,
    scratch: [...SCRATCH, home].map((at) => ({ at })),
    sealed: absent,
  });
}

/** Paths in a workspace folder that control programs, and paths that are hidden from sandboxed lines. */
export interface WatchedPaths {
  readonly controls: readonly string[];
  /** The watched paths whose location sandboxed lines can't change. */
  readonly held: readonly string[];
  readonly hidden: readonly string[];
}

/** Finds what a tool holds and hides in a workspace folder. */
export function listWatchedPaths(listing: FolderListing, tool: "bubblewrap" | "seatbelt"): WatchedPaths {
  const { path, files, folders } = listing;
  const held = [...listFixedPaths(listing), ...listAbsentControls(listing)];
  const isAtTop = (one: string): boolean => one.lastIndexOf("/") === path.length;
  return {
    controls: listControls(listing).map((name) => `${path}/${name}`),
    // A mount goes along when a folder above it is renamed. A rule for a path doesn't.
    held: tool === "bubblewrap" ? held : held.filter(isAtTop),
    hidden: selectTopmost([...listSecrets(listing, folders), ...listSecrets(listing, files)]),
  };
}

/** Real paths that lines can't change: all usual ones at the top, and those of the others that are nearest to it. */
function listFixedPaths(listing: FolderListing): readonly string[] {
  const tops = new Set(TOP_CONTROLS);
  const names = listControls(listing);
  const further = names.filter((name) => !tops.has(name)).sort((a, b) => measureDepth(a) - measureDepth(b));
  const fixed = new Set([...tops, ...further.slice(0, MOST_FIXED)]);
  return names.filter((name) => fixed.has(name)).flatMap((name) => resolveListedName(listing, name));
}

function measureDepth(name: string): number {
  return name.split("/").length;
}

/** The topmost files and folders anywhere in a workspace folder that steer programs, including bare repositories. */
function listControls({ files, folders, links = [] }: FolderListing): readonly string[] {
  const names = [...files, ...folders, ...links.map(({ name }) => name)];
  const tops = new Set(TOP_CONTROLS);
  return selectTopmost(
    names.filter((name) => tops.has(name) || steersPrograms(name)).concat(listBareRepositoryFiles(names)),
  );
}

/**
 * Settings and hooks of bare repositories. Git treats a folder as one if it has HEAD, objects and refs, or a commondir that names those.
 */
function listBareRepositoryFiles(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  return names
    .filter((name) => /(?:^|\/)HEAD$/.test(name))
    .map((name) => name.slice(0, -"HEAD".length))
    .filter((above) => all.has(`${above}commondir`) || (all.has(`${above}objects`) && all.has(`${above}refs`)))
    .flatMap((above) => STEERS_GIT.map((name) => above + name))
    .filter((name) => all.has(name));
}

const STEERS_GIT = ["HEAD", "config", "config.worktree", "commondir", "hooks"];

function listAbsentControls({ path, files, folders, links = [] }: FolderListing): readonly string[] {
  const there = new Set([...files, ...folders, ...links.map(({ name }) => name)]);
  return TOP_CONTROLS.filter((name) => !there.has(name)).map((name) => `${path}/${name}`);
}

/** The path in the folder to which a name leads; none if it leads out of the folder, or is neither file nor folder. */
function resolveListedName({ path, links = [] }: FolderListing, name: string): readonly string[] {
  const link = links.find((one) => one.name === name);
  if (link?.leadsTo === name) return [];
  return [`${path}/${link?.leadsTo ?? name}`];
}

/** Secrets by name, and the targets of links that are named like secrets. */
function listSecrets(listing: FolderListing, names: readonly string[]): string[] {
  const { path, keptOut = [], links = [] } = listing;
  const kept = new Set(keptOut);
  const isSecret = (name: string): boolean => kept.has(name) || mayBeSecret(name);
  const led = new Set(links.filter(({ name }) => isSecret(name)).map((link) => link.leadsTo));
  return names.filter((name) => isSecret(name) || led.has(name)).map((name) => `${path}/${name}`);
}

/** Folders that hold many of the files, and the remaining files. */
function splitCrowdedFolders(paths: readonly string[]): {
  readonly folders: string[];
  readonly files: string[];
} {
  const byFolder = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf("/")));
  const crowded = [...byFolder].filter(([, own]) => own.length > MOST_BLANKED).map(([folder]) => folder);
  const folders = selectTopmost(crowded);
  return { folders, files: paths.filter((path) => !folders.some((folder) => isSameOrBelow(path, folder))) };
}

/** Maximum number of paths with cached answers. Each line in the sandbox asks again about all paths of the workspace. */
const MOST_KNOWN = 50_000;

function cacheAnswers(answer: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size >= MOST_KNOWN) known.clear();
    const now = answer(path);
    known.set(path, now);
    return now;
  };
}

const steersPrograms = cacheAnswers((path) => findControlReason(splitPathSegments(path)) !== undefined);
const mayBeSecret = cacheAnswers((path) => findSecretReason(splitPathSegments(path)) !== undefined);

/** The paths that aren't below another one. */
function selectTopmost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      if (all.has(path.slice(0, at))) return false;
    return true;
  });
}
