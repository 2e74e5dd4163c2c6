import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { OLD_POWERSHELL } from "../../core/ports/programs.ts";
import { createPowerShellArguments } from "./powershell.ts";
import { findVariable } from "./shell-environment.ts";

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

/** How programs are recognized. */
interface ProgramSearch {
  /** The endings of their names on Windows. Only `.exe` starts without a command interpreter. */
  readonly endings?: readonly string[];
  isProgram?(path: string): boolean;
  hasDeveloperTools?(): boolean;
}

/** The path of a program, by the first of its names on the search path. Relative entries of the search path are skipped. */
export function findOnPath(
  names: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
  platform: NodeJS.Platform = process.platform,
  { endings = [".exe"], isProgram = isExecutable, hasDeveloperTools = hasCommandLineTools }: ProgramSearch = {},
): string | undefined {
  const folders = listSearchedFolders(env, platform);
  // Windows puts links to its store there in place of programs.
  const real = folders.filter((folder) => platform !== "win32" || !/WindowsApps/i.test(folder));
  const { join } = getPathRules(platform);
  return names
    .flatMap((name) =>
      real.flatMap((folder) => listSpellings(name, platform, endings).map((file) => join(folder, file))),
    )
    .find((path) => isProgram(path) && (platform !== "darwin" || !APPLE_STUBS.test(path) || hasDeveloperTools()));
}

/** The absolute entries of the search path. */
export function listSearchedFolders(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const rules = getPathRules(platform);
  return (findVariable(env, "PATH", platform) ?? "")
    .split(rules.delimiter)
    .filter((folder) => rules.isAbsolute(folder));
}

function getPathRules(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** The names of the files that a program's name may mean. */
function listSpellings(name: string, platform: NodeJS.Platform, endings: readonly string[]): readonly string[] {
  if (platform !== "win32") return [name];
  return endings.some((ending) => name.toLowerCase().endsWith(ending)) ? [name] : endings.map((end) => name + end);
}

/** Where a program is named. */
interface NamedPlace {
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly platform?: NodeJS.Platform;
}

/** A program by a name or a path, as a command names it. On Windows, that may be a batch file, such as `npx.cmd`. */
export function findNamedProgram(
  command: string,
  { cwd, env, platform = process.platform }: NamedPlace,
  isProgram = isExecutable,
): string | undefined {
  const endings = (findVariable(env, "PATHEXT", platform) ?? ".COM;.EXE;.BAT;.CMD")
    .toLowerCase()
    .split(";")
    .filter((ending) => /^\.(?:com|exe|bat|cmd)$/.test(ending));
  if (!/[\\/]/.test(command)) return findOnPath([command], env, platform, { endings, isProgram });
  const path = getPathRules(platform).resolve(cwd, command);
  return listSpellings(path, platform, endings).find(isProgram) ?? path;
}
/** The words that start a program. */
interface ProgramWords {
  readonly words: readonly string[];
  /** The words are already quoted as Windows needs them. */
  readonly isVerbatim?: true;
}

/**
 * The words that start a program. Windows runs batch files with its command interpreter, for which arguments are code, so Node refuses to
 * (CVE-2024-27980). Here each word is quoted, which makes `&`, `|`, `<`, `>`, `^` and spaces harmless, unless the batch file itself removes the quotes. No quoting that every batch file passes
 * on does that for a quote, a percent sign or a line break. For those, the result is undefined.
 */
export function createProgramWords(
  program: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): ProgramWords | undefined {
  const words = [program, ...args];
  if (platform !== "win32" || !/\.(?:cmd|bat)[. ]*$/i.test(program)) return { words };
  if (words.some((word) => /["%]|(?!\t)\p{Cc}/u.test(word))) return undefined;
  const system = findVariable(env, "SystemRoot", platform) ?? "C:\\Windows";
  const interpreter = findVariable(env, "ComSpec", platform) ?? `${system}\\System32\\cmd.exe`;
  // A backslash at the end would escape the quote for the program that reads the word.
  const quoted = words.map((word) => `"${word.replace(/\\+$/, "$&$&")}"`).join(" ");
  return { words: [interpreter, "/d", "/v:off", "/s", "/c", `"${quoted}"`], isVerbatim: true };
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

/**
 * PowerShell on Windows. Elsewhere bash, preferably the user's own, or sh if there is none. For lines that run, `env` must be without the
 * workspace's folders in its search path, see `createEnvironmentOutside`.
 */
export function chooseShellProgram(
  env: NodeJS.ProcessEnv = process.env,
  platform = process.platform,
  isProgram: (path: string) => boolean = isExecutable,
): ShellProgram {
  if (platform === "win32") return findPowerShell(env, isProgram);
  const isMac = platform === "darwin";
  const { SHELL = "" } = env;
  const own = /\/bash$/.test(SHELL) && !(isMac && SHELL === APPLE_BASH) ? [SHELL] : [];
  const candidates = [...own, ...(isMac ? MAC_BASHES : []), APPLE_BASH, "/usr/bin/bash", "/usr/local/bin/bash"];
  const path = candidates.find(isProgram) ?? "/bin/sh";
  return {
    name: path.endsWith("bash") ? "bash" : "sh",
    ...(isMac && path === APPLE_BASH ? { version: "3.2" } : {}),
    path,
    createArgs: (commandLine) => ["-c", commandLine],
  };
}

/** PowerShell 7 if it's installed for all users or is on the search path, and otherwise the one that comes with Windows. */
function findPowerShell(env: NodeJS.ProcessEnv, isProgram: (path: string) => boolean): ShellProgram {
  const path =
    ["ProgramW6432", "ProgramFiles"]
      .flatMap((name) => findVariable(env, name, "win32") ?? [])
      .map((folder) => win32.join(folder, "PowerShell", "7", "pwsh.exe"))
      .find(isProgram) ?? findOnPath(["pwsh"], env, "win32", { isProgram });
  return path === undefined ? findWindowsPowerShell(env) : createPowerShell(path);
}

/** The PowerShell that comes with Windows. */
export function findWindowsPowerShell(env: Readonly<NodeJS.ProcessEnv> = process.env): ShellProgram {
  const system = findVariable(env, "SystemRoot", "win32") ?? "C:\\Windows";
  return createPowerShell(`${system}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`, OLD_POWERSHELL);
}

function createPowerShell(path: string, version?: string): ShellProgram {
  const createArgs = (commandLine: string) => createPowerShellArguments(commandLine, version);
  return { name: "PowerShell", ...omitUndefined({ version }), path, createArgs };
}

/** Limits memory, and prevents a core dump if the program fails. */
const LIMITED = '{ ulimit -c 0; ulimit -d "$1"; } 2>/dev/null; shift; exec "$@"';

/** The words that start a program with a memory limit, which an endless file could exceed. Windows doesn't support that. */
export function limitMemory(megabytes: number, words: readonly string[]): readonly string[] {
  if (process.platform === "win32") return words;
  return ["/bin/sh", "-c", LIMITED, "limited", String(megabytes * 1024), ...words];
}

/** Quotes a text as one word of a POSIX shell. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
