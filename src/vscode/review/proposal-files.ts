import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { type Encodings, encodeProposal, PendingSaves } from "../../editor/review/pending-saves.ts";
import { PROPOSAL_SCHEME } from "./proposal-uri.ts";

/** A time far in the future. */
const FAR_FUTURE_MS = Date.UTC(2200, 0);

interface ProposalFile {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly mtime: number;
}

/**
 * Proposed texts as in-memory files that the editor can edit and save. Reverts the editor's own changes on saving (formatting, trimming),
 * so that a proposal contains only text from the agent or the user.
 */
export class ProposalFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly files = new Map<string, ProposalFile>();
  private time = FAR_FUTURE_MS;
  private readonly saves = new PendingSaves();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;
  private readonly disposables: readonly vscode.Disposable[];

  constructor() {
    this.disposables = [
      vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.onDidOpenTextDocument((document) => this.follow(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.follow(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.saves.forget(uri.toString())),
      vscode.workspace.onWillSaveTextDocument(({ document }) => {
        if (isProposal(document)) this.saves.begin(document.uri.toString(), document.getText());
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => void this.refreshAfterSave(uri)),
      this.changes,
    ];
  }

  put(uri: vscode.Uri, text: string): void {
    const { Changed, Created } = vscode.FileChangeType;
    const type = this.files.has(uri.toString()) ? Changed : Created;
    const bytes = encodeProposal(text, collectEncodingSettings(uri));
    this.files.set(uri.toString(), { text, bytes, mtime: this.takeEarlierTime() });
    this.changes.fire([{ type, uri }]);
  }

  drop(uri: vscode.Uri): void {
    this.files.delete(uri.toString());
    this.saves.end(uri.toString());
  }

  /** The text as it was last set or saved. */
  findText(uri: vscode.Uri): string | undefined {
    return this.files.get(uri.toString())?.text;
  }

  /** The editor's text without its own changes on saving. */
  getWrittenText(document: vscode.TextDocument): string {
    return this.saves.getWrittenText(document.uri.toString(), document.getText());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.requireFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: file.mtime, size: file.bytes.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.requireFile(uri).bytes;
  }

  /** Accepts any file of the scheme, so that one left by a closed window can be saved and forgotten. */
  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const known = this.files.get(uri.toString());
    const text = new TextDecoder().decode(bytes);
    this.files.set(uri.toString(), { text, bytes, mtime: known?.mtime ?? this.takeEarlierTime() });
    this.saves.recordWrittenText(uri.toString(), text);
  }

  /**
   * Returns decreasing times, even across windows: the editor rereads a text when its time differs, and refuses to overwrite a newer one.
   */
  private takeEarlierTime(): number {
    this.time = Math.min(this.time - 1, FAR_FUTURE_MS - Date.now());
    return this.time;
  }

  private follow(document: vscode.TextDocument): void {
    if (isProposal(document)) this.saves.recordText(document.uri.toString(), document.getText());
  }

  /** Makes the editor reread a text that it changed on saving, until it has done so or the user continues typing. */
  private async refreshAfterSave(uri: vscode.Uri): Promise<void> {
    const name = uri.toString();
    for (let tries = 0; tries < 20; tries++) {
      const wanted = this.saves.findWantedText(name);
      if (wanted === undefined || !this.files.has(name)) return;
      const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === name);
      if (!document || document.isDirty || document.getText() === wanted) break;
      this.put(uri, wanted);
      await setTimeout(50);
    }
    this.saves.end(name);
  }

  private requireFile(uri: vscode.Uri): ProposalFile {
    const file = this.files.get(uri.toString());
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {}

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }
}

function isProposal({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === PROPOSAL_SCHEME;
}

/** The settings that decide how the editor reads a file, in any language that it may detect. */
function collectEncodingSettings(uri: vscode.Uri): Encodings {
  return {
    settings: listSettingValues<string>("encoding", uri),
    guesses: listSettingValues<boolean>("autoGuessEncoding", uri).includes(true),
  };
}

function listSettingValues<T>(name: string, uri: vscode.Uri): readonly T[] {
  const files = vscode.workspace.getConfiguration("files", uri);
  const languages = files.inspect<T>(name)?.languageIds ?? [];
  const ofLanguages = languages.map((languageId) => vscode.workspace.getConfiguration("files", { uri, languageId }));
  return [files, ...ofLanguages].flatMap((settings) => settings.get<T>(name) ?? []);
}
