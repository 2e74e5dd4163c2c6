import * as vscode from "vscode";
import { preImages } from "../runs/pre-images.ts";
import type { Before } from "../runs/undo/undo.ts";
import type { HostedRun, HostedRuns } from "./hosted-runs.ts";

const SCHEME = "autogpt-before";

/** Gives the texts of files as they were before a run, to editors that show what it has changed. */
export function beforeDocuments(runs: HostedRuns): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent({ query }) {
      const [run = "", hash = ""] = query.split(" ");
      const hosted = runs.get(run);
      if (!hosted) return "The run is no longer open. Open it, then review its changes again.";
      return (await preImages(hosted.home).read(hash)).toString("utf8");
    },
  });
}

/** Opens one editor with all that a run has changed: left what was, right what is. */
export async function reviewAll(hosted: HostedRun, before: readonly Before[]): Promise<void> {
  const changes = await Promise.all(
    before
      .filter(({ was }) => was.kind === "file" || was.kind === "missing")
      .map(async ({ path, was }) => {
        const uri = vscode.Uri.file(path);
        const left =
          was.kind === "file"
            ? vscode.Uri.from({ scheme: SCHEME, path: uri.path, query: `${hosted.id} ${was.hash}` })
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
