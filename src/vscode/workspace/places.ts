import * as vscode from "vscode";
import { isAtOrBelowUri, uriParts, uriPath } from "../../core/base/uri-path.ts";

/** The path of a file by which the agent knows it: a path on the disk, or a URI path for any other scheme. */
export function pathOf(uri: vscode.Uri): string {
  return uri.scheme === "file" ? uri.fsPath : uriPath(uri);
}

/** The address of a path. The query of a virtual workspace folder applies to everything in it. */
export function uriOf(path: string): vscode.Uri {
  const parts = uriParts(path);
  if (!parts) return vscode.Uri.file(path);
  const uri = vscode.Uri.from(parts);
  const around = (vscode.workspace.workspaceFolders ?? []).find(
    (folder) => folder.uri.query !== "" && isAtOrBelowUri(path, pathOf(folder.uri)),
  );
  return around ? around.uri.with({ path: parts.path }) : uri;
}
