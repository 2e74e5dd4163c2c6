/** A file or folder that programs see at another path. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

/** A writable folder for what is temporary: in memory, of at most so many megabytes, or in a folder of the programs' own, which outlives them. */
interface Scratch {
  readonly at: string;
  readonly from?: string;
  readonly mb?: number;
}

/** A user with a namespace of its own; `own` is such a user where the system allows it, `same` the one who starts the program. */
export type ViewUser = "same" | "own" | { readonly id: number; readonly group: number };

/** The network that programs reach: none, the machine's or only its loopback, or the one that they are started in. */
type ViewNetwork =
  | { readonly kind: "none" }
  /** A loopback of their own where the engine has one. Seatbelt only has the machine's, with the services of its user. */
  | { readonly kind: "loopback" }
  | { readonly kind: "machine" }
  | { readonly kind: "shared"; readonly container?: string; readonly proxyPort?: number | undefined };

/** All that programs within walls can reach. Everything else is hidden. An engine refuses a view with parts that it can't express. */
export interface View {
  readonly user: ViewUser;
  /** Capabilities that programs keep. */
  readonly powers: readonly string[];
  readonly network: ViewNetwork;
  /** Readable folders of the system. Those that are absent are skipped, as in `readable` and `fixed`. */
  readonly system: readonly string[];
  readonly scratch: readonly Scratch[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly mounted: readonly Mount[];
  /** Folders that look empty. What is written there is lost. */
  readonly emptied: readonly string[];
  /** Paths in writable folders that are read-only. */
  readonly fixed: readonly string[];
  /** Paths with an empty folder that nothing can be put into: hidden folders, and files that mustn't be created. */
  readonly sealed: readonly string[];
  /** Files that look empty. */
  readonly blanked: readonly string[];
  /** For Seatbelt: if present, everything is allowed save reading in these folders, writing, and the network; other rules open parts of them. */
  readonly openExcept?: readonly string[];
  /** For Seatbelt: names that can't be written outside of scratch folders, whatever their case. */
  readonly fixedNames: readonly string[];
}

const NOTHING: View = {
  user: "own",
  powers: [],
  network: { kind: "none" },
  system: [],
  scratch: [],
  readable: [],
  writable: [],
  mounted: [],
  emptied: [],
  fixed: [],
  sealed: [],
  blanked: [],
  fixedNames: [],
};

/** Throws if a view has parts that an engine can't express, since programs would see more than it says. */
export function demandExpressible(view: View, engine: string, unknown: readonly (keyof View)[]): void {
  const given = unknown.filter((name) => !isEmpty(view[name]));
  if (given.length > 0) throw new Error(`${engine} can't express ${given.join(", ")}.`);
}

function isEmpty(part: View[keyof View]): boolean {
  return part === undefined || (Array.isArray(part) && part.length === 0);
}

/** A view of these parts and nothing else. A path below a writable folder can be read already, and isn't covered. */
export function createView(parts: Partial<View>): View {
  const view = { ...NOTHING, ...parts };
  const isOpen = (path: string): boolean => view.writable.some((folder) => isSameOrBelow(path, folder));
  return {
    ...view,
    scratch: view.scratch.filter(({ at }) => at !== "/" && !isOpen(at)),
    readable: view.readable.filter((path) => !isOpen(path)),
  };
}

/** Linux folders that hold programs and libraries alone. */
export const PROGRAM_FOLDERS: readonly string[] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Linux system folders that hold programs and no projects. */
export const SYSTEM_FOLDERS: readonly string[] = [
  ...PROGRAM_FOLDERS,
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
  "/snap",
  "/sys",
  "/var/lib/dpkg",
  "/var/lib/rpm",
  "/home/linuxbrew/.linuxbrew",
];

/** macOS folders that programs need and that hold no projects and no homes. */
export const MAC_SYSTEM: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library",
  "/opt",
  "/dev",
  "/private/etc",
  "/Applications/Xcode.app",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
  "/nix",
];

const TOOLCHAINS = [
  ".local/bin",
  ".local/lib",
  ".local/share/uv",
  ".local/share/mise",
  ".local/share/pnpm",
  ".local/pipx",
  ".nvm",
  ".fnm",
  ".local/share/fnm",
  ".volta",
  ".asdf",
  ".bun/bin",
  ".deno/bin",
  ".tool-versions",
  ".cargo/bin",
  ".cargo/registry",
  ".cargo/git",
  ".rustup",
  "go/bin",
  "go/pkg",
  ".pyenv",
  ".rbenv",
  ".gem/ruby",
  ".sdkman/candidates",
  ".jdks",
  ".m2/repository",
  ".m2/wrapper",
  ".gradle/wrapper",
  ".gradle/caches",
  ".dotnet",
  ".nuget/packages",
  ".ghcup",
  ".cabal",
  ".stack",
  ".opam",
  ".pub-cache",
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
];

/** Toolchains in a home folder: only the parts that hold no credentials. */
export function listToolchains(home: string): readonly string[] {
  return TOOLCHAINS.map((name) => `${home}/${name}`);
}

export function isSameOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
