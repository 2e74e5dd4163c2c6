import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { ignoreRules } from "../files/ignore-rules.ts";
import { type Root, resolveRoots } from "../files/roots.ts";
import { walk } from "./walk.ts";

/** Names below some folders, nearest levels first. */
export interface FolderOutline {
  /** Labels of files and folders; a folder's ends with `/`. */
  readonly labels: readonly string[];
  /** Folders whose content isn't complete; "" for the run's own folder. */
  readonly unread: ReadonlySet<string>;
}

/** Limits of an outline. */
export interface OutlineLimits {
  /** The number of names to examine. */
  readonly names: number;
  readonly milliseconds: number;
  /** True for a path, relative to its workspace folder, that isn't shown. */
  isLeftOut(relative: string): boolean;
}

/** Lists files and folders up to the limits, without ignored ones and links. The first folder is the run's own. */
export async function loadFolderOutline(
  folders: readonly WorkspaceFolder[],
  limits: OutlineLimits,
): Promise<FolderOutline> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  const labels: string[] = [];
  const unread: string[] = [];
  const room = { names: limits.names };
  for (const root of await resolveRoots(folders)) {
    if (root.prefix !== "") labels.push(root.prefix);
    const found = await loadRootOutline(root, room, limits, signal);
    labels.push(...found.labels);
    unread.push(...found.unread);
  }
  return { labels, unread: new Set(unread) };
}

async function loadRootOutline(
  { path, prefix }: Root,
  room: { names: number },
  { isLeftOut }: OutlineLimits,
  signal: AbortSignal,
): Promise<{ readonly labels: readonly string[]; readonly unread: readonly string[] }> {
  const labels: string[] = [];
  let folder = "";
  let isWhole = true;
  const start = { root: path, relative: "", rules: ignoreRules(path) };
  await walk(start, signal, async ({ relative, kind }) => {
    folder = relative.slice(0, relative.lastIndexOf("/", relative.length - 2) + 1);
    isWhole = room.names > 0;
    room.names -= 1;
    if (isWhole && kind !== "other" && !isLeftOut(relative)) labels.push(relative);
    return isWhole ? "go on" : "stop";
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    isWhole = false;
  });
  // Folders are read in the order in which they are found.
  const later = labels.slice(labels.indexOf(folder) + 1).filter((label) => label.endsWith("/"));
  const unread = isWhole ? [] : [folder, ...later];
  return { labels: labels.map((label) => prefix + label), unread: unread.map((label) => prefix + label) };
}
