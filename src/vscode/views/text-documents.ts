import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { t } from "../../texts/language.ts";

const SCHEME = "autogpt-text";

/** Display options of a text. */
interface ShownText {
  readonly languageId?: string;
  /** Keeps the keyboard focus where it is. */
  readonly preserveFocus?: boolean;
}

/** Texts shown in read-only editor tabs. */
export class TextDocuments implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: this.changed.event,
    provideTextDocumentContent: (uri) => this.texts.get(uri.path) ?? t("review.textGone"),
  });

  /** Shows a text, reusing the tab with the same title. False when the editor didn't get all of it. */
  async show(
    title: string,
    text: string,
    { languageId = "plaintext", preserveFocus = false }: ShownText = {},
  ): Promise<boolean> {
    const uri = this.add(title, text);
    const document = await vscode.workspace.openTextDocument(uri);
    // An editor without that language rejects it and shows the text all the same.
    await vscode.languages.setTextDocumentLanguage(document, languageId).then(undefined, () => undefined);
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus });
    return this.waitForText(document, text);
  }

  /** Registers a text under a title, for an editor that is opened with its address. */
  add(title: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }

  /** Waits until a tab that is already open has its new text. */
  private async waitForText(document: vscode.TextDocument, text: string): Promise<boolean> {
    const lines = text.split(/\r\n|\r|\n/).join("\n");
    for (let tries = 0; tries < 40; tries++) {
      if (document.getText().replaceAll("\r\n", "\n") === lines) return true;
      await setTimeout(50);
    }
    return false;
  }

  dispose(): void {
    this.provider.dispose();
    this.changed.dispose();
    this.texts.clear();
  }
}
