import { access, readdir } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { IgnoredFile } from "../../core/ports/disk.ts";
import { hasCode } from "../../disk/error-codes.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { type Ignored, type IgnoreRules, ignoreRules } from "./ignore-rules.ts";
import { listLinksAlong, resolveRealPath } from "./real-path.ts";
import { findRootAround, getPathInRoot, type Root, resolveRoots } from "./roots.ts";

/** The most names to look up. With more, a quick check can't rule out an out-of-bounds name. */
const MOST_NAMES = 200;

/** The first ignored file that texts mention by its path from a folder; out-of-bounds files come first. Links are followed. */
export async function findIgnoredName(
  texts: readonly string[],
  from: string,
  folders: readonly string[],
): Promise<IgnoredFile | undefined> {
  const names = await filterLikelyNames(texts, from);
  if (names.length > MOST_NAMES) return { by: "agent", name: `one of ${names.length} names` };
  const rulesOf = createRulesFinder(folders);
  let found: IgnoredFile | undefined;
  for (const name of names) {
    const path = resolve(from, name);
    const links = await listLinksAlong(path).catch(() => []);
    const paths = new Set([path, ...links, await resolveRealPath(path).catch(() => "")]);
    for (const one of paths) {
      const around = rulesOf(one);
      const by = await around?.rules.matchFileOrFolder(around.relative);
      if (by === "agent") return { by, name };
      if (by === "git") found ??= { by, name };
    }
  }
  return found;
}

/** The file with which the user excludes paths from the agent. */
export const AGENT_IGNORE_FILE = ".autogptignore";

/** True if a folder, or one above it in the workspace, has such a file. Most have none, which saves all comparisons. */
export async function hasAgentIgnoreFile(folder: string, folders: readonly string[]): Promise<boolean> {
  const roots: readonly Root[] = folders.map((path) => ({ name: path, path, prefix: "", label: path }));
  const root = findRootAround(folder, roots);
  for (let at = folder; root !== undefined; at = dirname(at)) {
    const isMissing = await access(join(at, AGENT_IGNORE_FILE)).then(
      () => false,
      (error: unknown) => hasCode(error, "ENOENT"),
    );
    if (!isMissing) return true;
    if (at === root.path || at === dirname(at)) return false;
  }
  return false;
}

/** Creates a check for whether the user excludes names below a folder from the agent. */
export function createExclusionTest(
  folder: string,
  folders: readonly string[],
): (names: readonly string[]) => Promise<boolean> {
  const around = createRulesFinder(folders)(folder);
  if (!around) return async () => false;
  const above = around.relative === "" ? "" : `${around.relative}/`;
  return (names) => around.rules.isOutOfBounds(above + names.join("/"));
}

/** Selects texts that may be file names. Most words of a command line don't start with an existing name. */
async function filterLikelyNames(texts: readonly string[], from: string): Promise<readonly string[]> {
  const here = new Set((await readdir(from).catch(() => [])).map((name) => name.toLowerCase()));
  const isLikely = (text: string): boolean =>
    isAbsolute(text) || text.startsWith(".") || here.has((text.split(/[\\/]/)[0] ?? "").toLowerCase());
  return [...new Set(texts)].filter(isLikely);
}

function createRulesFinder(
  folders: readonly string[],
): (path: string) => { readonly rules: IgnoreRules; readonly relative: string } | undefined {
  const roots: readonly Root[] = folders.map((path) => ({ name: path, path, prefix: "", label: path }));
  const known = new Map(roots.map((root) => [root, ignoreRules(root.path)]));
  return (path) => {
    const root = findRootAround(path, roots);
    const rules = root && known.get(root);
    return root && rules && { rules, relative: getPathInRoot(path, root) };
  };
}

/** Why an absolute path can't be mentioned in a task: its target is outside the workspace, or it's ignored. */
export type MentionExclusion = Ignored | "outside";

/** Checks absolute paths for mentions in a task. Links are followed; undefined means that a path can be mentioned. */
export async function mentionExclusions(
  folders: readonly WorkspaceFolder[],
): Promise<(path: string) => Promise<MentionExclusion | undefined>> {
  const roots = await resolveRoots(folders);
  const rules = new Map(roots.map((root) => [root, ignoreRules(root.path)]));
  const findExclusion = async (path: string): Promise<MentionExclusion | undefined> => {
    const root = findRootAround(path, roots);
    return root ? rules.get(root)?.matchFileOrFolder(getPathInRoot(path, root)) : "outside";
  };
  return async (path) => {
    const real = await resolveRealPath(path).catch(() => undefined);
    if (real === undefined) return "outside";
    const links = await listLinksAlong(path).catch(() => []);
    const found = new Set<MentionExclusion | undefined>();
    for (const name of [path, ...links]) found.add(await findExclusion(name));
    found.delete("outside");
    return (await findExclusion(real)) ?? (found.has("agent") ? "agent" : found.has("git") ? "git" : undefined);
  };
}
