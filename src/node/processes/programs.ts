import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** True for a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Programs of macOS that are empty until the command line tools are installed. Started without those, they open a dialog. */
const APPLE_STUBS =
  /^\/usr\/bin\/(?:git|svn|python3|pip3|make|gnumake|cc|c\+\+|gcc|g\+\+|clang|clang\+\+|swift|swiftc|lldb|xcrun|xcodebuild)$/;

let hasTools = false;

/** True if this Mac has the command line tools. Until it has, each call looks again. */
function hasCommandLineTools(): boolean {
  hasTools ||= spawnSync("/usr/bin/xcode-select", ["-p"], { stdio: "ignore", timeout: 5000 }).status === 0;
  return hasTools;
}

/** The path of a program, by the first of its names on the search path. Relative entries of the search path are skipped. */
export function findOnPath(
  names: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
  platform: NodeJS.Platform = process.platform,
  hasDeveloperTools: () => boolean = hasCommandLineTools,
): string | undefined {
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  // Windows puts links to its store there in place of programs.
  const real = folders.filter((folder) => platform !== "win32" || !/WindowsApps/i.test(folder));
  const endings = platform === "win32" ? [".exe"] : [""];
  return names
    .flatMap((name) => real.flatMap((folder) => endings.map((ending) => join(folder, name + ending))))
    .find((path) => isExecutable(path) && (platform !== "darwin" || !APPLE_STUBS.test(path) || hasDeveloperTools()));
}

/** The path of a program that comes with the system: in the system's own folders, or else on the search path. */
export function findSystemProgram(name: string, env: Readonly<NodeJS.ProcessEnv> = process.env): string | undefined {
  return findOnPath([name], { PATH: `/usr/bin:/usr/local/bin:/bin:/usr/sbin:/sbin:${env.PATH ?? ""}` });
}

/** The program that runs command lines. */
export interface ShellProgram {
  /** The name of its syntax, for the model. */
  readonly name: string;
  /** Its version, if it lacks what the model expects of a shell with this name. */
  readonly version?: string;
  readonly path: string;
  /** The folder to start it in, if the arguments then change to the line's folder. */
  readonly startsIn?: string;
  /** The arguments for running one command line in a folder. */
  createArgs(commandLine: string, cwd?: string): readonly string[];
}

/** How to start a program. */
export interface ProgramStart {
  /** The program's path and its arguments, including the sandbox around it. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Called once its processes have ended, or when it couldn't be started. */
  readonly finish?: () => void;
}

/** The sandbox around a run's command lines, for other extensions' programs. */
export interface ProgramWalls {
  /** The shell in the sandbox. */
  readonly shell: ShellProgram;
  /**
   * Prepares a program to start in the sandbox, with `env` added to the variables of the run's lines. `readable`: real paths outside that
   * it may read. Throws a sentence.
   */
  start(start: ProgramStart, readable: readonly string[]): Promise<ProgramStart>;
}

/**
 * Where a Mac has a newer bash than Apple's of 2007. As with other programs on the search path, the user can replace those of Homebrew
 * without a password. A folder in the home isn't among them, because it may be in the workspace.
 */
const MAC_BASHES = ["/opt/homebrew", "/usr/local", "/opt/local", "/nix/var/nix/profiles/default"].map(
  (folder) => `${folder}/bin/bash`,
);
const APPLE_BASH = "/bin/bash";

/** PowerShell on Windows. Elsewhere bash, preferably the user's own, or sh if there is none. */
export function chooseShellProgram(
  env: NodeJS.ProcessEnv = process.env,
  platform = process.platform,
  isThere: (path: string) => boolean = isExecutable,
): ShellProgram {
  if (platform === "win32") return findPowerShell(env);
  const isMac = platform === "darwin";
  const { SHELL = "" } = env;
  const own = /\/bash$/.test(SHELL) && !(isMac && SHELL === APPLE_BASH) ? [SHELL] : [];
  const candidates = [...own, ...(isMac ? MAC_BASHES : []), APPLE_BASH, "/usr/bin/bash", "/usr/local/bin/bash"];
  const path = candidates.find(isThere) ?? "/bin/sh";
  return {
    name: path.endsWith("bash") ? "bash" : "sh",
    ...(isMac && path === APPLE_BASH ? { version: "3.2" } : {}),
    path,
    createArgs: (commandLine) => ["-c", commandLine],
  };
}

function findPowerShell(env: NodeJS.ProcessEnv): ShellProgram {
  const system = env.SystemRoot ?? "C:\\Windows";
  return {
    name: "PowerShell",
    path: `${system}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
    createArgs: (commandLine) => ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", commandLine],
  };
}

/** Limits memory, and prevents a core dump if the program fails. */
const LIMITED = '{ ulimit -c 0; ulimit -d "$1"; } 2>/dev/null; shift; exec "$@"';

/** The words that start a program with a memory limit, which an endless file could exceed. Windows doesn't support that. */
export function limitMemory(megabytes: number, words: readonly string[]): readonly string[] {
  if (process.platform === "win32") return words;
  return ["/bin/sh", "-c", LIMITED, "limited", String(megabytes * 1024), ...words];
}
