import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collectGitPatterns, GIT_IGNORE_FILE } from "../files/ignore-rules.ts";
import { type RipgrepJob, runRipgrep } from "./ripgrep.ts";
import { HIDDEN } from "./walk.ts";

/** Options that make ripgrep read no ignore file by default, and leave out files that a walk never shows. */
const BARE: readonly string[] = [
  "--hidden",
  "--null",
  "--no-ignore",
  "--ignore-file-case-insensitive",
  ...[...HIDDEN].map((name) => `--glob=!${name}`),
];

/** The most rules for all subfolders; more would make ripgrep slow. */
const MOST_NESTED = 1000;

/** Git's rules in a folder, in the form for ripgrep. */
export interface RipgrepRules {
  /** Options that make ripgrep leave out no more than a walk does. */
  readonly args: readonly string[];
  /** The rules' files, by path relative to the workspace folder. */
  readonly from: ReadonlySet<string>;
  close(): Promise<void>;
}

/** The rules for when git's don't apply. */
export const NO_RULES: RipgrepRules = { args: BARE, from: new Set(), close: async () => undefined };

/**
 * Reads git's ignore files above and below a folder safely, because ripgrep would wait for a pipe and never finish a device. `relative`
 * ends with `/` unless it's the workspace folder. `known`: the workspace folder's ignore files, if listed.
 */
export async function writeRipgrepRules(
  program: string,
  root: string,
  relative: string,
  signal: AbortSignal,
  known?: readonly string[],
): Promise<RipgrepRules> {
  const names = relative.split("/").slice(0, -1);
  const above = ["", ...names.map((_, at) => `${names.slice(0, at + 1).join("/")}/`)];
  const first = await collectGitPatterns(
    root,
    above.map((folder) => `${folder}${GIT_IGNORE_FILE}`),
  );
  const folder = await mkdtemp(join(tmpdir(), "autogpt-rules-"));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const outer = join(folder, "outer");
    await writeFile(outer, first.text, { mode: 0o600 });
    const args = [...BARE, `--ignore-file=${outer}`];
    const nested = new Set(known?.filter((path) => path.startsWith(relative) && !first.from.has(path)));
    const take = createNamesTaker((paths) => {
      for (const path of paths) if (!first.from.has(path)) nested.add(path);
      return nested.size > MOST_NESTED ? "stop" : "go on";
    });
    const search = ["--files", ...args, `--iglob=${GIT_IGNORE_FILE}`, "--", `./${relative}`];
    if (!known) await runRipgrep(program, { args: search, cwd: root, signal, take });
    if (nested.size === 0) return { args, from: first.from, close };
    const more = await collectGitPatterns(root, [...nested], MOST_NESTED);
    const inner = join(folder, "inner");
    await writeFile(inner, more.text, { mode: 0o600 });
    return { args: [...args, `--ignore-file=${inner}`], from: new Set([...first.from, ...more.from]), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Splits ripgrep's output into paths, each of which ends with a NUL. */
export function createNamesTaker(take: (paths: readonly string[]) => "go on" | "stop"): RipgrepJob["take"] {
  let rest: Buffer = Buffer.alloc(0);
  return async (piece) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = all.lastIndexOf(0) + 1;
    rest = all.subarray(end);
    if (end === 0) return "go on";
    const names = all.toString("utf8", 0, end - 1).split("\0");
    return take(names.map(normalizeRipgrepPath));
  };
}

/** A path as ripgrep prints it, with `/` and relative to its folder. */
function normalizeRipgrepPath(path: string): string {
  const slashed = process.platform === "win32" ? path.replaceAll("\\", "/") : path;
  return slashed.startsWith("./") ? slashed.slice(2) : slashed;
}
