import * as vscode from "vscode";
import { preImages } from "../../runs/undo/pre-images.ts";
import type { EarlierContent } from "../../runs/undo/undo.ts";
import type { HostedRun, HostedRuns } from "../host/hosted-runs.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { BEFORE_SCHEME } from "./proposal-uri.ts";

/**
 * The text of a file as it was before a run, for editors that show what the run has changed. The run need not be open, because such editors
 * are restored with the window.
 */
export async function textBefore(
  { runs, library }: { readonly runs: HostedRuns; readonly library: RunLibrary },
  { query }: vscode.Uri,
): Promise<string> {
  const [run = "", hash = ""] = query.split(" ");
  const home = runs.get(run)?.home ?? (await library.folderOf(run));
  return (await preImages(home).read(hash)).toString("utf8");
}

/** Opens one editor with all that a run has changed: left what was, right what is. */
export async function reviewAll(hosted: HostedRun, before: readonly EarlierContent[]): Promise<void> {
  const changes = await Promise.all(
    before
      .filter(({ was }) => was.kind === "file" || was.kind === "missing")
      .map(async ({ path, was }) => {
        const uri = vscode.Uri.file(path);
        const left =
          was.kind === "file"
            ? vscode.Uri.from({ scheme: BEFORE_SCHEME, path: uri.path, query: `${hosted.id} ${was.hash}` })
            : undefined;
        return [uri, left, (await isFile(uri)) ? uri : undefined] as const;
      }),
  );
  const shown = changes.filter(([, left, right]) => left !== undefined || right !== undefined);
  if (shown.length === 0) throw new Error("Nothing of what the run has changed is left to be reviewed.");
  await vscode.commands.executeCommand("vscode.changes", "Changes of the run", shown);
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    ({ type }) => type === vscode.FileType.File,
    () => false,
  );
}
