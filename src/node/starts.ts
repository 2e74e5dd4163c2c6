import type { ResolvedPath } from "../core/ports/model.ts";
import { ignoreRules } from "./ignore-files.ts";
import { type Root, rootAround, within } from "./roots.ts";
import type { Start } from "./walk.ts";

/** Where the walks below a folder begin, each with what its labels begin with: several when it stands for all workspace folders. */
export function startsOf(
  place: ResolvedPath,
  roots: readonly Root[],
): readonly { readonly start: Start; readonly prefix: string }[] {
  const around = rootAround(place.path, roots);
  if (!around) return [];
  const all = place.label === "." && roots.length > 1;
  return (all ? roots : [around]).map((root) => {
    const below = all ? "" : within(place.path, root);
    const relative = below === "" ? "" : `${below}/`;
    return { start: { root: root.path, relative, rules: ignoreRules(root.path) }, prefix: root.prefix };
  });
}
