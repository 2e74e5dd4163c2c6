import * as vscode from "vscode";
import { formatUriPath, isAtOrBelowUri, parseUriPath } from "../../core/base/uri-path.ts";

/** The path of a file by which the agent knows it: a path on the disk, or a URI path for any other scheme. */
export function convertUriToPath(uri: vscode.Uri): string {
  return uri.scheme === "file" ? uri.fsPath : formatUriPath(uri);
}

/** The address of a path. The query of a virtual workspace folder applies to everything in it. */
export function convertPathToUri(path: string): vscode.Uri {
  const parts = parseUriPath(path);
  if (!parts) return vscode.Uri.file(path);
  const uri = vscode.Uri.from(parts);
  const around = (vscode.workspace.workspaceFolders ?? []).find(
    (folder) => folder.uri.query !== "" && isAtOrBelowUri(path, convertUriToPath(folder.uri)),
  );
  return around ? around.uri.with({ path: parts.path }) : uri;
}
/** True for files on the disk and in open virtual folders, and false for proposals, settings, and others that aren't files. */
export function isFileUri(uri: vscode.Uri): boolean {
  if (uri.scheme === "file") return true;
  const path = convertUriToPath(uri);
  return (vscode.workspace.workspaceFolders ?? []).some((folder) => isAtOrBelowUri(path, convertUriToPath(folder.uri)));
}
