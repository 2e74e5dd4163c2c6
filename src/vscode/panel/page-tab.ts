import * as vscode from "vscode";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { readPanelRequest } from "../../schema/readers.ts";
import { getErrorText } from "../../texts/display-text.ts";
import { createPageOptions, loadPage } from "./load-page.ts";

/** Options for a page that opens in its own editor tab. */
export interface PageTabOptions {
  readonly extensionUri: vscode.Uri;
  readonly viewType: string;
  readonly getTitle: () => string;
  /** Sends the page's contents in one or more messages. */
  sendContent(send: (message: PanelUpdate) => void): Promise<void>;
  /** Handles a request of the page. Throws a sentence when that isn't possible. */
  receive(message: PanelRequest, reply: (message: PanelUpdate) => void): Promise<void>;
}

/** One editor tab with a page; showing it again reveals it. */
export class PageTab implements vscode.Disposable {
  private readonly options: PageTabOptions;
  private panel: vscode.WebviewPanel | undefined;
  /** Counts refreshes: a slow one must not replace the contents of a later one. */
  private turn = 0;

  constructor(options: PageTabOptions) {
    this.options = options;
  }

  /** Shows the tab, with current contents. */
  show(): void {
    if (this.panel) {
      this.panel.reveal();
      this.refresh();
    } else this.panel = this.open();
  }

  /** True while the page is in view. */
  get visible(): boolean {
    return this.panel?.visible === true;
  }

  /** Sends the contents again if the page is open. */
  refresh(): void {
    const { panel } = this;
    if (!panel) return;
    const turn = ++this.turn;
    const send = (message: PanelUpdate): void => {
      if (turn === this.turn) this.send(message);
    };
    void this.options.sendContent(send).catch((error: unknown) => this.complain(error));
  }

  /** Loads the page again, in the language in use. */
  reload(): void {
    const { panel } = this;
    if (!panel) return;
    panel.title = this.options.getTitle();
    loadPage(panel.webview, this.options.extensionUri);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    const { extensionUri, viewType, getTitle } = this.options;
    const panel = vscode.window.createWebviewPanel(
      viewType,
      getTitle(),
      vscode.ViewColumn.Active,
      createPageOptions(extensionUri),
    );
    panel.iconPath = vscode.Uri.joinPath(extensionUri, "media", "tab.svg");
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const message = readPanelRequest(raw);
      if (message) void this.receive(message).catch((error: unknown) => this.complain(error));
    });
    loadPage(panel.webview, extensionUri);
    return panel;
  }

  private async receive(message: PanelRequest): Promise<void> {
    switch (message.type) {
      case "ready":
      case "resync":
        return this.refresh();
      case "focus":
        return;
      default:
        return this.options.receive(message, (reply) => this.send(reply));
    }
  }

  private send(message: PanelUpdate): void {
    void this.panel?.webview.postMessage(message);
  }

  private complain(error: unknown): void {
    if (error instanceof vscode.CancellationError) return;
    this.send({ type: "notice", kind: "error", text: getErrorText(error) });
  }
}
