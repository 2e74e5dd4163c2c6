import { join } from "node:path";
import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import { type MentionExclusion, mentionExclusions } from "../../node/files/ignored-paths.ts";
import { resolveRoots } from "../../node/files/roots.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import { findFilesByPath } from "../../node/search/indexed-files.ts";
import { explainVirtualExclusion } from "../../runtime/virtual/places.ts";
import { listVirtualOutline } from "../../runtime/virtual/virtual-search.ts";
import { fail } from "../../texts/display-text.ts";
import { listCurrentFolders, listVirtualFolders, openFolders } from "./folders.ts";
import { convertPathToUri, convertUriToPath } from "./places.ts";
import { editorFiles } from "./virtual-files.ts";

/** Number of files offered. `MOST_FOUND` is the number per folder examined for links and ignore files. */
const MOST_OFFERED = 20;
const MOST_FOUND = 100;

/** Limits for walking virtual folders, which aren't indexed. */
const WALK = { names: 3_000, milliseconds: 500, isLeftOut: () => false };

/** Files to offer for a mention in a task: workspace files whose path contains the query, except ignored ones. */
export async function findMatchingFiles(query: string, files: FileIndexes): Promise<readonly string[]> {
  const found = await Promise.all([findDiskFiles(query, files), findVirtualFiles(query)]);
  return found
    .flat()
    .toSorted((one, other) => one.length - other.length)
    .slice(0, MOST_OFFERED);
}

async function findVirtualFiles(query: string): Promise<readonly string[]> {
  const [first] = listVirtualFolders();
  if (!first) return [];
  const { labels } = await listVirtualOutline(listCurrentFolders(first.path), editorFiles, WALK);
  const wanted = query.toLowerCase();
  return labels.filter((label) => !label.endsWith("/") && label.toLowerCase().includes(wanted));
}

async function findDiskFiles(query: string, files: FileIndexes): Promise<readonly string[]> {
  const { signal } = new AbortController();
  if (openFolders().length === 0) return [];
  const found = await Promise.all(
    openFolders().map(async (folder) => {
      const [root] = await resolveRoots([folder]);
      const inside = root ? await findFilesByPath(files, root.path, query, MOST_FOUND, signal) : [];
      return inside.map((file) => join(folder.path, file));
    }),
  );
  const keptOut = await mentionExclusions(openFolders());
  const free: string[] = [];
  for (const path of found.flat().toSorted((one, other) => one.length - other.length)) {
    if ((await keptOut(path)) === undefined) free.push(vscode.workspace.asRelativePath(convertPathToUri(path)));
    if (free.length === MOST_OFFERED) break;
  }
  return free;
}

/** True if a file is inside the workspace and not ignored. */
export async function isWorkspaceFile(uri: vscode.Uri): Promise<boolean> {
  return (await (await createExclusionCheck())(uri)) === undefined;
}

/** Throws a sentence if a task would use a file that the user's `.autogptignore` excludes. */
export async function demandInBounds(uris: readonly vscode.Uri[]): Promise<void> {
  const keptOut = await createExclusionCheck();
  for (const uri of uris)
    if ((await keptOut(uri)) === "agent") fail("start.keptOut", { file: vscode.workspace.asRelativePath(uri) });
}

/** Creates a check that explains why a file in the open folders can't be mentioned in a task. */
async function createExclusionCheck(): Promise<(uri: vscode.Uri) => Promise<MentionExclusion | undefined>> {
  const onDisk = openFolders().length > 0 ? await mentionExclusions(openFolders()) : undefined;
  const virtual = listVirtualFolders();
  return async (uri) => {
    const path = convertUriToPath(uri);
    if (isUriPath(path)) return explainVirtualExclusion(path, virtual, editorFiles);
    return onDisk ? onDisk(path) : "outside";
  };
}
