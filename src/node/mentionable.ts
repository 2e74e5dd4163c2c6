import type { WorkspaceFolder } from "../schema/events.ts";
import { type Ignored, ignoreRules } from "./ignore-files.ts";
import { linksOn, realPath } from "./real-path.ts";
import { rootAround, rootsOf, within } from "./roots.ts";

/** What keeps an absolute path out of a task: where it leads is outside the workspace, or ignored there or by its own name. */
export type KeptOut = Ignored | "outside";

/** Tells of absolute paths what keeps them out of a task, links followed; undefined when nothing does. */
export async function keptOutOf(
  folders: readonly WorkspaceFolder[],
): Promise<(path: string) => Promise<KeptOut | undefined>> {
  const roots = await rootsOf(folders);
  const rules = new Map(roots.map((root) => [root, ignoreRules(root.path)]));
  const ignored = async (path: string): Promise<KeptOut | undefined> => {
    const root = rootAround(path, roots);
    return root ? rules.get(root)?.either(within(path, root)) : "outside";
  };
  return async (path) => {
    const real = await realPath(path).catch(() => undefined);
    if (real === undefined) return "outside";
    const links = await linksOn(path).catch(() => []);
    const found = new Set<KeptOut | undefined>();
    for (const name of [path, ...links]) found.add(await ignored(name));
    found.delete("outside");
    return (await ignored(real)) ?? (found.has("agent") ? "agent" : found.has("git") ? "git" : undefined);
  };
}
