import * as vscode from "vscode";
import type { AgentEvent } from "../core/event.ts";
import type { Card, FromPanel, ToPanel, Welcome } from "../protocol.ts";
import { readFromPanel } from "../protocol-schema.ts";
import { panelPage } from "../webview/page.ts";
import { type HostedRun, type HostedRuns, isRunning } from "./hosted-runs.ts";
import { besideOf, eventForPanel, pagesForPanel, stateForPanel } from "./panel-feed.ts";
import { ThoughtRelay } from "./thought-relay.ts";

/** What the panel needs from the rest of the extension. */
export interface PanelParts {
  readonly extensionUri: vscode.Uri;
  readonly runs: HostedRuns;
  /** What the start page offers; with `quick` before models were looked for. */
  welcome(options: { readonly quick: boolean }): Promise<Welcome>;
  /** The card of the proposal that waits, and the pieces of its text that do not fit into its message. */
  card(hosted: HostedRun): { readonly card: Card; readonly rest: readonly string[] } | undefined;
  speech(): boolean;
  /** The run's events as they are stored. */
  events(hosted: HostedRun): Promise<readonly AgentEvent[]>;
  /** Does what the panel asks for; what cannot be done is thrown as a sentence. */
  receive(message: FromPanel, reply: (message: ToPanel) => void): Promise<void>;
}

type Draft = Extract<ToPanel, { readonly type: "drafted" }>;

interface Page {
  readonly webview: vscode.Webview;
  ready: boolean;
  focused: boolean;
}

/** The panel's pages, in the side bar and in editors: each gets a snapshot of the shown run, then what is new. */
export class PanelHost implements vscode.Disposable {
  private readonly parts: PanelParts;
  private readonly pages = new Set<Page>();
  private readonly relay: ThoughtRelay;
  private readonly disposables: vscode.Disposable[] = [];
  private view: vscode.WebviewView | undefined;
  private draft: Draft | undefined;

  constructor(parts: PanelParts) {
    this.parts = parts;
    const { runs } = parts;
    this.relay = new ThoughtRelay((message) => this.broadcast(message));
    this.disposables.push(
      runs.onEvent(({ runId, event }) =>
        this.ifShown(runId, () => this.sendEvent(runId, eventForPanel(event))),
      ),
      runs.onDelta(({ runId, step, delta }) =>
        this.ifShown(runId, () => this.relay.delta(runId, step, delta)),
      ),
      runs.onRestart(({ runId, step }) => this.ifShown(runId, () => this.relay.restart(runId, step))),
      runs.onOutput(({ runId, step, chunk }) =>
        this.ifShown(runId, () => this.relay.output(runId, step, chunk)),
      ),
      runs.onNotice(({ runId, text }) => this.ifShown(runId, () => this.notice(text))),
      runs.onChange((hosted) => this.ifShown(hosted.id, () => this.sendWaiting(hosted))),
      runs.onShow(() => this.refresh()),
    );
  }

  attachView(view: vscode.WebviewView): void {
    this.view = view;
    view.onDidDispose(() => {
      if (this.view === view) this.view = undefined;
    });
    const page = this.attach(view.webview, (gone) => view.onDidDispose(gone));
    view.onDidChangeVisibility(() => view.visible || this.focus(page, false));
  }

  attachPanel(panel: vscode.WebviewPanel): void {
    panel.iconPath = vscode.Uri.joinPath(this.parts.extensionUri, "media", "tab.svg");
    const page = this.attach(panel.webview, (gone) => panel.onDidDispose(gone));
    panel.onDidChangeViewState(() => panel.visible || this.focus(page, false));
  }

  /** True while some page can be seen. */
  get visible(): boolean {
    return this.view?.visible === true || this.pages.size > (this.view ? 1 : 0);
  }

  /** True while some page has the keyboard. */
  get focused(): boolean {
    return [...this.pages].some((page) => page.focused);
  }

  /** Sends every page what it should show now: the shown run, or the start page. */
  refresh(): void {
    for (const page of this.pages)
      if (page.ready) void this.sendAll((message) => page.webview.postMessage(message));
  }

  /** Shows a drafted profile for review, in place of the shown run; it stays until a run starts or is shown. */
  offerDraft(draft: Draft): void {
    this.draft = draft;
    this.parts.runs.show(undefined);
  }

  notice(text: string, kind: "info" | "error" = "info"): void {
    this.broadcast({ type: "notice", text, kind });
  }

  broadcast(message: ToPanel): void {
    for (const page of this.pages) if (page.ready) void page.webview.postMessage(message);
  }

  dispose(): void {
    this.relay.dispose();
    for (const disposable of this.disposables) disposable.dispose();
  }

  private attach(webview: vscode.Webview, onGone: (gone: () => void) => void): Page {
    const { extensionUri } = this.parts;
    const resource = (...path: string[]): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString();
    const page: Page = { webview, ready: false, focused: false };
    this.pages.add(page);
    onGone(() => {
      this.pages.delete(page);
      this.focus(page, false);
    });
    webview.options = {
      enableScripts: true,
      localResourceRoots: [
        vscode.Uri.joinPath(extensionUri, "dist"),
        vscode.Uri.joinPath(extensionUri, "media"),
      ],
    };
    webview.onDidReceiveMessage((raw: unknown) => void this.receive(page, raw));
    webview.html = panelPage({
      scriptUri: resource("dist", "panel.js"),
      styleUri: resource("dist", "panel.css"),
      cspSource: webview.cspSource,
      nonce: crypto.randomUUID().replaceAll("-", ""),
    });
    return page;
  }

  private async receive(page: Page, raw: unknown): Promise<void> {
    const message = readFromPanel(raw);
    if (!message) return;
    if (message.type === "focus") return this.focus(page, message.inside);
    const reply = (answer: ToPanel): void => void page.webview.postMessage(answer);
    if (message.type === "ready" || message.type === "resync") {
      page.ready = true;
      await this.sendAll(reply);
      return;
    }
    await this.parts.receive(message, reply).catch((error: unknown) => {
      reply({ type: "notice", kind: "error", text: error instanceof Error ? error.message : String(error) });
    });
  }

  /** Keeps `autogpt.panelFocused` true to the pages: the keys for deciding are for a focused panel only. */
  private focus(page: Page, inside: boolean): void {
    page.focused = inside;
    void vscode.commands.executeCommand("setContext", "autogpt.panelFocused", this.focused);
  }

  private async sendAll(send: (message: ToPanel) => void): Promise<void> {
    const { shown } = this.parts.runs;
    if (!shown) {
      send({ type: "welcome", welcome: await this.parts.welcome({ quick: true }) });
      if (this.draft) send(this.draft);
      const welcome = await this.parts.welcome({ quick: false });
      if (!this.parts.runs.shown) send({ type: "welcome", welcome });
      return;
    }
    this.draft = undefined;
    const { state } = shown.run;
    send({
      type: "snapshot",
      run: shown.id,
      state: stateForPanel(state),
      readOnly: shown.live === undefined,
      running: isRunning(shown),
      commands: (shown.commands?.specs ?? []).map(({ name, description }) => ({ name, description })),
      withheld: shown.commands?.withheld ?? [],
      ...allowance(shown),
      speech: this.parts.speech(),
    });
    const first = state.recent[0]?.step ?? 1;
    const beside = besideOf(await this.parts.events(shown), state.recent);
    for (const page of pagesForPanel(shown.id, state.recent, first > 1, beside)) send(page);
    this.sendWaiting(shown, send);
  }

  private sendWaiting(
    hosted: HostedRun,
    send: (message: ToPanel) => void = (message) => this.broadcast(message),
  ): void {
    const waiting = hosted.live?.waiting;
    const shown = waiting?.kind === "proposal" ? this.parts.card(hosted) : undefined;
    this.relay.flush();
    send({
      type: "waiting",
      run: hosted.id,
      ...(shown ? { card: shown.card } : {}),
      ...(waiting?.kind === "question" ? { question: waiting.text } : {}),
    });
    for (const [index, text] of (shown?.rest ?? []).entries()) {
      const more = index < (shown?.rest.length ?? 0) - 1;
      send({ type: "cardText", run: hosted.id, hash: shown?.card.hash ?? "", text, more });
    }
    send({ type: "grant", run: hosted.id, ...allowance(hosted) });
  }

  private sendEvent(run: string, event: ReturnType<typeof eventForPanel>): void {
    if (event.type === "asked") this.relay.begin();
    else this.relay.flush();
    this.broadcast({ type: "event", run, event });
  }

  private ifShown(runId: string, act: () => void): void {
    if (this.parts.runs.shown?.id === runId) act();
  }
}

function allowance(hosted: HostedRun): { continuous: boolean; grant: number } {
  return { continuous: (hosted.grants?.continuousLeft ?? 0) > 0, grant: hosted.grants?.left ?? 0 };
}
