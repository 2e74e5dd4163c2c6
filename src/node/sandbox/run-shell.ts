import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Shell } from "../../core/ports/programs.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { describeSandboxView, listWatchedPaths } from "../../walls/sandbox-view.ts";
import { createNodeProcesses, type RunProcesses } from "../processes/background-processes.ts";
import { createEnvironmentOutside } from "../processes/program-versions.ts";
import { chooseShellProgram, type ProgramWalls } from "../processes/programs.ts";
import { createNodeShell } from "../processes/shell.ts";
import {
  addVariables,
  createSandboxEnvironment,
  selectDefinedVariables,
  selectPlainVariables,
} from "../processes/shell-environment.ts";
import type { LineTerminals } from "../terminal/line-terminals.ts";
import { createTerminalShell, findLinePreparation } from "../terminal/terminal-shell.ts";
import { locatePrivateHome, moveVariables } from "./private-home.ts";
import {
  createSandboxedProgram,
  createSandboxWords,
  findSandboxTool,
  findSharedHistory,
  listSandboxProgramFolders,
  type SandboxTool,
} from "./sandbox.ts";
import { guardProcesses, guardShell, SandboxGuard, type TamperingReport } from "./sandbox-guard.ts";

/** The user's preferences for command lines. */
export interface ShellPreferences {
  readonly enabled: boolean;
  readonly sandbox: "off" | "confined" | "trusted";
  /** Where to run lines that the user approved on their card; absent: in the background. */
  readonly terminal?: "auto" | "integrated" | "background";
}

/** The shell of a run. */
export interface RunShell {
  /** Absent if the user has turned the shell off. */
  readonly shell?: Shell;
  /** Background processes; absent together with the shell. */
  readonly processes?: RunProcesses;
  /** Set while a sandbox confines commands. */
  readonly sandbox?: "confined" | "trusted";
  /** Changes by sandboxed lines to files that control programs. */
  readonly tampering?: TamperingReport;
  /** Set while a sandbox confines the shell, for plugins' programs. */
  readonly walls?: ProgramWalls;
  /** Set while a sandbox confines the shell, for the run's agents. */
  readonly guard?: SandboxGuard;
  /** A sentence for people about why there is no sandbox although the user wants one, or no shell. */
  readonly problem?: Sentence;
}

/** Dependencies of a run's shell. */
export interface RunShellOptions {
  /** Folder of the full outputs. */
  readonly outputFolder: string;
  /** Removes secrets from a text before it's saved. */
  redact(text: string): string;
  /** Real paths of the folders that a sandboxed line may write to. */
  listFolders(): readonly string[];
  /** Environment variables that commands don't get, in addition to the known keys. */
  readonly secrets?: readonly string[];
  /** The environment for finding programs, which is also passed on; by default, this process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** The guard of the parent run. */
  readonly guard?: SandboxGuard | undefined;
  /** The window's terminals; absent if there are none. */
  readonly terminals?: LineTerminals | undefined;
  /** Finds this system's tool for confining command lines. */
  findTool?(): Promise<SandboxTool>;
}

/** Creates the shell that the user wants. Without a sandbox on the system, lines run unconfined and `problem` says so. */
export async function createRunShell(preferences: ShellPreferences, parts: RunShellOptions): Promise<RunShell> {
  const { outputFolder, redact, secrets = [], env = process.env } = parts;
  if (!preferences.enabled) return {};
  const outside = createEnvironmentOutside(parts.listFolders(), env);
  const plain = { outputFolder, redact, secrets, env, program: chooseShellProgram(outside) };
  const shell = await addTerminals(createNodeShell(plain), preferences.terminal, { ...parts, env: outside });
  const both = { shell, processes: createNodeProcesses(plain) };
  if (preferences.sandbox === "off") return both;
  const tool = await (parts.findTool ?? findSandboxTool)();
  return tool.kind === "none" ? { ...both, problem: tool.why } : createSandboxedShell(preferences.sandbox, tool, parts);
}

/** Makes approved lines run in terminals, if the user wants that and the system supports it. Sandboxed lines never run there. */
async function addTerminals(
  shell: Shell,
  use: ShellPreferences["terminal"] = "background",
  { terminals, outputFolder, redact, env }: RunShellOptions,
): Promise<Shell> {
  if (!terminals || use === "background") return shell;
  const [prepare] = await Promise.all([findLinePreparation(use, env), terminals.waitForShell()]);
  return prepare ? createTerminalShell(shell, { outputFolder, terminals, prepare, use, redact }) : shell;
}

function createSandboxedShell(
  sandbox: "confined" | "trusted",
  tool: Extract<SandboxTool, { readonly path: string }>,
  options: RunShellOptions,
): RunShell {
  const { outputFolder, redact, listFolders, env = process.env } = options;
  const guard = options.guard ?? createGuard(sandbox, tool, options);
  const own = [join(outputFolder, "code")];
  const shell = chooseShellProgram(env);
  const program = createSandboxedProgram(shell, tool, () => guard.describeView(own));
  const quarantine = join(outputFolder, "quarantine");
  const variables = createSandboxEnvironment(env, redact);
  const held = {
    ...{ outputFolder, redact, program },
    env: guard.own ? moveVariables(variables, guard.own, listFolders()) : variables,
  };
  return {
    shell: guardShell(createNodeShell(held), guard, quarantine),
    processes: guardProcesses(createNodeProcesses(held), guard),
    sandbox,
    tampering: guard,
    guard,
    walls: {
      shell,
      async start({ words, cwd, env: added }, readable) {
        const done = guard.watch(quarantine);
        const all = addVariables({ ...selectDefinedVariables(held.env), ...added }, words);
        const inside = createSandboxWords(tool, guard.describeView([...own, ...readable]), all);
        return { words: [shell.path, ...inside], cwd, env: selectPlainVariables(held.env), finish: done };
      },
    },
  };
}

function createGuard(
  sandbox: "confined" | "trusted",
  tool: Extract<SandboxTool, { readonly path: string }>,
  { listFolders, env = process.env }: RunShellOptions,
): SandboxGuard {
  const home = env.HOME ?? homedir();
  const own =
    tool.kind === "seatbelt"
      ? // Short, because the paths of sockets have at most 104 bytes on macOS.
        locatePrivateHome(home, join(realpathSync(tmpdir()), `autogpt-${randomUUID().slice(0, 8)}`))
      : undefined;
  const machine = {
    home,
    isRoot: process.getuid?.() === 0,
    own: own ? [own.home, own.temporary] : [],
    // The services of the user are on it, so lines that run unasked don't get it.
    hasLoopback: sandbox === "confined",
  };
  return new SandboxGuard({
    listFolders,
    listWatchedPaths: (listing) => listWatchedPaths(listing, tool.kind),
    describeView: (listings, further) => {
      const history = listings.flatMap(({ path }) => findSharedHistory(path));
      const needed = [...listSandboxProgramFolders(env, home), ...history, ...further];
      return describeSandboxView(tool.kind, listings, { ...machine, needed });
    },
    ...(own ? { own } : {}),
  });
}
