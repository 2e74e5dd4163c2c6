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

/** Number of files offered, and of files of each folder that are examined for links and ignore files. */
const MOST_OFFERED = 20;
const MOST_FOUND = 100;

/** Limits of the walk through virtual folders, of which no list is kept. */
const WALK = { names: 3_000, milliseconds: 500, isLeftOut: () => false };

/** The files that are offered for a mention in a task: those of the workspace whose path holds a text, ignored ones left out. */
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
    if ((await keptOut(path)) === undefined)
      free.push(vscode.workspace.asRelativePath(convertPathToUri(path)));
    if (free.length === MOST_OFFERED) break;
  }
  return free;
}

/** Whether a file is the workspace's own: inside it and not ignored. */
export async function isWorkspaceFile(uri: vscode.Uri): Promise<boolean> {
  return (await (await createExclusionCheck())(uri)) === undefined;
}

/** Throws a sentence when a task would be made of a file that the user's `.autogptignore` keeps the agent out of. */
export async function demandInBounds(uris: readonly vscode.Uri[]): Promise<void> {
  const keptOut = await createExclusionCheck();
  for (const uri of uris)
    if ((await keptOut(uri)) === "agent")
      fail("start.keptOut", { file: vscode.workspace.asRelativePath(uri) });
}

/** Why files can't be mentioned in a task, in the folders that are open now. */
async function createExclusionCheck(): Promise<(uri: vscode.Uri) => Promise<MentionExclusion | undefined>> {
  const onDisk = openFolders().length > 0 ? await mentionExclusions(openFolders()) : undefined;
  const virtual = listVirtualFolders();
  return async (uri) => {
    const path = convertUriToPath(uri);
    if (isUriPath(path)) return explainVirtualExclusion(path, virtual, editorFiles);
    return onDisk ? onDisk(path) : "outside";
  };
}
