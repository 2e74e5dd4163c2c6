import * as vscode from "vscode";
import { saved } from "../saved.ts";
import { PROPOSAL_SCHEME } from "./proposal-uri.ts";

/** The proposed text a tab shows, in a diff or alone. */
export function proposalOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const uri =
    tab?.input instanceof vscode.TabInputTextDiff
      ? tab.input.modified
      : tab?.input instanceof vscode.TabInputText
        ? tab.input.uri
        : undefined;
  return uri?.scheme === PROPOSAL_SCHEME ? uri : undefined;
}

/** All open tabs that show a proposed text. */
export function proposalTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => proposalOf(tab));
}

/** All open tabs that show this one. */
export function tabsOf(proposal: vscode.Uri): readonly vscode.Tab[] {
  return proposalTabs().filter((tab) => proposalOf(tab)?.toString() === proposal.toString());
}

/** Closes the tabs of a proposed text. Its edits are saved first, into memory, so that nobody is asked. */
export async function closeTabs(proposal: vscode.Uri): Promise<void> {
  const document = openProposal(proposal);
  if (!document || (await saved(document))) await vscode.window.tabGroups.close(tabsOf(proposal), true);
}

/** The proposed text as it is open in the editor. */
export function openProposal(proposal: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === proposal.toString());
}

/**
 * Where a diff that nobody asked for may open: where one of ours is, else in the active group, but not over a page of ours (the panel as an
 * editor), which somebody is reading.
 */
export function quietColumn(): vscode.ViewColumn {
  const ours = vscode.window.tabGroups.all.find(({ activeTab }) => proposalOf(activeTab));
  if (ours) return ours.viewColumn;
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const overPage = activeTab?.input instanceof vscode.TabInputWebview;
  return overPage ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}
