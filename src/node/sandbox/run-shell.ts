import { homedir } from "node:os";
import { join } from "node:path";
import type { Shell } from "../../core/ports/programs.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { nodeProcesses, type RunProcesses } from "../processes/background-processes.ts";
import { type ProgramWalls, shellProgram } from "../processes/programs.ts";
import { nodeShell } from "../processes/shell.ts";
import {
  definedVariables,
  plainVariables,
  sandboxEnvironment,
  withVariables,
} from "../processes/shell-environment.ts";
import type { LineTerminals } from "../terminal/line-terminals.ts";
import { approvedInTerminal, linePreparation } from "../terminal/terminal-shell.ts";
import type { WatchedPaths } from "./control-files.ts";
import {
  type Confinement,
  programFolders,
  type SandboxTool,
  sandboxedProgram,
  sandboxedWords,
  sandboxTool,
  sharedHistory,
} from "./sandbox.ts";
import { guardedProcesses, guardedShell, SandboxGuard, type TamperingReport } from "./sandbox-guard.ts";
import type { SandboxListing } from "./sandbox-listing.ts";

/** The user's preferences for command lines. */
export interface ShellPreferences {
  readonly enabled: boolean;
  readonly sandbox: "off" | "confined" | "trusted";
  /** Where lines run that a person approved on their card; absent: in the background. */
  readonly terminal?: "auto" | "integrated" | "background";
}

/** The shell of a run. */
export interface RunShell {
  /** Absent if the user has turned the shell off. */
  readonly shell?: Shell;
  /** Background processes; absent together with the shell. */
  readonly processes?: RunProcesses;
  /** Set while a sandbox confines them. */
  readonly sandbox?: "confined" | "trusted";
  /** Changes by sandboxed lines to files that control programs. */
  readonly tampering?: TamperingReport;
  /** Set while a sandbox confines them, for the programs of plugins. */
  readonly walls?: ProgramWalls;
  /** Set while a sandbox confines them, for the agents of the run. */
  readonly guard?: SandboxGuard;
  /** Why there is no sandbox although the user wants one, or no shell, as a sentence for people. */
  readonly problem?: Sentence;
}

/** Dependencies of a run's shell. */
export interface RunShellOptions {
  /** Folder of the full outputs. */
  readonly outputFolder: string;
  /** Removes secrets from a text before it's saved. */
  redact(text: string): string;
  /** Real paths of the folders that a sandboxed line may write to. */
  folders(): readonly string[];
  /** Decides how a tool confines command lines, based on the workspace folders, the user's home and programs. */
  confine(
    tool: "bubblewrap" | "seatbelt",
    workspace: readonly SandboxListing[],
    surroundings: { readonly home: string; readonly needed: readonly string[]; readonly isRoot: boolean },
  ): Confinement;
  /** Names the paths that control programs and those that are hidden in a workspace folder. */
  watched(listing: SandboxListing, tool: "bubblewrap" | "seatbelt"): WatchedPaths;
  /** Environment variables that commands don't get, in addition to the known keys. */
  readonly secrets?: readonly string[];
  /** The environment to find programs in and to pass on; this process's unless a test sets another. */
  readonly env?: NodeJS.ProcessEnv;
  /** The guard of the run that this one works for. */
  readonly guard?: SandboxGuard | undefined;
  /** The terminals of the window; absent where there are none. */
  readonly terminals?: LineTerminals | undefined;
  /** Finds the tool that this system has for confining command lines. */
  tool?(): Promise<SandboxTool>;
}

/** The shell that the user wants. If the system has no sandbox, lines run without one and `problem` says so. */
export async function runShell(preferences: ShellPreferences, parts: RunShellOptions): Promise<RunShell> {
  const { outputFolder, redact, secrets = [], env = process.env } = parts;
  if (!preferences.enabled) return {};
  const plain = { outputFolder, redact, secrets, env };
  const shell = await withTerminals(nodeShell(plain), preferences.terminal, parts);
  const both = { shell, processes: nodeProcesses(plain) };
  if (preferences.sandbox === "off") return both;
  const tool = await (parts.tool ?? sandboxTool)();
  return tool.kind === "none" ? { ...both, problem: tool.why } : sandboxed(preferences.sandbox, tool, parts);
}

/** The shell with approved lines in terminals, where the user wants that and the system can do it. Sandboxed lines never run there. */
async function withTerminals(
  shell: Shell,
  use: ShellPreferences["terminal"] = "background",
  { terminals, outputFolder, redact, env = process.env }: RunShellOptions,
): Promise<Shell> {
  if (!terminals || use === "background") return shell;
  const [prepare] = await Promise.all([linePreparation(use, env), terminals.shellKnown()]);
  return prepare ? approvedInTerminal(shell, { outputFolder, terminals, prepare, use, redact }) : shell;
}

function sandboxed(
  sandbox: "confined" | "trusted",
  tool: Extract<SandboxTool, { readonly path: string }>,
  options: RunShellOptions,
): RunShell {
  const { outputFolder, redact, env = process.env } = options;
  const guard = options.guard ?? newGuard(tool, options);
  const own = [join(outputFolder, "code")];
  const shell = shellProgram(env);
  const program = sandboxedProgram(shell, tool, () => guard.confinement(own));
  const quarantine = join(outputFolder, "quarantine");
  const held = { outputFolder, redact, program, env: sandboxEnvironment(env, redact) };
  return {
    shell: guardedShell(nodeShell(held), guard, quarantine),
    processes: guardedProcesses(nodeProcesses(held), guard),
    sandbox,
    tampering: guard,
    guard,
    walls: {
      shell,
      async start({ words, cwd, env: added }, readable) {
        const done = guard.watch(quarantine);
        const all = withVariables({ ...definedVariables(held.env), ...added }, words);
        const inside = sandboxedWords(tool, guard.confinement([...own, ...readable]), all);
        return { words: [shell.path, ...inside], cwd, env: plainVariables(held.env), done };
      },
    },
  };
}

function newGuard(
  tool: Extract<SandboxTool, { readonly path: string }>,
  { folders, confine, watched, env = process.env }: RunShellOptions,
): SandboxGuard {
  const home = env.HOME ?? homedir();
  return new SandboxGuard({
    folders,
    watched: (listing) => watched(listing, tool.kind),
    confine: (listings, own) => {
      const history = listings.flatMap(({ path }) => sharedHistory(path));
      const needed = [...programFolders(env, home), ...history, ...own];
      return confine(tool.kind, listings, { home, needed, isRoot: process.getuid?.() === 0 });
    },
  });
}
