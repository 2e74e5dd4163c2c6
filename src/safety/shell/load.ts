import type { Parser } from "web-tree-sitter";
import type { ShellLanguage } from "../policy/shell-facts.ts";
import { bashReader } from "./bash.ts";
import { powershellReader } from "./powershell.ts";
import { type ShellDialect, type ShellReader, unreadable } from "./reading.ts";

/** Files that parsing needs, by their names in their packages. */
export type GrammarFile = "web-tree-sitter.wasm" | "tree-sitter-bash.wasm" | "tree-sitter-powershell.wasm";

/** Loads the parser of a shell's language. `bytes` returns the content of a grammar file, wherever this program keeps it. */
export async function loadShellReader(
  dialect: ShellDialect,
  bytes: (file: GrammarFile) => Promise<Uint8Array>,
): Promise<ShellReader> {
  if (dialect === "cmd") return { read: () => unreadable("Command lines of cmd.exe can't be analyzed.") };
  if (dialect === "powershell")
    return warm(powershellReader(await parserFor("tree-sitter-powershell.wasm", bytes)));
  return warm(bashReader(await parserFor("tree-sitter-bash.wasm", bytes)));
}

async function parserFor(
  file: GrammarFile,
  bytes: (file: GrammarFile) => Promise<Uint8Array>,
): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter");
  await Parser.init({ wasmBinary: await bytes("web-tree-sitter.wasm"), locateFile: (name: string) => name });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await bytes(file)));
  return parser;
}

/** Parses a few lines, because the first ones take longer. */
function warm(reader: ShellReader): ShellReader {
  for (const line of ["ls -la 'a b' | head -5 && git status", 'echo "$HOME" 2>/dev/null; cat a'])
    reader.read(line);
  return reader;
}

/** The parser of a shell's command lines; loaded once, at the first line. */
export function shellLanguage(
  shellName: string,
  bytes: (file: GrammarFile) => Promise<Uint8Array>,
): () => Promise<ShellLanguage> {
  const dialect = dialectOf(shellName);
  let loading: Promise<ShellLanguage> | undefined;
  return () => {
    loading ??= loadShellReader(dialect, bytes).then((reader) => ({ dialect, reader }));
    return loading;
  };
}

function dialectOf(shellName: string): ShellDialect {
  switch (shellName) {
    case "PowerShell":
      return "powershell";
    case "bash":
    case "zsh":
    case "cmd":
      return shellName;
    default:
      return "sh";
  }
}
