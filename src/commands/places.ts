import { nearest } from "../core/base/text.ts";
import type { Touch } from "../core/commands/command.ts";
import type { ResolvedPath, Workspace } from "../core/ports/workspace.ts";

/** A command's use of a place, with all the names of that place. */
export function touchOf({ path, via }: ResolvedPath, how: Touch["how"]): Touch {
  return { path, how, ...(via ? { via } : {}) };
}

/** The path of a folder argument; the workspace folder for any of its usual names, and for none. */
export function folderPath(folder: string | undefined): string {
  return folder === undefined || /^\s*\.?[\\/]*\s*$/.test(folder) ? "." : folder;
}

/** Limit on names that are compared with a missing one. */
const MOST_NAMES = 2000;

/** A sentence for a missing file, with the most similar existing name. */
export async function missingFile(workspace: Workspace, label: string, signal: AbortSignal): Promise<string> {
  const { labels } = await workspace.list(await workspace.locate("."), { limit: MOST_NAMES, signal });
  const files = labels.filter((candidate) => !candidate.endsWith("/"));
  const near = sameName(label, files) ?? nearest(label, files) ?? nearName(label, files);
  return `There is no file "${label}".${near === undefined ? " Look around with list_files." : ` Nearest: "${near}".`}`;
}

/** A file of the same name in another folder. */
function sameName(label: string, files: readonly string[]): string | undefined {
  return files.find((file) => baseName(file).toLowerCase() === baseName(label).toLowerCase());
}

/** A file with a similar name in any folder. */
function nearName(label: string, files: readonly string[]): string | undefined {
  const near = nearest(baseName(label), files.map(baseName));
  return near === undefined ? undefined : files.find((file) => baseName(file) === near);
}

function baseName(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1);
}

/** A sentence on why a link isn't moved or deleted in place of its target; undefined when the place isn't a link. */
export function linkProblem({ link, label }: ResolvedPath, verb: "Move" | "Delete"): string | undefined {
  if (link === undefined) return undefined;
  return `"${link}" is a symbolic link to "${label}". ${verb} "${label}" itself, or the link with execute_shell.`;
}
