import { setFlagsFromString } from "node:v8";
import type { Parser } from "web-tree-sitter";
import { displayText } from "../../texts/display-text.ts";
import type { ShellLanguage } from "../policy/shell-facts.ts";
import { createBashReader } from "./bash.ts";
import { createPowershellReader } from "./powershell.ts";
import { createUnreadableLine, type ShellDialect, type ShellReader } from "./reading.ts";

/** Files that parsing needs, by their names in their packages. */
type GrammarFile = "web-tree-sitter.wasm" | "tree-sitter-bash.wasm" | "tree-sitter-powershell.wasm";

/** Returns the content of a grammar file. */
export type GrammarSource = (file: GrammarFile) => Promise<Uint8Array>;

/** Loads the parser of a shell's language. `bytes` returns the content of a grammar file, wherever this program keeps it. */
export async function loadShellReader(dialect: ShellDialect, bytes: GrammarSource): Promise<ShellReader> {
  if (dialect === "cmd")
    return { read: () => createUnreadableLine(displayText("safety.line.unanalyzableCmd")) };
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

/** V8's own switches for compiling WebAssembly once more, and better. */
const OPTIMIZING = ["wasm-tier-up", "wasm-dynamic-tiering"];

/**
 * Parses a few lines, because the first ones take longer. What they compile is never optimized: for the huge functions of a
 * grammar, V8 would take two seconds and 500 MB, for lines that take a tenth of a millisecond each. V8 decides it where it
 * first compiles a function, so its switches are back before anything else runs.
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

/** Parsers by where their files come from. They stay: a web-tree-sitter parser that is garbage-collected can crash the process. */
const languages = new WeakMap<GrammarSource, Map<ShellDialect, Promise<ShellLanguage>>>();

/** The parser of a shell's command lines; loaded at the first line, and once for all who take its files from the same place. */
export function createShellLanguageLoader(
  shellName: string,
  bytes: GrammarSource,
): () => Promise<ShellLanguage> {
  const dialect = getShellDialect(shellName);
  return () => {
    const known = languages.get(bytes) ?? new Map<ShellDialect, Promise<ShellLanguage>>();
    languages.set(bytes, known);
    const loading =
      known.get(dialect) ?? loadShellReader(dialect, bytes).then((reader) => ({ dialect, reader }));
    known.set(dialect, loading);
    loading.catch(() => known.delete(dialect));
    return loading;
  };
}

function getShellDialect(shellName: string): ShellDialect {
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
