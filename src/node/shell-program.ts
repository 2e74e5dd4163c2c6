import { isExecutable } from "./executables.ts";

/** The program that runs command lines. */
export interface ShellProgram {
  /** As the model is told: what syntax it takes. */
  readonly name: string;
  readonly path: string;
  /** The arguments that make it run one command line. */
  args(commandLine: string): readonly string[];
}

/** PowerShell on Windows; elsewhere bash, the user's own where that is their shell, and sh where there is none. */
export function shellProgram(
  env: NodeJS.ProcessEnv = process.env,
  platform = process.platform,
): ShellProgram {
  if (platform === "win32") return powerShell(env);
  const own = env.SHELL !== undefined && /\/bash$/.test(env.SHELL) ? [env.SHELL] : [];
  const path = [...own, "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find(isExecutable) ?? "/bin/sh";
  return { name: path.endsWith("bash") ? "bash" : "sh", path, args: (commandLine) => ["-c", commandLine] };
}

function powerShell(env: NodeJS.ProcessEnv): ShellProgram {
  const system = env.SystemRoot ?? "C:\\Windows";
  return {
    name: "PowerShell",
    path: `${system}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
    args: (commandLine) => ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", commandLine],
  };
}
