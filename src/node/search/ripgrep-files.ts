import { createYielder } from "../processes/event-loop.ts";
import { createNamesTaker, writeRipgrepRules } from "./git-rules.ts";
import { runRipgrep } from "./ripgrep.ts";
import { SEARCHED_BYTES } from "./search-query.ts";

/** The files of one folder that git doesn't ignore. */
interface ListedFolder {
  readonly files: Set<string>;
  /** Files that are too large to search. */
  readonly large: Set<string>;
}

/** The files below a folder. */
export interface ListedFiles {
  /** By path relative to the listed one, each with a final `/`. */
  readonly folders: ReadonlyMap<string, ListedFolder>;
  /** The ignore files whose rules were followed. */
  readonly rules: ReadonlySet<string>;
}

/** Lists the files below a folder that git doesn't ignore; undefined if there are more than `most`. */
export async function listFilesByRipgrep(
  program: string,
  root: string,
  most: number,
  signal: AbortSignal,
): Promise<ListedFiles | undefined> {
  const folders = new Map<string, ListedFolder>([["", { files: new Set(), large: new Set() }]]);
  const small = new Set<string>();
  const rules = await writeRipgrepRules(program, root, "", signal);
  const [all] = await Promise.all([
    collectNames(program, root, rules.args, most, signal),
    collectNames(program, root, [...rules.args, `--max-filesize=${SEARCHED_BYTES}`], most, signal, small),
  ]).finally(rules.close);
  if (all.size > most) return undefined;
  const breathe = createYielder(signal);
  let count = 0;
  for (const path of all) {
    if (count++ % 256 === 0) await breathe();
    const end = path.lastIndexOf("/") + 1;
    const folder = ensureFolder(folders, path.slice(0, end));
    folder.files.add(path.slice(end));
    if (!small.has(path)) folder.large.add(path.slice(end));
  }
  return { folders, rules: rules.from };
}

async function collectNames(
  program: string,
  root: string,
  args: readonly string[],
  most: number,
  signal: AbortSignal,
  found = new Set<string>(),
): Promise<ReadonlySet<string>> {
  const take = createNamesTaker((paths) => {
    for (const path of paths) found.add(path);
    return found.size > most ? "stop" : "go on";
  });
  const all = ["--files", ...args, "--", "./"];
  await runRipgrep(program, { args: all, cwd: root, signal, take });
  return found;
}

/** Returns a folder of the map. Adds the folder and its parents if they are missing. */
function ensureFolder(folders: Map<string, ListedFolder>, path: string): ListedFolder {
  const known = folders.get(path);
  if (known) return known;
  ensureFolder(folders, path.slice(0, path.lastIndexOf("/", path.length - 2) + 1));
  const made = { files: new Set<string>(), large: new Set<string>() };
  folders.set(path, made);
  return made;
}
