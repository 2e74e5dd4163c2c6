import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { readLinkedText } from "../../disk/plain-file.ts";

const MOST_FILES = 100;
const DEEPEST = 8;
const MOST_BYTES = 1_000_000;

/** A name of a machine that can't be taken for an option, a user, a path or code of a shell. */
const HOST = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,250}$/;

export function isHostName(name: string): boolean {
  return HOST.test(name);
}

/** The file with the user's own machines. No workspace has one. */
function getSshConfigFile(): string {
  return join(homedir(), ".ssh", "config");
}

/** The machines that a configuration of ssh names, and the files that it includes, in their order. Patterns name none. */
export async function listSshHosts(file = getSshConfigFile()): Promise<readonly string[]> {
  const found = new Set<string>();
  const read = new Set<string>();
  const visit = async (path: string, depth: number): Promise<void> => {
    if (read.has(path) || read.size >= MOST_FILES || depth > DEEPEST) return;
    read.add(path);
    const text = await readLinkedText(path, MOST_BYTES).catch(() => "");
    for (const line of text.split(/\r?\n/)) {
      const { keyword, words } = parseLine(line);
      if (keyword === "host") for (const name of words.filter(isHostName)) found.add(name);
      if (keyword !== "include") continue;
      for (const word of words)
        for (const included of await listIncluded(word, dirname(file))) await visit(included, depth + 1);
    }
  };
  await visit(file, 0);
  return [...found];
}

/** The keyword of a line, in lower case, and its arguments. */
function parseLine(line: string): { readonly keyword: string; readonly words: readonly string[] } {
  const [, keyword = "", rest = ""] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? [];
  const words = [...rest.matchAll(/"([^"]*)"|([^\s"#]\S*)|#.*/g)].flatMap(([, quoted, plain]) => quoted ?? plain ?? []);
  return { keyword: keyword.toLowerCase(), words };
}

/** The files that an argument of `Include` names. Only its last part may have wildcards. */
async function listIncluded(word: string, folder: string): Promise<readonly string[]> {
  const path = word.startsWith("~/") ? join(homedir(), word.slice(2)) : isAbsolute(word) ? word : join(folder, word);
  const name = basename(path);
  if (!/[*?]/.test(name)) return [path];
  const pattern = new RegExp(
    `^${name
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((one) => !one.startsWith(".") && pattern.test(one))
    .sort()
    .map((one) => join(dirname(path), one));
}
