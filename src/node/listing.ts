import type { ResolvedPath } from "../core/ports/model.ts";
import { globTest } from "./glob.ts";
import type { Root } from "./roots.ts";
import { startsOf } from "./starts.ts";
import { walk } from "./walk.ts";

/** What lies below a folder, the nearest levels first to be told when not all is, sorted by name. */
export async function listing(
  place: ResolvedPath,
  roots: readonly Root[],
  { glob, limit, signal }: { glob?: string; limit: number; signal: AbortSignal },
): Promise<{ labels: string[]; more: boolean }> {
  const passes = glob === undefined ? () => true : globTest(glob);
  const labels: string[] = [];
  let more = false;
  for (const { start, prefix } of startsOf(place, roots)) {
    await walk(start, signal, async ({ relative }) => {
      const inside = relative.slice(start.relative.length).replace(/\/$/, "");
      if (!passes(inside) && !passes(relative.replace(/\/$/, ""))) return "go on";
      more = labels.length >= limit;
      if (!more) labels.push(`${prefix}${relative}`);
      return more ? "stop" : "go on";
    });
    if (more) break;
  }
  return { labels: labels.sort(), more };
}
