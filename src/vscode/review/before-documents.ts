import { posix } from "node:path";
import * as vscode from "vscode";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { createPreImages } from "../../runs/undo/pre-images.ts";
import type { EarlierContent } from "../../runs/undo/undo.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { BEFORE_SCHEME, ORIGINAL_SCHEME } from "./proposal-uri.ts";

/**
 * A file's text before a run, for editors that show its changes. Works without opening the run, because such editors are restored with the
 * window.
 */
export async function loadTextBefore(
  { runs, library }: { readonly runs: HostedRuns; readonly library: RunLibrary },
  { query }: vscode.Uri,
): Promise<string> {
  const [run = "", hash = ""] = query.split(" ");
  const home = runs.get(run)?.home ?? (await library.findRunFolder(run));
  return (await createPreImages(home).read(hash)).toString("utf8");
}

/** Opens one editor with all changes of a run: before on the left, after on the right. */
export async function reviewAll(hosted: HostedRun, before: readonly EarlierContent[]): Promise<void> {
  const changes = await Promise.all(
    before
      .filter(({ was }) => was.kind === "file" || was.kind === "missing")
      .map(async ({ path, was }) => {
        const uri = convertPathToUri(path);
        const left =
          was.kind === "file"
            ? vscode.Uri.from({ scheme: BEFORE_SCHEME, path: uri.path, query: `${hosted.id} ${was.hash}` })
            : undefined;
        return [uri, left, (await isFile(uri)) ? uri : undefined] as const;
      }),
  );
  const shown = changes.filter(([, left, right]) => left !== undefined || right !== undefined);
  if (shown.length === 0) fail("review.nothingToReview");
  const title = t("review.runChanges");
  try {
    await vscode.commands.executeCommand("vscode.changes", title, shown);
  } catch {
    // An editor without that command compares one file at a time.
    await pickChange(title, shown);
  }
}

/** Updates `autogpt.reviewShown`: an editor with all changes of a run has a button that commits them. */
export function watchReviewEditor(): vscode.Disposable {
  let known = false;
  return vscode.window.tabGroups.onDidChangeTabs(() => {
    const isShown = vscode.window.tabGroups.activeTabGroup.activeTab?.label.startsWith(t("review.runChanges")) === true;
    if (isShown !== known) void vscode.commands.executeCommand("setContext", "autogpt.reviewShown", isShown);
    known = isShown;
  });
}

/** A changed file: its address, and its contents before and after the run. */
type FileChange = readonly [file: vscode.Uri, left: vscode.Uri | undefined, right: vscode.Uri | undefined];

/** Compares a file that the user picks. */
export async function pickChange(title: string, changes: readonly FileChange[]): Promise<void> {
  const items = changes.map((change) => ({
    label: formatDisplayLine(vscode.workspace.asRelativePath(change[0])),
    change,
  }));
  const picked =
    items.length > 1
      ? await vscode.window.showQuickPick(items, { title, placeHolder: t("review.whichFile") })
      : items[0];
  if (!picked) return;
  const [file, left, right] = picked.change;
  const none = vscode.Uri.from({ scheme: ORIGINAL_SCHEME, path: file.path });
  await vscode.commands.executeCommand(
    "vscode.diff",
    left ?? none,
    right ?? none,
    t("review.changesOfFile", { file: posix.basename(file.path) }),
  );
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    ({ type }) => type === vscode.FileType.File,
    () => false,
  );
}
