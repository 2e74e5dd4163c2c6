import { NearestFile } from "../core/base/nearest-file.ts";
import { omitUndefined } from "../core/base/objects.ts";
import type { Touch } from "../core/commands/command.ts";
import type { ResolvedPath, Workspace } from "../core/ports/workspace.ts";
import { describeHiddenDifferences } from "./hidden-differences.ts";

/** A command's use of a place, with all the names of that place. */
export function createTouch({ path, via }: ResolvedPath, how: Touch["how"]): Touch {
  return { path, how, ...omitUndefined({ via }) };
}

/** Returns the path of a folder argument; the workspace folder if it's absent or one of that folder's usual names. */
export function getFolderPath(folder: string | undefined): string {
  return folder === undefined || /^\s*\.?[\\/]*\s*$/.test(folder) ? "." : folder;
}

/** Limit on names that are compared with a missing one. */
const MOST_NAMES = 2000;

/** A sentence for a missing file, with the most similar existing name. */
export async function describeMissingFile(workspace: Workspace, label: string, signal: AbortSignal): Promise<string> {
  const near = workspace.findNearestFile
    ? await workspace.findNearestFile(label, signal)
    : await findNearestFile(workspace, label, signal);
  if (near === undefined)
    return `There is no file "${label}". If the task asks for it, create it with write_to_file. To see which files there are, use list_files.`;
  const differs = describeHiddenDifferences(near, label);
  return `There is no file "${label}". Nearest: "${near}"${differs === "" ? "" : `, which has ${differs}`}.`;
}

async function findNearestFile(workspace: Workspace, label: string, signal: AbortSignal): Promise<string | undefined> {
  const { labels } = await workspace.list(await workspace.locate("."), { limit: MOST_NAMES, signal });
  const near = new NearestFile(label);
  near.add(labels.filter((candidate) => !candidate.endsWith("/")));
  return near.found;
}

/** Explains why a link isn't moved or deleted in place of its target; undefined if the place isn't a link. */
export function findLinkProblem({ link, label }: ResolvedPath, verb: "Move" | "Delete"): string | undefined {
  if (link === undefined) return undefined;
  return `"${link}" is a symbolic link to "${label}". ${verb} "${label}" itself, or the link with execute_shell.`;
}
