import { realpath } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { USUAL_CHUNKS } from "../../memory/recall/documents.ts";
import { type IngestSummary, ingestFolder } from "../../memory/recall/ingest-folder.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { DocumentThread } from "../../node/documents/document-thread.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import { findFolderFiles } from "../../runtime/ingest/folder-files.ts";
import { groupSkippedByReason } from "../../runtime/ingest/skipped-text.ts";
import { type DisplayText, displayText, fail, joinSentences } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { showError, showMessage, showProgress } from "../host/notifications.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { chooseMemoryFolder, findLikelyFolder } from "../workspace/folders.ts";
import { convertPathToUri, convertUriToPath, isFileUri } from "../workspace/places.ts";

/** Dependencies of adding folders to the memory. */
export interface AddFolderDependencies {
  readonly memories: { open(folder: string): Promise<WorkspaceMemory> };
  readonly documents: Pick<TextDocuments, "show">;
  readonly fileLists: Pick<FileIndexes, "getSearchExcludes" | "findEncoding">;
  /** `dist`, with the worker that reads documents. */
  readonly dist: string;
  /** Clears the memory of a workspace folder after confirmation; false if the user doesn't want it. */
  clear(store: WorkspaceMemory, workspace: string): Promise<boolean>;
}

/** Adds a folder's files to the memory after confirmation. Uses the given folder, or lets the user pick one. */
export async function addFolder(parts: AddFolderDependencies, given: vscode.Uri | undefined): Promise<void> {
  const uri = given ?? (await pickFolder());
  if (!isFileUri(uri)) return fail("runs.memory.folderVirtual");
  const around = vscode.workspace.getWorkspaceFolder(uri);
  const workspace = around ? convertUriToPath(around.uri) : await chooseMemoryFolder();
  const store = await parts.memories.open(workspace);
  await demandWriting(store);
  const isRoot = around?.uri.toString() === uri.toString();
  const name = isRoot ? around.name : vscode.workspace.asRelativePath(uri, false);
  const folder = { store, workspace, uri, name };
  if (await isConfirmed(parts, folder)) await addFiles(parts, folder);
}

/** Throws if another window is writing the memory, before the user is asked anything. */
export async function demandWriting(store: WorkspaceMemory): Promise<void> {
  await store.refresh();
  if (store.state.mode === "reading") fail("trouble.memoryInUse");
}

interface AddedFolder {
  readonly store: WorkspaceMemory;
  readonly workspace: string;
  readonly uri: vscode.Uri;
  /** For people. */
  readonly name: string;
}

async function addFiles(parts: AddFolderDependencies, folder: AddedFolder): Promise<void> {
  const { store, workspace, uri, name } = folder;
  const documents = new DocumentThread(join(parts.dist, "document-worker.cjs"));
  try {
    const files = await findFolderFiles({
      workspace: await realpath(workspace),
      folder: await realpath(uri.fsPath),
      documents,
      getExcludes: (root) => parts.fileLists.getSearchExcludes(root),
      findEncoding: (path) => parts.fileLists.findEncoding(path),
    });
    const summary = await showProgress(t("runs.memory.addingFolder", { folder: name }), (signal, report) =>
      ingestFolder(store, files, {
        chunks: USUAL_CHUNKS,
        signal,
        reportProgress: createProgressReporter(report),
      }),
    );
    tellSummary(parts, folder, summary).catch(showError);
  } finally {
    await documents.close();
  }
}

async function pickFolder(): Promise<vscode.Uri> {
  const workspace = findLikelyFolder();
  const [first] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      title: t("runs.memory.addFolderTitle"),
      openLabel: t("runs.memory.addFolderButton"),
      ...(workspace === undefined ? {} : { defaultUri: convertPathToUri(workspace) }),
    })) ?? [];
  if (!first) throw new vscode.CancellationError();
  return first;
}

async function isConfirmed(parts: AddFolderDependencies, { store, workspace, name }: AddedFolder): Promise<boolean> {
  const [add, clear] = [t("runs.memory.addFolderButton"), t("runs.memory.clearAndAddButton")];
  const answer = await vscode.window.showInformationMessage(
    t("runs.memory.askFolder", { folder: name }),
    { modal: true, detail: t("runs.memory.askFolderDetail") },
    ...(store.state.count > 0 ? [add, clear] : [add]),
  );
  return answer === clear ? parts.clear(store, workspace) : answer === add;
}

const SHOWN_MS = 200;

function createProgressReporter(
  report: (text: ReturnType<typeof displayText>) => void,
): (done: number, all: number) => void {
  let shownAt = 0;
  return (done, all) => {
    if (performance.now() - shownAt < SHOWN_MS) return;
    shownAt = performance.now();
    report(displayText("runs.memory.addingFile", { done, all }));
  };
}

async function tellSummary(parts: AddFolderDependencies, folder: AddedFolder, summary: IngestSummary): Promise<void> {
  const { skipped, isStopped } = summary;
  const isFull = skipped.some(({ reason }) => reason === "full");
  const text = joinSentences(
    describeIngestCounts(summary, folder.name),
    ...(isStopped ? [displayText("runs.memory.folderStopped")] : []),
    ...(isFull ? [displayText("runs.memory.folderFull", { most: folder.store.most })] : []),
  );
  const [go, show] = [t("actions.continueButton"), t("runs.memory.skippedButton")];
  const buttons = [...(isStopped ? [go] : []), ...(skipped.length > 0 ? [show] : [])];
  const picked = await showMessage(isFull ? "warning" : "info", text, ...buttons);
  if (picked === go) return addFiles(parts, folder);
  if (picked !== show) return;
  const lines = groupSkippedByReason(skipped).flatMap(({ reason, files }) =>
    files.map(({ source, why }) => `${source}: ${why ?? write(reason)}`),
  );
  await parts.documents.show(t("runs.memory.skippedDocument"), lines.join("\n"));
}

/** Describes how many files were added, changed and so on, without counts of zero. */
function describeIngestCounts(
  { added, changed, unchanged, removed, skipped }: IngestSummary,
  folder: string,
): DisplayText {
  const counts = [
    ...(added > 0 ? [displayText("runs.memory.filesAdded", { count: added })] : []),
    ...(changed > 0 ? [displayText("runs.memory.filesChanged", { count: changed })] : []),
    ...(unchanged > 0 ? [displayText("runs.memory.filesUnchanged", { count: unchanged })] : []),
    ...(removed > 0 ? [displayText("runs.memory.filesRemoved", { count: removed })] : []),
    ...(skipped.length > 0 ? [displayText("runs.memory.filesSkipped", { count: skipped.length })] : []),
  ];
  if (counts.length === 0) return displayText("runs.memory.folderEmpty");
  return added + changed + unchanged > 0
    ? displayText("runs.memory.folderAdded", { folder, counts })
    : displayText("runs.memory.folderNotAdded", { folder, counts });
}
