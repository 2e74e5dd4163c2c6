import { homedir } from "node:os";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import {
  convertRowsToEntries,
  formatImportRow,
  type ImportRow,
  importRows,
  readServersFiles,
} from "../../plugins/mcp/import-rows.ts";
import { listServerFiles } from "../../plugins/mcp/import-servers.ts";
import { displayText, fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { showMessage } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { changeServers } from "../plugins/add-mcp-server.ts";
import { listAllFolders } from "../workspace/folders.ts";

/** Adds other programs' MCP servers that the user picks to the user's settings. Starts none of them. */
export async function importMcpServers(storage: vscode.Uri, given?: unknown): Promise<void> {
  const places =
    given instanceof vscode.Uri
      ? [locateServerFile(given)]
      : listServerFiles(
          listAllFolders().map(({ path }) => path),
          homedir(),
          dirname(storage.fsPath),
        );
  const existing = readSettings().mcp.servers;
  const rows = importRows(await readServersFiles(places), existing);
  if (rows.length === 0) fail("plugins.importNone");
  const picked = await pickImportRows(rows);
  if (picked.length === 0 || !(await confirmImport(picked))) return;
  await changeServers((servers) => ({ ...servers, ...convertRowsToEntries(picked) }));
  void showMessage("info", displayText("plugins.imported", { count: picked.length }));
}

/** Files inside a workspace folder belong to the workspace. */
function locateServerFile(file: vscode.Uri) {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  return { path: file.fsPath, ...(folder ? { folder: folder.uri.fsPath } : {}) };
}

async function pickImportRows(rows: readonly ImportRow[]): Promise<readonly ImportRow[]> {
  const items = rows.map((row) => ({
    label: formatDisplayLine(row.problem === undefined ? row.id : `$(error) ${row.id}`),
    description: formatDisplayLine(row.path),
    detail: formatDisplayLine(row.problem === undefined ? row.shown.replaceAll("\n", " · ") : write(row.problem)),
    picked: row.problem === undefined && !row.isOff,
    row,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("plugins.importTitle"),
    placeHolder: t("plugins.importWhat"),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return (picked ?? []).map(({ row }) => row).filter(({ problem }) => problem === undefined);
}

/** Shows everything that was picked in full, since the list cuts long lines, and asks for confirmation. */
async function confirmImport(rows: readonly ImportRow[]): Promise<boolean> {
  const button = t("plugins.importButton");
  const detail = rows.map((row) => formatImportRow(row, write)).join("\n\n");
  const options = { modal: true, detail };
  return (await vscode.window.showInformationMessage(t("plugins.importQuestion"), options, button)) === button;
}
