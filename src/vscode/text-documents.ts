import * as vscode from "vscode";

const SCHEME = "autogpt-text";

/** Texts shown in read-only editor tabs. */
export class TextDocuments implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: this.changed.event,
    provideTextDocumentContent: (uri) =>
      this.texts.get(uri.path) ?? "This text is no longer there. Open it again.",
  });

  /** Shows a text; the same title is the same tab. */
  async show(title: string, text: string, languageId = "plaintext"): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, languageId);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.provider.dispose();
    this.changed.dispose();
    this.texts.clear();
  }
}
