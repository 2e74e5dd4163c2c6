import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { formatDisplayLine } from "../../panel/notification-text.ts";
import { createProfiles } from "../../runs/profiles/profiles.ts";
import {
  addImportedEntries,
  type ClassicItem,
  describeClassicImport,
  listClassicRows,
} from "../../runtime/services/classic-report.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showMessage } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { listAllFolders } from "../workspace/folders.ts";

/** Dependencies of importing classic settings. */
export interface ClassicImportDependencies {
  readonly keys: KeyRing;
  readonly library: RunLibrary;
  /** Called after something was imported. */
  notifySetupChanged(): void;
}

/** Imports a `.env` file of classic AutoGPT and the files beside it. The user picks what to import. */
export async function importClassicSettings(importing: ClassicImportDependencies, given?: unknown): Promise<void> {
  const file = given instanceof vscode.Uri ? given : await pickFile();
  if (!file) return;
  const { readClassicFiles } = await import("../../runs/profiles/classic-files.ts");
  const { convertClassicSettings } = await import("../../runtime/services/classic-settings.ts");
  const { variables, azure, profile, problems } = await readClassicFiles(file.fsPath);
  const found = convertClassicSettings(variables, azure);
  const rows = listClassicRows(found, profile);
  if (rows.length === 0) fail("actions.classic.nothing", { file: file.fsPath });
  const picked = await vscode.window.showQuickPick(
    rows.map((row) => ({
      ...row,
      label: formatDisplayLine(row.label),
      description: formatDisplayLine(row.description),
      picked: true,
    })),
    {
      title: t("actions.classic.title"),
      placeHolder: t("actions.classic.what"),
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  if (!picked || picked.length === 0) return;
  const items = picked.map(({ item }) => item);
  for (const item of items) await take(importing, item);
  importing.notifySetupChanged();
  void showMessage("info", describeClassicImport(items, found, problems));
}

async function take({ keys, library }: ClassicImportDependencies, item: ClassicItem): Promise<void> {
  switch (item.kind) {
    case "setting": {
      const { name, value } = item.setting;
      const settings = vscode.workspace.getConfiguration("autogpt");
      const before = settings.inspect(name)?.globalValue;
      return settings.update(name, addImportedEntries(value, before), vscode.ConfigurationTarget.Global);
    }
    case "key":
      return keys.set(item.key.address, item.key.key);
    case "profile":
      return void (await createProfiles(library.getHome(getFirstFolder())).save(item.profile));
    default:
      return assertNever(item);
  }
}

function getFirstFolder(): string {
  const [first] = listAllFolders();
  if (!first) fail("actions.classic.noFolder");
  return first.path;
}

/** Offers the `.env` files of the open folders; any other file can be chosen, too. */
async function pickFile(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const files = folders.map(({ uri }) => vscode.Uri.joinPath(uri, ".env")).filter(({ scheme }) => scheme === "file");
  const there = await Promise.all(files.map(isFile));
  const rows = files.filter((_file, at) => there[at]).map((file) => ({ label: file.fsPath, file }));
  if (rows.length === 0) return openFile(folders[0]?.uri);
  const picked = await vscode.window.showQuickPick<{ label: string; file?: vscode.Uri }>(
    [...rows, { label: t("actions.classic.otherButton") }],
    { title: t("actions.classic.title"), placeHolder: t("actions.classic.which") },
  );
  return picked && (picked.file ?? openFile(folders[0]?.uri));
}

async function isFile(file: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(file).then(
    ({ type }) => (type & vscode.FileType.File) !== 0,
    () => false,
  );
}

async function openFile(defaultUri: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: t("actions.classic.fileTitle"),
      openLabel: t("runs.importButton"),
      ...omitUndefined({ defaultUri }),
    })) ?? [];
  return file;
}
