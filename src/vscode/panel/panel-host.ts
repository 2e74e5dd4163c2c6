import * as vscode from "vscode";
import { type OfferedText, TextOffers } from "../../editor/panel/draft-link.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { IsolatedReviews } from "../../editor/panel/isolated-reviews.ts";
import { type PageDependencies, PanelPage } from "../../editor/panel/panel-page.ts";
import { openRuns } from "../../editor/panel/run-status.ts";
import type { NewFigures } from "../../editor/review/change-figures.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import { createPageOptions, loadPage } from "./load-page.ts";

/** Dependencies of the panel. */
export interface PanelDependencies extends PageDependencies {
  readonly runs: HostedRuns;
  readonly reviews: IsolatedReviews;
  readonly extensionUri: vscode.Uri;
  /** Calls back once the user has seen all of a pending proposal. */
  onSeen(listener: (hosted: { readonly id: string }, hash: string) => void): { dispose(): void };
  /** Calls back when the user's edits change the size of a pending change. */
  onFigures(listener: (news: NewFigures) => void): { dispose(): void };
  /** Calls back when a file gets its first unsaved edits, or no longer has any. */
  onUnsaved(listener: () => void): vscode.Disposable;
  /** Calls back when the memory of a folder changes. */
  onMemory(listener: (folder: string) => void): vscode.Disposable;
}

type Draft = Extract<PanelUpdate, { readonly type: "drafted" }>;

/** The panel's pages, in the side bar and in editors. */
export class PanelHost implements vscode.Disposable {
  private readonly parts: PanelDependencies;
  /** The pages, each with a function that writes its HTML. */
  private readonly pages = new Map<PanelPage, () => void>();
  private readonly withFocus = new Set<PanelPage>();
  private readonly disposables: { dispose(): void }[] = [];
  private view: vscode.WebviewView | undefined;
  private viewPage: PanelPage | undefined;
  private draft: Draft | undefined;
  /** Texts for the text box of the side bar's page, which may still load. */
  private readonly offers = new TextOffers();
  /** The last list of open runs that was sent, as JSON. */
  private sentRuns = "";

  constructor(parts: PanelDependencies) {
    this.parts = parts;
    const { runs } = parts;
    const tellEachPage = (tell: (page: PanelPage) => void): void => {
      for (const page of this.pages.keys()) tell(page);
    };
    this.disposables.push(
      runs.onEvent(({ runId, event }) => tellEachPage((page) => page.sendEvent(runId, event))),
      runs.onDelta(({ runId, step, delta }) => tellEachPage((page) => page.sendDelta(runId, step, delta))),
      runs.onRestart(({ runId, step }) => tellEachPage((page) => page.sendRestart(runId, step))),
      runs.onOutput(({ runId, step, chunk }) => tellEachPage((page) => page.sendOutput(runId, step, chunk))),
      runs.onNotice(({ runId, text, kind }) => tellEachPage((page) => page.notice(runId, text, kind))),
      runs.onChange((hosted) => tellEachPage((page) => page.announceWaiting(hosted))),
      parts.onSeen((hosted, hash) => tellEachPage((page) => page.announceSeen(hosted.id, hash))),
      parts.onFigures(({ run, request, figures }) =>
        tellEachPage((page) => page.announceFigures(run, request.hash, figures)),
      ),
      parts.reviews.onChange((run) => tellEachPage((page) => page.review(run))),
      parts.onUnsaved(() => tellEachPage((page) => page.announceUnsaved())),
      parts.onMemory((folder) => tellEachPage((page) => page.announceMemory(folder))),
      runs.onShow((hosted) => {
        if (hosted) this.draft = undefined;
        tellEachPage((page) => page.handleRunSwitch());
      }),
      ...[runs.onEvent, runs.onChange, runs.onShow].map((listen) => listen(() => this.sendRuns())),
    );
  }

  attachView(view: vscode.WebviewView): void {
    this.view = view;
    view.onDidDispose(() => {
      if (this.view === view) this.view = this.viewPage = undefined;
    });
    const page = this.attach(view, (gone) => view.onDidDispose(gone));
    this.viewPage = page;
    view.onDidChangeVisibility(() => view.visible || this.focus(page, false));
  }

  /** Adds a page in an editor tab. With `own`, the page always shows that run. */
  attachPanel(panel: vscode.WebviewPanel, own?: string): void {
    panel.iconPath = vscode.Uri.joinPath(this.parts.extensionUri, "media", "tab.svg");
    const page = this.attach(panel, (gone) => panel.onDidDispose(gone), own);
    panel.onDidChangeViewState(() => panel.visible || this.focus(page, false));
  }

  /** True while any page is visible. */
  get visible(): boolean {
    return this.view?.visible === true || this.pages.size > (this.view ? 1 : 0);
  }

  /** True while any page has the keyboard focus. */
  get focused(): boolean {
    return this.withFocus.size > 0;
  }

  /** Sends each page its current contents. */
  refresh(): void {
    for (const page of this.pages.keys()) page.refresh();
  }

  /** Sends the start pages their current contents. */
  refreshStart(): void {
    for (const page of this.pages.keys()) if (!page.run) page.refresh();
  }

  /** Loads the pages again, in the language in use now. */
  reload(): void {
    for (const load of this.pages.values()) load();
  }

  /** Announces that a key, server or model was set: pages discard earlier messages about them and refresh. */
  announceSetupChange(): void {
    for (const page of this.pages.keys()) {
      page.send({ type: "setupChanged" });
      if (!page.run) page.refresh();
    }
  }

  /** Moves the focus to the text box of the page in the side bar. A page that is still loading does so by itself. */
  async focusInput(): Promise<void> {
    await vscode.commands.executeCommand("autogpt.panel.focus");
    this.viewPage?.send({ type: "focusInput" });
  }

  /** Puts a text into the text box in the side bar: that of a new run, or of what is shown. */
  async offerText(offer: OfferedText, where: "new" | "shown"): Promise<void> {
    this.offers.add(offer, where);
    if (where === "new") this.parts.runs.show(undefined);
    await vscode.commands.executeCommand("autogpt.panel.focus");
    this.viewPage?.refresh();
    this.viewPage?.send({ type: "focusInput" });
  }

  /** Shows a drafted profile for review instead of the current run, until a run starts or is shown. */
  offerDraft(draft: Draft): void {
    this.draft = draft;
    this.parts.runs.show(undefined);
  }

  dispose(): void {
    for (const page of this.pages.keys()) page.dispose();
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** Sends the list of open runs if its display has changed. */
  private sendRuns(): void {
    const runs = openRuns(this.parts.runs.all);
    const looks = JSON.stringify(runs);
    if (looks === this.sentRuns) return;
    this.sentRuns = looks;
    for (const page of this.pages.keys()) page.send({ type: "runs", runs: [...runs] });
  }

  private attach(
    frame: vscode.WebviewView | vscode.WebviewPanel,
    onGone: (gone: () => void) => void,
    own?: string,
  ): PanelPage {
    const { extensionUri } = this.parts;
    const { webview } = frame;
    const ears = {
      focus: (inside: boolean) => this.focus(page, inside),
      isVisible: () => frame.visible,
      draft: () => this.draft,
      takeOffers: (showsRun: boolean) => (page === this.viewPage ? this.offers.take(showsRun) : []),
    };
    const page: PanelPage = new PanelPage(this.parts, webview, ears, own);
    const load = (): void => loadPage(webview, extensionUri);
    this.pages.set(page, load);
    onGone(() => {
      this.pages.delete(page);
      page.dispose();
      this.focus(page, false);
    });
    webview.options = createPageOptions(extensionUri);
    load();
    return page;
  }

  /** Updates `autogpt.panelFocused`. A page gets the keys of the workbench only as long as they name it. */
  private focus(page: PanelPage, inside: boolean): void {
    if (inside) this.withFocus.add(page);
    else this.withFocus.delete(page);
    void vscode.commands.executeCommand("setContext", "autogpt.panelFocused", this.focused);
  }
}
