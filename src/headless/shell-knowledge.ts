import { packagedGrammar } from "../node/grammar-files.ts";
import { shellProgram } from "../node/shell-program.ts";
import { loadShellReader } from "../safety/shell/load.ts";
import type { Dialect } from "../safety/shell/reading.ts";
import type { ShellKnowledge } from "../safety/shell-facts.ts";

/** What is needed to read this machine's command lines; loaded once, when the first one is to be read. */
export function shellKnowledge(): () => Promise<ShellKnowledge> {
  let loading: Promise<ShellKnowledge> | undefined;
  return () => {
    loading ??= load(dialectOf(shellProgram().name));
    return loading;
  };
}

async function load(dialect: Dialect): Promise<ShellKnowledge> {
  return { dialect, reader: await loadShellReader(dialect, packagedGrammar) };
}

function dialectOf(shell: string): Dialect {
  if (shell === "PowerShell") return "powershell";
  return shell === "bash" ? "bash" : "sh";
}
