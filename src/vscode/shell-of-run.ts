import { homedir } from "node:os";
import type { Shell } from "../core/ports.ts";
import {
  type Confinement,
  listing,
  type SandboxTool,
  sandboxedProgram,
  sandboxTool,
} from "../node/sandbox.ts";
import { nodeShell } from "../node/shell.ts";
import { shellProgram } from "../node/shell-program.ts";
import { bubblewrapArguments, sandboxPlan, seatbeltArguments } from "../safety/sandbox.ts";
import type { Settings } from "./settings.ts";

/** How the command lines of a run are run. */
export interface ShellOfRun {
  /** Absent when the user has turned the shell off. */
  readonly shell?: Shell;
  /** Set while a sandbox holds them. */
  readonly sandbox?: "confined" | "trusted";
  /** Why there is no sandbox although the user wants one, as a sentence. */
  readonly problem?: string;
}

/** The shell as the settings want it. `folders` are the real paths a sandboxed line may write to. */
export async function shellOfRun(
  { enabled, sandbox }: Settings["shell"],
  runHome: string,
  folders: () => readonly string[],
): Promise<ShellOfRun> {
  if (!enabled) return {};
  const plain = { shell: nodeShell({ outputFolder: runHome }) };
  if (sandbox === "off") return plain;
  const tool = await sandboxTool();
  if (tool.kind === "none") return { ...plain, problem: tool.why };
  const program = sandboxedProgram(shellProgram(), tool, () => confinement(tool, folders()));
  return { shell: nodeShell({ outputFolder: runHome, program }), sandbox };
}

function confinement({ kind }: SandboxTool, folders: readonly string[]): Confinement {
  const plan = sandboxPlan(folders.map(listing), listing(homedir()));
  return kind === "seatbelt"
    ? { args: seatbeltArguments(plan), standIns: [] }
    : { args: bubblewrapArguments(plan), standIns: plan.absent };
}
