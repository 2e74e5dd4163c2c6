import * as vscode from "vscode";
import { mentionExclusions } from "../../node/files/ignored-paths.ts";
import { openFolders } from "./folders.ts";

/** Number of files offered, and of files examined. */
const MOST_OFFERED = 20;
const MOST_FOUND = 500;

/** Never offered, whatever the ignore files say; listings leave them out, too. */
const HIDDEN = "**/{.git,.hg,.svn,.autogpt,node_modules}/**";

/** The files that are offered for a mention in a task: those of the workspace whose path holds a text, ignored ones left out. */
export async function filesLike(query: string): Promise<readonly string[]> {
  const found = await vscode.workspace.findFiles(pathsWith(query), HIDDEN, MOST_FOUND);
  const keptOut = await mentionExclusions(openFolders());
  const free: string[] = [];
  for (const uri of found)
    if (uri.scheme === "file" && (await keptOut(uri.fsPath)) === undefined)
      free.push(vscode.workspace.asRelativePath(uri));
  return free.toSorted((one, other) => one.length - other.length).slice(0, MOST_OFFERED);
}

/** A pattern for the paths that hold a text, in small or large letters, in a folder's name as in the file's. */
function pathsWith(query: string): string {
  const letters = query.replace(/[^\p{L}\p{N}._/-]/gu, "");
  if (letters === "") return "*";
  const held = letters.replace(/\p{L}/gu, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  return `{**/*${held}*,**/*${held}*/**}`;
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
