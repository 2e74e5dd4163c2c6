import { type GrammarFile, loadShellReader } from "./shell/load.ts";
import type { Dialect } from "./shell/reading.ts";
import type { ShellKnowledge } from "./shell-facts.ts";

/** What is needed to read the command lines of a shell; loaded once, when the first line is to be read. */
export function shellKnowledge(
  shellName: string,
  bytes: (file: GrammarFile) => Promise<Uint8Array>,
): () => Promise<ShellKnowledge> {
  const dialect = dialectOf(shellName);
  let loading: Promise<ShellKnowledge> | undefined;
  return () => {
    loading ??= loadShellReader(dialect, bytes).then((reader) => ({ dialect, reader }));
    return loading;
  };
}

function dialectOf(shellName: string): Dialect {
  if (shellName === "PowerShell") return "powershell";
  return shellName === "bash" ? "bash" : "sh";
}
