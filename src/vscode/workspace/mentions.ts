import { join } from "node:path";
import * as vscode from "vscode";
import { mentionExclusions } from "../../node/files/ignored-paths.ts";
import { rootsOf } from "../../node/files/roots.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import { filesWith } from "../../node/search/indexed-files.ts";
import { openFolders } from "./folders.ts";
import { uriOf } from "./places.ts";

/** Number of files offered, and of files of each folder that are examined for links and ignore files. */
const MOST_OFFERED = 20;
const MOST_FOUND = 100;

/** The files that are offered for a mention in a task: those of the workspace whose path holds a text, ignored ones left out. */
export async function filesLike(query: string, files: FileIndexes): Promise<readonly string[]> {
  const { signal } = new AbortController();
  if (openFolders().length === 0) return [];
  const found = await Promise.all(
    openFolders().map(async (folder) => {
      const [root] = await rootsOf([folder]);
      const inside = root ? await filesWith(files, root.path, query, MOST_FOUND, signal) : [];
      return inside.map((file) => join(folder.path, file));
    }),
  );
  const keptOut = await mentionExclusions(openFolders());
  const free: string[] = [];
  for (const path of found.flat().toSorted((one, other) => one.length - other.length)) {
    if ((await keptOut(path)) === undefined) free.push(vscode.workspace.asRelativePath(uriOf(path)));
    if (free.length === MOST_OFFERED) break;
  }
  return free.toSorted((one, other) => one.length - other.length);
}

/** Whether a file is the workspace's own: inside it and not ignored. */
export async function isWorkspaceFile(uri: vscode.Uri): Promise<boolean> {
  return uri.scheme === "file" && (await (await mentionExclusions(openFolders()))(uri.fsPath)) === undefined;
}

/** Throws a sentence when a task would be made of a file that the user's `.autogptignore` keeps the agent out of. */
export async function demandInBounds(uris: readonly vscode.Uri[]): Promise<void> {
  if (openFolders().length === 0) return;
  const keptOut = await mentionExclusions(openFolders());
  for (const uri of uris)
    if (uri.scheme === "file" && (await keptOut(uri.fsPath)) === "agent")
      throw new Error(
        `${vscode.workspace.asRelativePath(uri)} is listed in .autogptignore, so it can't be part of a task. Choose another file, or remove it from that list.`,
      );
}
