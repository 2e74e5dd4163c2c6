import { join } from "node:path";
import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { createFileName } from "../../editor/panel/run-groups.ts";
import type { ExportFormat } from "../../runs/export/export-run.ts";
import type { ExportedFile } from "../../runs/export/prompt-exports.ts";
import { loadStepDiffs } from "../../runs/export/step-diffs.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { pickRun } from "../views/runs-tree.ts";

/** Dependencies of the actions that export, import and report runs. */
export interface ExportDependencies {
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly runs: HostedRuns;
  /** The extension's version. */
  readonly version: string;
  readonly keys: KeyRing;
}

/** Export formats in display order. A format without an extension writes a folder of files. */
const FORMATS: readonly { readonly format: ExportFormat; readonly extension?: string }[] = [
  { format: "markdown", extension: "md" },
  { format: "html", extension: "html" },
  { format: "json", extension: "json" },
  { format: "debugLog" },
  { format: "fineTuning", extension: "jsonl" },
  { format: "fineTuningLasting", extension: "jsonl" },
];

interface FormatItem extends vscode.QuickPickItem {
  readonly format: ExportFormat;
  readonly extension: string | undefined;
}

function formatItems(): readonly FormatItem[] {
  return FORMATS.map(({ format, extension }) => ({
    label: t(`runs.export.${format}`),
    description: t(`runs.exportHint.${format}`),
    format,
    extension,
  }));
}

/** Actions that share a run with others. */
export function exportActions(parts: ExportDependencies) {
  return {
    exportRun: (given?: unknown) => exportTo(parts, given),
    importRun: (given?: unknown) => importFrom(parts, given),
    reportProblem: (given?: unknown) => report(parts, given),
  };
}

/** Imports a run that was exported as JSON, and shows it. */
async function importFrom({ library, stored, runs }: ExportDependencies, given: unknown): Promise<void> {
  const [picked] =
    given instanceof vscode.Uri
      ? [given]
      : ((await vscode.window.showOpenDialog({
          title: t("runs.import.title"),
          openLabel: t("runs.importButton"),
          filters: { [t("runs.import.filter")]: ["json"] },
        })) ?? []);
  if (!picked) return;
  const { importRun } = await import("../../runs/export/import-run.ts");
  const text = Buffer.from(await vscode.workspace.fs.readFile(picked)).toString("utf8");
  const id = await importRun(await library.getImportHome(), text);
  await stored.open(id);
  runs.show(id);
  await vscode.commands.executeCommand("autogpt.openPanel");
}

/** Opens a report of the shown run for the user to review, change and save. Nothing is sent anywhere. */
async function report({ library, stored, runs, keys, version }: ExportDependencies, given: unknown): Promise<void> {
  const id =
    given === undefined && runs.shown ? runs.shown.id : await pickRun({ library, runs }, given, t("runs.report.title"));
  if (id === undefined) return;
  const { reportOn } = await import("./problem-report.ts");
  const content = await reportOn(await stored.open(id), version, await keys.listKeys());
  const document = await vscode.workspace.openTextDocument({ language: "json", content });
  await vscode.window.showTextDocument(document);
  void vscode.window.showInformationMessage(t("runs.report.done"));
}

async function exportTo({ library, runs, keys }: ExportDependencies, given: unknown): Promise<void> {
  const id = await pickRun({ library, runs }, given, t("runs.export.title"));
  if (id === undefined) return;
  const picked = await vscode.window.showQuickPick(formatItems(), {
    title: t("runs.export.title"),
    placeHolder: t("runs.export.placeholder"),
  });
  if (!picked) return;
  const run = await library.open(id);
  const { title, task } = (await library.list()).find((one) => one.id === id) ?? {};
  const target = await askTarget(createFileName(title ?? task ?? "", id), id, picked);
  if (!target) return;
  const { exportRun } = await import("../../runs/export/export-run.ts");
  const files = exportRun(run.events, picked.format, await keys.listKeys(), await loadStepDiffs(run));
  if (files.every(({ text }) => text === "")) fail("runs.export.empty");
  await write(target, picked, files);
  const open = picked.extension === undefined ? t("runs.showInFolderButton") : t("runs.openButton");
  const answer = await vscode.window.showInformationMessage(t("runs.export.done", { path: target.fsPath }), open);
  if (answer === undefined) return;
  await vscode.commands.executeCommand(picked.extension === undefined ? "revealFileInOS" : "vscode.open", target);
}

/** Asks for the file to write, or for the folder in which a new one is written. */
async function askTarget(name: string, id: string, { extension, label }: FormatItem): Promise<vscode.Uri | undefined> {
  const beside = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (extension !== undefined)
    return vscode.window.showSaveDialog({
      title: t("runs.export.title"),
      filters: { [label]: [extension] },
      ...(beside ? { defaultUri: vscode.Uri.joinPath(beside, `${name}.${extension}`) } : {}),
    });
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: t("runs.export.title"),
      openLabel: t("runs.exportHereButton"),
      canSelectFiles: false,
      canSelectFolders: true,
      ...omitUndefined({ defaultUri: beside }),
    })) ?? [];
  return folder && vscode.Uri.joinPath(folder, id);
}

async function write(target: vscode.Uri, { extension }: FormatItem, files: readonly ExportedFile[]): Promise<void> {
  for (const { name, text } of files) {
    const file = extension === undefined ? vscode.Uri.file(join(target.fsPath, name)) : target;
    await vscode.workspace.fs.writeFile(file, Buffer.from(text));
  }
}
