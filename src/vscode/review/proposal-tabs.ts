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
  const document = openProposal(proposal) ?? findNotebook(proposal);
  if (!document || (await saveDocument(document))) await vscode.window.tabGroups.close(listTabsShowing(proposal), true);
}

/** The document of a proposed text, if it is open. */
export function openProposal(proposal: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === proposal.toString());
}

function findNotebook(address: vscode.Uri): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(({ uri }) => uri.toString() === address.toString());
}

/** True while a notebook's diff is in front and displays cells: VS Code shows its tab long before. */
export function isNotebookShown(proposal: vscode.Uri): boolean {
  const shown = vscode.window.tabGroups.all.find(
    ({ activeTab }) => findProposalUri(activeTab)?.toString() === proposal.toString(),
  )?.activeTab?.input;
  if (!(shown instanceof vscode.TabInputNotebookDiff)) return false;
  const sides = [shown.original, shown.modified].map(findNotebook);
  const cells = new Set(sides.flatMap((side) => side?.getCells() ?? []).map(({ document }) => document));
  const isEmpty = sides.every((side) => side !== undefined) && cells.size === 0;
  return isEmpty || vscode.window.visibleTextEditors.some(({ document }) => cells.has(document));
}

/** The current cells of a proposed notebook: those in its editor, or else the last ones saved there. */
export function listProposalCells(proposal: vscode.Uri, saved: string | undefined): readonly CellSource[] {
  const document = findNotebook(proposal);
  if (document) return listNotebookCells(document);
  // Without the built-in extension for notebooks it's a diff of the file's text.
  return readNotebook(openProposal(proposal)?.getText() ?? saved ?? "").cells;
}

/** Pages that may be covered. The panel may not: it has the buttons for what would cover it. */
const PAGE = /\bautogpt\.(?:models|permissions|tools|ways)$/;

/** Stored, so that the group is known again after a reload. */
interface StoredGroup {
  readonly column: number;
  readonly file: string;
}

const STORED_KEY = "autogpt.ownGroup";

/** The memory of a window that outlives a reload. */
export type WindowMemory = Pick<vscode.Memento, "get" | "update">;

/** The editor group of unrequested diffs and the files that they become. There is one at most, and it closes once it's empty. */
export class OwnGroup {
  private readonly memory: WindowMemory | undefined;
  private group: vscode.TabGroup | undefined;
  /** The file that was shown in place of its diff. It's the user's once they have changed or kept its tab. */
  private written: string | undefined;

  constructor(memory?: WindowMemory) {
    this.memory = memory;
    const stored = memory?.get<StoredGroup>(STORED_KEY);
    this.written = stored?.file;
    this.group = vscode.window.tabGroups.all.find(
      ({ viewColumn, activeTab }) => viewColumn === stored?.column && this.isWritten(activeTab),
    );
  }

  /**
   * Opens a diff where it takes the keyboard from no editor: in this group, over a page of ours, or over the active editor if the focus is
   * known to be elsewhere (`cover`). Only if there is no such place, a group opens beside. True if it covers the active editor, which then
   * loses the keyboard if it had it.
   */
  async open(cover: boolean, show: (column: vscode.ViewColumn) => Promise<void>): Promise<boolean> {
    const { all, activeTabGroup } = vscode.window.tabGroups;
    const before = new Set(all);
    const column = this.chooseColumn(cover);
    const covers = column === activeTabGroup.viewColumn && activeTabGroup.activeTab !== undefined;
    await show(column);
    const added = vscode.window.tabGroups.all.find((group) => !before.has(group));
    if (added) this.group = added;
    return covers;
  }

  /** Remembers the file that takes the place of a diff. */
  keepWritten(file: vscode.Uri): void {
    this.written = file.toString();
    const { group } = this;
    const stored: StoredGroup | undefined = group && { column: group.viewColumn, file: this.written };
    void this.memory?.update(STORED_KEY, stored);
  }

  /** Closes the group if nothing is left in it. */
  async closeEmpty(): Promise<void> {
    const { all } = vscode.window.tabGroups;
    const { group } = this;
    if (group && all.length > 1 && all.includes(group) && group.tabs.length === 0)
      await vscode.window.tabGroups.close(group, true);
  }

  /** Where a diff opens that the user asked for. */
  get column(): vscode.ViewColumn {
    return this.find()?.viewColumn ?? vscode.ViewColumn.Active;
  }

  private find(): vscode.TabGroup | undefined {
    const { all } = vscode.window.tabGroups;
    return all.find((group) => group === this.group) ?? all.find(({ activeTab }) => findProposalUri(activeTab));
  }

  private chooseColumn(cover: boolean): vscode.ViewColumn {
    const { all, activeTabGroup } = vscode.window.tabGroups;
    const { activeTab } = activeTabGroup;
    const own = this.find();
    if (own && own !== activeTabGroup) return own.viewColumn;
    if (!activeTab || this.isOwn(activeTab) || (cover && !isWebview(activeTab))) return activeTabGroup.viewColumn;
    // The user works in our group: another one is covered sooner than a third one opens.
    const other = own && all.find((group) => group !== own && !isWebview(group.activeTab));
    return other?.viewColumn ?? vscode.ViewColumn.Beside;
  }

  private isOwn(tab: vscode.Tab): boolean {
    return findProposalUri(tab) !== undefined || isPage(tab) || this.isWritten(tab);
  }

  private isWritten(tab: vscode.Tab | undefined): boolean {
    const input = tab?.input;
    const shown =
      input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? input.uri : undefined;
    return tab?.isPreview === true && !tab.isDirty && shown?.toString() === this.written;
  }
}

function isWebview(tab: vscode.Tab | undefined): boolean {
  return tab?.input instanceof vscode.TabInputWebview;
}

function isPage({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && PAGE.test(input.viewType);
}
