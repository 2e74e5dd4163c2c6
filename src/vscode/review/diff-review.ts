import * as vscode from "vscode";
import { KeyedQueue } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { applyHunkAction, type HunkAction, offerHunkButtons } from "./hunk-actions.ts";
import { chooseLeftSide, createOfferedDiff, findEditedText, formatDiffTitle } from "./offered-change.ts";
import { ProposalFiles } from "./proposal-files.ts";
import {
  closeTabs,
  findProposalUri,
  isNotebookShown,
  listProposalCells,
  listProposalTabs,
  listTabsShowing,
  OwnGroup,
  openProposal,
  type WindowMemory,
} from "./proposal-tabs.ts";
import {
  createBeforeUri,
  createOriginalUri,
  type OfferedDiff,
  ORIGINAL_SCHEME,
  PROPOSAL_SCHEME,
} from "./proposal-uri.ts";
import { showFile } from "./written-file.ts";

/** A diff opens automatically only after this long without typing. */
const QUIET_MS = 2_000;

/** Identifies a proposal of a run. */
interface ProposalPlace {
  readonly run: string;
  readonly step: number;
}

/** Options for offering a proposal. */
interface Offering {
  readonly auto: boolean;
  /** The keyboard focus is known to be outside the editors. */
  readonly cover?: boolean;
  /** Title of its tab, in place of the usual one. */
  readonly title?: string;
  /** The run's title, for the usual title while several runs have diffs. */
  readonly name?: string;
}

/** Shows proposed file changes as diffs that the user can edit before accepting them. It makes no decision itself. */
export interface DiffReview extends vscode.Disposable {
  /**
   * Offers the proposal of a step for review, replacing an earlier one. With `auto`, the diff opens once the user hasn't typed for 2 s;
   * otherwise `reveal` opens it. It opens without focus, next to the active editor unless it may `cover` that editor. The request's preview
   * must be a change.
   */
  offer(run: string, request: ApprovalRequest, options: Offering): Promise<void>;
  /** Opens the diff, or brings it to the front, with focus because the user asked for it. Does nothing when there is none. */
  reveal(run: string, step: number): Promise<void>;
  /** The current text of the proposal, as it would be written; undefined when it is unchanged. */
  findAcceptedText(run: string, step: number): string | undefined;
  /**
   * Replaces the open diff by the written file, in a preview tab at the first change, and forgets the proposal. Moves the focus along if it
   * was in the diff, unless it's known to be outside the editors (`cover`).
   */
  showWritten(run: string, step: number, options?: { readonly cover?: boolean }): Promise<void>;
  /** Leaves the focus where it is once the proposal is written: it was approved from outside the editors. */
  keepFocus(run: string, step: number): void;
  /** Closes the tabs of the diff without asking, and forgets the proposal. */
  withdraw(run: string, step: number): Promise<void>;
  /** True while a visible editor shows exactly this proposal. */
  isShown(run: string, request: Pick<ApprovalRequest, "step" | "hash">): boolean;
  /** The proposal in the active diff editor, if any. */
  findActiveProposal(): ProposalPlace | undefined;
  /** Drops or restores the hunk at a line (from 0) or at the cursor of the active proposal, or keeps only that hunk. */
  changeHunk(action: HunkAction, line?: number): Promise<void>;
  /** Fires when the text of a proposal changes, or another one becomes active or visible. */
  readonly onDidChange: vscode.Event<void>;
}

/** With `memory`, the group of diffs is known again after a reload. */
export function createDiffReview(memory?: WindowMemory): DiffReview {
  return new OpenReview(memory);
}

class OpenReview implements DiffReview {
  private readonly proposals = new Map<string, OfferedDiff>();
  private readonly files = new ProposalFiles();
  private readonly own: OwnGroup;
  /** The last one that opened over the active editor, until the user turns to an editor. */
  private covering: OfferedDiff | undefined;
  /** Proposals that were approved from outside the editors. */
  private readonly quiet = new Set<string>();
  private readonly typing = watchTyping();
  private readonly turns = new KeyedQueue();
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changes.event;
  private readonly disposables: readonly vscode.Disposable[];

  constructor(memory?: WindowMemory) {
    this.own = new OwnGroup(memory);
    this.disposables = [
      offerHunkButtons((uri) => this.find((proposal) => proposal.uri.toString() === uri.toString()), this.onDidChange),
      this.files,
      this.typing,
      this.changes,
      vscode.workspace.registerTextDocumentContentProvider(ORIGINAL_SCHEME, {
        provideTextDocumentContent: (asked) =>
          this.find(({ uri }) => createOriginalUri(uri).toString() === asked.toString())?.before ?? "",
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === PROPOSAL_SCHEME) this.changes.fire();
      }),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => {
        if (notebook.uri.scheme === PROPOSAL_SCHEME) this.changes.fire();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        if (kind === undefined || !this.covering) return;
        this.covering = undefined;
        this.announceActiveChange();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.changes.fire()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.announceActiveChange()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.announceActiveChange()),
    ];
    void closeLeftTabs();
  }

  offer(run: string, request: ApprovalRequest, { auto, cover = false, title, name }: Offering): Promise<void> {
    return this.turns.run(run, async () => {
      const { step, hash, prepared } = request;
      if (prepared.preview.kind !== "change") return;
      const own = createOfferedDiff({ run, step, hash }, prepared.preview, prepared.notebook);
      const isNamed = [...this.proposals.values()].some((other) => other.run !== run && other.title === undefined);
      const proposal = { ...own, isNamed, ...omitUndefined({ title, name }) };
      const earlier = this.proposals.get(formatProposalKey(run, step));
      if (earlier?.hash === hash) return;
      const [openTab] = earlier ? listTabsShowing(earlier.uri) : [];
      this.proposals.set(formatProposalKey(run, step), proposal);
      this.files.put(proposal.uri, proposal.notebook?.after ?? proposal.after);
      if (proposal.notebook) this.files.put(createBeforeUri(proposal.uri), proposal.notebook.before);
      const show = (viewColumn: vscode.ViewColumn): Promise<void> =>
        open(proposal, { preserveFocus: true, viewColumn });
      if (openTab) await show(openTab.group.viewColumn);
      else if (auto && this.typing.measureQuietMs() >= QUIET_MS) {
        await this.nameOthers(proposal);
        if (await this.own.open(cover, show)) this.covering = proposal;
      }
      if (earlier) await this.forget(earlier);
      this.announceActiveChange();
    });
  }

  reveal(run: string, step: number): Promise<void> {
    return this.turns.run(run, async () => {
      const proposal = this.proposals.get(formatProposalKey(run, step));
      if (!proposal) return;
      const column = listTabsShowing(proposal.uri)[0]?.group.viewColumn ?? this.own.column;
      await open(proposal, { preserveFocus: false, viewColumn: column });
    });
  }

  findAcceptedText(run: string, step: number): string | undefined {
    const proposal = this.proposals.get(formatProposalKey(run, step));
    if (!proposal) return undefined;
    const { notebook } = proposal;
    if (notebook) return notebook.accepted(listProposalCells(proposal.uri, this.files.findText(proposal.uri)));
    const document = openProposal(proposal.uri);
    const standing = document ? this.files.getWrittenText(document) : this.files.findText(proposal.uri);
    if (standing === undefined || standing === proposal.after) return undefined;
    return findEditedText(proposal, standing, detectLineEnd(document, standing));
  }

  withdraw(run: string, step: number): Promise<void> {
    return this.turns.run(run, async () => {
      const proposal = this.proposals.get(formatProposalKey(run, step));
      if (!proposal) return;
      this.proposals.delete(formatProposalKey(run, step));
      await this.forget(proposal);
      this.announceActiveChange();
    });
  }

  showWritten(run: string, step: number, { cover = false } = {}): Promise<void> {
    return this.turns.run(run, async () => {
      const proposal = this.proposals.get(formatProposalKey(run, step));
      const isFocusOutside = this.quiet.delete(formatProposalKey(run, step)) || cover;
      if (!proposal) return;
      const written = this.findAcceptedText(run, step) ?? proposal.after;
      this.proposals.delete(formatProposalKey(run, step));
      const [diff] = listTabsShowing(proposal.uri);
      if (diff) this.own.keepWritten(await showFile(proposal, written, { diff, isFocusOutside }));
      await this.forget(proposal);
      this.announceActiveChange();
    });
  }

  keepFocus(run: string, step: number): void {
    this.quiet.add(formatProposalKey(run, step));
  }

  isShown(run: string, { step, hash }: Pick<ApprovalRequest, "step" | "hash">): boolean {
    const proposal = this.proposals.get(formatProposalKey(run, step));
    if (proposal?.hash !== hash) return false;
    if (proposal.notebook && isNotebookShown(proposal.uri)) return true;
    const uri = proposal.uri.toString();
    return vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === uri);
  }

  findActiveProposal(): ProposalPlace | undefined {
    const proposal = this.findActiveDiff();
    return proposal && { run: proposal.run, step: proposal.step };
  }

  async changeHunk(action: HunkAction, line?: number): Promise<void> {
    await applyHunkAction(this.findActiveDiff(), action, line);
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private findActiveDiff(): OfferedDiff | undefined {
    const uri = findProposalUri(vscode.window.tabGroups.activeTabGroup.activeTab)?.toString();
    return uri === undefined ? undefined : this.find((proposal) => proposal.uri.toString() === uri);
  }

  private find(matches: (proposal: OfferedDiff) => boolean): OfferedDiff | undefined {
    return [...this.proposals.values()].find(matches);
  }

  private async forget(proposal: OfferedDiff): Promise<void> {
    await closeTabs(proposal.uri);
    this.files.drop(proposal.uri);
    if (proposal.notebook) this.files.drop(createBeforeUri(proposal.uri));
    await this.own.closeEmpty();
  }

  /** Adds the names of their runs to the titles of other runs' diffs, which can't be told apart by a file and a step. */
  private async nameOthers({ run }: OfferedDiff): Promise<void> {
    for (const [key, other] of this.proposals) {
      if (other.run === run || other.isNamed || other.title !== undefined) continue;
      const named = { ...other, isNamed: true };
      this.proposals.set(key, named);
      for (const tab of listTabsShowing(other.uri)) {
        if (tab.isDirty) continue;
        const { viewColumn } = tab.group;
        await vscode.window.tabGroups.close(tab, true);
        await open(named, { preserveFocus: true, viewColumn });
      }
    }
  }

  private announceActiveChange(): void {
    const active = this.findActiveDiff();
    void vscode.commands.executeCommand("setContext", "autogpt.proposalActive", active !== undefined);
    const covers = active !== undefined && active === this.covering;
    void vscode.commands.executeCommand("setContext", "autogpt.diffCovers", covers);
    this.changes.fire();
  }
}

async function open(proposal: OfferedDiff, options: vscode.TextDocumentShowOptions): Promise<void> {
  const left = await chooseLeftSide(proposal);
  const shown = { ...options, preview: false };
  await vscode.commands.executeCommand("vscode.diff", left, proposal.uri, formatDiffTitle(proposal), shown);
}

/** Closes tabs left from a closed or reloaded window. Those with edits stay until their proposal is offered again. */
async function closeLeftTabs(): Promise<void> {
  await vscode.window.tabGroups.close(
    listProposalTabs().filter((tab) => !tab.isDirty),
    true,
  );
}

function detectLineEnd(document: vscode.TextDocument | undefined, standing: string): "\n" | "\r\n" {
  if (document) return document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  return standing.includes("\r\n") ? "\r\n" : "\n";
}

function formatProposalKey(run: string, step: number): string {
  return `${step} ${run}`;
}

/** Detects typing in an editor. */
interface TypingWatch extends vscode.Disposable {
  /** Milliseconds since a key last changed a text. */
  measureQuietMs(): number;
}

function watchTyping(): TypingWatch {
  let last = Number.NEGATIVE_INFINITY;
  const watching = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    // A file that was saved or changed on disk is reported as a change, too, but isn't dirty.
    if (document.isDirty && document === vscode.window.activeTextEditor?.document) last = Date.now();
  });
  return { measureQuietMs: () => Date.now() - last, dispose: () => watching.dispose() };
}
