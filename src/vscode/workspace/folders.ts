import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import { selectRunFolders } from "../../node/files/roots.ts";
import type { ExcludeSetting, ExcludeSettings } from "../../node/search/excludes.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { convertUriToPath } from "./places.ts";

/** Whether this window shows the copy of an isolated run. */
let hasCopy = false;

export function noteOpenedCopy(): void {
  hasCopy = true;
}

/** The reason why no run can start in this window, as a sentence; undefined when one can. */
export function findPlaceProblem(): string | undefined {
  if (hasCopy) return t("isolation.copyWindow");
  if (!vscode.workspace.isTrusted) {
    return t("actions.place.restricted");
  }
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) return t("actions.place.noFolder");
  return undefined;
}

/** The action that helps where no run can start. Trust in a copy changes nothing about that. */
export function findPlaceRemedy(): keyof typeof REMEDY_COMMANDS {
  return hasCopy || vscode.workspace.isTrusted ? "openFolder" : "manageTrust";
}

/** The editor's commands for these actions. */
export const REMEDY_COMMANDS = {
  openFolder: "workbench.action.files.openFolder",
  manageTrust: "workbench.trust.manage",
} as const;

/** The open folders, starting with those on disk. A virtual folder's path is its URI path. */
export function listAllFolders(): readonly WorkspaceFolder[] {
  const all = (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    name,
    path: convertUriToPath(uri),
  }));
  return [...all.filter(({ path }) => !isUriPath(path)), ...all.filter(({ path }) => isUriPath(path))];
}

/** The open folders on disk. */
export function openFolders(): readonly WorkspaceFolder[] {
  return listAllFolders().filter(({ path }) => !isUriPath(path));
}

/** The open folders that aren't on disk. */
export function listVirtualFolders(): readonly WorkspaceFolder[] {
  return listAllFolders().filter(({ path }) => isUriPath(path));
}

/** Whether a folder is open now. */
export function isOpenFolder(folder: string): boolean {
  return listAllFolders().some(({ path }) => path === folder);
}

/**
 * The current folders of a run, its own first; `named` are the folders in its prompt. A run works on disk or in virtual folders, never in
 * both.
 */
export function listCurrentFolders(folder: string, named?: readonly WorkspaceFolder[]): readonly WorkspaceFolder[] {
  const isVirtual = isUriPath(folder);
  return selectRunFolders(
    folder,
    listAllFolders().filter(({ path }) => isUriPath(path) === isVirtual),
    named,
  );
}

/** The default folder of a new run: the only one, or that of the active editor; undefined when the user has to pick. */
export function findLikelyFolder(): string | undefined {
  const folders = listAllFolders();
  const [only] = folders;
  if (folders.length === 1 && only) return only.path;
  const active = vscode.window.activeTextEditor?.document.uri;
  const ofEditor = active && vscode.workspace.getWorkspaceFolder(active);
  return ofEditor && convertUriToPath(ofEditor.uri);
}

/** The folder of a new run: the requested one, the only one, that of the active editor, or the user's pick. */
export function chooseRunFolder(wanted?: vscode.Uri): Promise<string> {
  return chooseFolder(t("actions.place.which"), wanted);
}

/** Chooses the folder of a memory in the same way. */
export function chooseMemoryFolder(): Promise<string> {
  return chooseFolder(t("runs.memory.which"));
}

/** A folder's name for people. */
export function openFolderName(folder: string): string {
  return listAllFolders().find(({ path }) => path === folder)?.name ?? folder;
}

/** Adds the folder's name to a title if several are open. */
export function formatTitleWithFolder(folder: string, title: string): string {
  return listAllFolders().length < 2 ? title : t("runs.memory.titleIn", { title, folder: openFolderName(folder) });
}

async function chooseFolder(placeHolder: string, wanted?: vscode.Uri): Promise<string> {
  const problem = findPlaceProblem();
  if (problem !== undefined) throw new Error(problem);
  if (wanted) {
    const path = convertUriToPath(wanted);
    if (!isOpenFolder(path)) fail("actions.place.notOpen", { folder: path });
    return path;
  }
  const likely = findLikelyFolder();
  if (likely !== undefined) return likely;
  const picked = await vscode.window.showWorkspaceFolderPick({ placeHolder });
  if (!picked) throw new vscode.CancellationError();
  return convertUriToPath(picked.uri);
}

/** The settings of a folder that leave files out of listings and searches. */
export function readExcludeSettings(folder: string): ExcludeSettings {
  const uri = vscode.Uri.file(folder);
  const readExcludeSetting = (section: "files" | "search") =>
    vscode.workspace.getConfiguration(section, uri).get<ExcludeSetting>("exclude", {});
  return { files: readExcludeSetting("files"), search: readExcludeSetting("search") };
}
