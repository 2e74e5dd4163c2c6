import { homedir } from "node:os";
import type { Shell } from "../core/machine-ports.ts";
import { nodeProcesses, type RunProcesses } from "./processes.ts";
import { type Confinement, type SandboxTool, sandboxedProgram, sandboxTool } from "./sandbox.ts";
import { type SandboxListing, shallowListing, workspaceListing } from "./sandbox-listing.ts";
import { nodeShell } from "./shell.ts";
import { type ShellProgram, shellProgram } from "./shell-program.ts";

/** How the user wants command lines to be run. */
export interface ShellWish {
  readonly enabled: boolean;
  readonly sandbox: "off" | "confined" | "trusted";
}

/** How the command lines of a run are run. */
export interface ShellOfRun {
  /** Absent when the user has turned the shell off. */
  readonly shell?: Shell;
  /** Those that run in the background; absent together with the shell. */
  readonly processes?: RunProcesses;
  /** Set while a sandbox holds them. */
  readonly sandbox?: "confined" | "trusted";
  /** Why there is no sandbox although the user wants one, as a sentence. */
  readonly problem?: string;
}

/** What a run's shell is made of. */
export interface ShellOfRunParts {
  /** Where the full outputs go. */
  readonly outputFolder: string;
  /** Takes secrets out of a text before it is kept. */
  redact(text: string): string;
  /** Real paths of the folders that a sandboxed line may write to. */
  folders(): readonly string[];
  /** Says how a tool confines command lines, by what is in the workspace folders and in the user's home now. */
  confine(
    tool: "bubblewrap" | "seatbelt",
    workspace: readonly SandboxListing[],
    home: SandboxListing,
  ): Confinement;
  /** Finds what this system has to confine command lines with. */
  tool?(): Promise<SandboxTool>;
}

/** The shell as the user wants it. Where the system has no sandbox, lines run without one and `problem` says so. */
export async function shellOfRun(wish: ShellWish, parts: ShellOfRunParts): Promise<ShellOfRun> {
  const { outputFolder, redact, folders, confine } = parts;
  if (!wish.enabled) return {};
  const both = (program?: ShellProgram): Pick<ShellOfRun, "shell" | "processes"> => {
    const made = { outputFolder, redact, ...(program ? { program } : {}) };
    return { shell: nodeShell(made), processes: nodeProcesses(made) };
  };
  if (wish.sandbox === "off") return both();
  const tool = await (parts.tool ?? sandboxTool)();
  if (tool.kind === "none") return { ...both(), problem: tool.why };
  const program = sandboxedProgram(shellProgram(), tool, () =>
    confine(tool.kind, folders().map(workspaceListing), shallowListing(homedir())),
  );
  return { ...both(program), sandbox: wish.sandbox };
}
