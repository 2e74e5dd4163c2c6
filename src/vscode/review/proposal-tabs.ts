import * as vscode from "vscode";
import type { CellSource } from "../../core/ports/notebooks.ts";
import { readNotebook } from "../../node/documents/notebook-json.ts";
import { listNotebookCells } from "../workspace/open-notebooks.ts";
import { saveDocument } from "../workspace/unsaved-files.ts";
import { PROPOSAL_SCHEME } from "./proposal-uri.ts";

/** The proposed text a tab shows, in a diff or alone. */
export function findProposalUri(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const uri =
    tab?.input instanceof vscode.TabInputTextDiff || tab?.input instanceof vscode.TabInputNotebookDiff
      ? tab.input.modified
      : tab?.input instanceof vscode.TabInputText || tab?.input instanceof vscode.TabInputNotebook
        ? tab.input.uri
        : undefined;
  return uri?.scheme === PROPOSAL_SCHEME ? uri : undefined;
}

/** All open tabs that show a proposed text. */
export function listProposalTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => findProposalUri(tab));
}

/** All open tabs that show this proposed text. */
export function listTabsShowing(proposal: vscode.Uri): readonly vscode.Tab[] {
  return listProposalTabs().filter((tab) => findProposalUri(tab)?.toString() === proposal.toString());
}

/** Closes the tabs of a proposed text. Its edits are saved to memory first, so that VS Code doesn't ask. */
export async function closeTabs(proposal: vscode.Uri): Promise<void> {
  const document = openProposal(proposal) ?? openNotebookProposal(proposal);
  if (!document || (await saveDocument(document))) await vscode.window.tabGroups.close(listTabsShowing(proposal), true);
}

/** The document of a proposed text, if it is open. */
export function openProposal(proposal: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === proposal.toString());
}

function openNotebookProposal(proposal: vscode.Uri): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(({ uri }) => uri.toString() === proposal.toString());
}

/** The current cells of a proposed notebook: those in its editor, or else the last ones saved there. */
export function listProposalCells(proposal: vscode.Uri, saved: string | undefined): readonly CellSource[] {
  const document = openNotebookProposal(proposal);
  if (document) return listNotebookCells(document);
  // Without the built-in extension for notebooks it's a diff of the file's text.
  return readNotebook(openProposal(proposal)?.getText() ?? saved ?? "").cells;
}
