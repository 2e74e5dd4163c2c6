import * as vscode from "vscode";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";

/** A repository of VS Code's git extension, as far as it's used here. */
export interface EditorRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
}

/** The first version of the interface of VS Code's git extension. */
interface GitApi {
  readonly repositories: readonly EditorRepository[];
  getRepository(uri: vscode.Uri): EditorRepository | null;
  /** The address of a file as of a commit. */
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

/** The interface of the git extension. Throws a sentence if it's turned off. */
export async function openGitApi(): Promise<GitApi> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const git = await extension?.activate();
  if (!git?.enabled) fail("scm.noGitExtension");
  return git.getAPI(1);
}

/**
 * The repository of a Source Control title, which passes its source control; else the only one, that of the active editor, or the user's
 * pick. Throws a sentence if none is open.
 */
export async function chooseRepository(api: GitApi, given: unknown): Promise<EditorRepository> {
  const root = getRootUri(given);
  const named = root && api.getRepository(root);
  if (named) return named;
  const all = api.repositories.filter(({ rootUri }) => rootUri.scheme === "file");
  const [only] = all;
  if (!only) fail("scm.noOpenRepository");
  if (all.length === 1) return only;
  const active = vscode.window.activeTextEditor?.document.uri;
  const ofEditor = active && api.getRepository(active);
  if (ofEditor) return ofEditor;
  const items = all.map((repository) => ({ label: vscode.workspace.asRelativePath(repository.rootUri), repository }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: t("scm.whichRepository") });
  if (!picked) throw new vscode.CancellationError();
  return picked.repository;
}

function getRootUri(given: unknown): vscode.Uri | undefined {
  if (given instanceof vscode.Uri) return given;
  if (typeof given !== "object" || given === null || !("rootUri" in given)) return undefined;
  return given.rootUri instanceof vscode.Uri ? given.rootUri : undefined;
}
