import { nearest } from "../core/nearest.ts";
import type { Workspace } from "../core/ports.ts";

/** So many names are compared with the one that is missing. */
const MOST_NAMES = 2000;

/** The sentence for a file that is not there, with the name that was probably meant. */
export async function missingFile(workspace: Workspace, label: string, signal: AbortSignal): Promise<string> {
  const { labels } = await workspace.list(await workspace.locate("."), { limit: MOST_NAMES, signal });
  const files = labels.filter((candidate) => !candidate.endsWith("/"));
  const near = sameName(label, files) ?? nearest(label, files) ?? nearName(label, files);
  return `There is no file "${label}".${near === undefined ? " Look around with list_files." : ` Nearest: "${near}".`}`;
}

/** A file of that very name in another folder. */
function sameName(label: string, files: readonly string[]): string | undefined {
  return files.find((file) => nameOf(file).toLowerCase() === nameOf(label).toLowerCase());
}

/** A file with a similar name in any folder. */
function nearName(label: string, files: readonly string[]): string | undefined {
  const near = nearest(nameOf(label), files.map(nameOf));
  return near === undefined ? undefined : files.find((file) => nameOf(file) === near);
}

function nameOf(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1);
}
