import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isExecutable } from "./executables.ts";
import type { ShellProgram } from "./shell-program.ts";

/** What this system has to confine commands with; `none` says why there is nothing, as a sentence. */
export type SandboxTool =
  | { readonly kind: "bubblewrap" | "seatbelt"; readonly path: string }
  | { readonly kind: "none"; readonly why: string };

/** How a command is confined: the tool's arguments before it, and the paths that stand in for something meanwhile. */
export interface Confinement {
  readonly args: readonly string[];
  readonly standIns: readonly string[];
}

const NO_TOOL = "commands run without one and ask as ever";

/** Finds the sandbox and tries it, since a system may have it and not let it be used. */
export async function sandboxTool(platform: NodeJS.Platform = process.platform): Promise<SandboxTool> {
  if (platform === "darwin") {
    const path = "/usr/bin/sandbox-exec";
    return isExecutable(path) ? { kind: "seatbelt", path } : none("sandbox-exec is not there");
  }
  if (platform !== "linux") return none("there is none for this system");
  const path = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find(isExecutable);
  if (path === undefined) return none("bubblewrap is not installed (its package is called bubblewrap)");
  const trial = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--unshare-pid",
    "--unshare-net",
    "--",
    "/bin/true",
  ];
  const works = await promisify(execFile)(path, trial, { timeout: 5000 }).then(
    () => true,
    () => false,
  );
  return works
    ? { kind: "bubblewrap", path }
    : none("bubblewrap is installed but this system does not let it make namespaces");
}

/** A shell whose command lines run confined. `confine` is asked anew for each, since files come and go. */
export function sandboxedProgram(
  program: ShellProgram,
  tool: Extract<SandboxTool, { readonly path: string }>,
  confine: () => Confinement,
): ShellProgram {
  return {
    name: program.name,
    path: program.path,
    args(commandLine) {
      const { args, standIns } = confine();
      const remove = standIns.map((path) => `rmdir -- ${quoted(path)}`).join("; ");
      const script = `"$@"; code=$?; { ${remove || ":"}; } 2>/dev/null; exit "$code"`;
      return ["-c", script, "sandbox", tool.path, ...args, program.path, ...program.args(commandLine)];
    },
  };
}

function none(why: string): SandboxTool {
  return { kind: "none", why: `This system has no sandbox that can be used: ${why}, so ${NO_TOOL}.` };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
