import { setFlagsFromString } from "node:v8";
import type { Parser } from "web-tree-sitter";
import { displayText } from "../../texts/display-text.ts";
import type { ShellLanguage } from "../policy/shell-facts.ts";
import { createBashReader } from "./bash.ts";
import { createPowershellReader } from "./powershell.ts";
import type { ShellDialect } from "./reading.ts";
import { createUnreadableLine, type ShellReader } from "./script.ts";

/** Files that parsing needs, by their names in their packages. */
type GrammarFile = "web-tree-sitter.wasm" | "tree-sitter-bash.wasm" | "tree-sitter-powershell.wasm";

/** Returns the content of a grammar file. */
export type GrammarSource = (file: GrammarFile) => Promise<Uint8Array>;

/** Loads the parser of a shell's language. `bytes` returns the content of a grammar file, wherever this program keeps it. */
export async function loadShellReader(dialect: ShellDialect, bytes: GrammarSource): Promise<ShellReader> {
  if (dialect === "cmd") return { read: () => createUnreadableLine(displayText("safety.line.unanalyzableCmd")) };
  if (dialect === "powershell")
    return warm(createPowershellReader(await loadParser("tree-sitter-powershell.wasm", bytes)));
  return warm(createBashReader(await loadParser("tree-sitter-bash.wasm", bytes)));
}

async function loadParser(file: GrammarFile, bytes: GrammarSource): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter");
  await Parser.init({ wasmBinary: await bytes("web-tree-sitter.wasm"), locateFile: (name: string) => name });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await bytes(file)));
  return parser;
}

/** V8's own switches for compiling WebAssembly again, with more optimization. */
const OPTIMIZING = ["wasm-tier-up", "wasm-dynamic-tiering"];

/**
 * Parses a few lines, because the first ones take longer. The code compiled for them is never optimized. For a grammar's huge functions, V8
 * would take two seconds and 500 MB, although a line takes a tenth of a millisecond. V8 decides this when it first compiles a function, so
 * its switches are restored before anything else runs.
 */
function warm(reader: ShellReader): ShellReader {
  for (const flag of OPTIMIZING) setFlagsFromString(`--no-${flag}`);
  try {
    for (const line of FIRST_LINES) reader.read(line);
  } finally {
    for (const flag of OPTIMIZING) setFlagsFromString(`--${flag}`);
  }
  return reader;
}

const FIRST_LINES = ["ls -la 'a b' | head -5 && git status", 'echo "$HOME" 2>/dev/null; cat a'];

/** Parsers by the source of their files. They are kept, because garbage collection of a web-tree-sitter parser can crash the process. */
const languages = new WeakMap<GrammarSource, Map<ShellDialect, Promise<ShellLanguage>>>();

/** Loads the parser of a shell's command lines at the first line, once for all callers with the same source of files. */
export function createShellLanguageLoader(shellName: string, bytes: GrammarSource): () => Promise<ShellLanguage> {
  const dialect = getShellDialect(shellName);
  return () => {
    const known = languages.get(bytes) ?? new Map<ShellDialect, Promise<ShellLanguage>>();
    languages.set(bytes, known);
    const loading = known.get(dialect) ?? loadShellReader(dialect, bytes).then((reader) => ({ dialect, reader }));
    known.set(dialect, loading);
    loading.catch(() => known.delete(dialect));
    return loading;
  };
}

function getShellDialect(shellName: string): ShellDialect {
  if (shellName === "PowerShell") return "powershell";
  switch (shellName) {
    case "bash":
    case "zsh":
    case "cmd":
      return shellName;
    default:
      return "sh";
  }
}
