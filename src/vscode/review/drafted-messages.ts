import * as vscode from "vscode";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { formatTotalCost } from "../../editor/panel/run-status.ts";
import { fillBox, MessageBox } from "../../editor/review/message-box.ts";
import { describeHidden } from "../../runtime/review/change-text.ts";
import {
  type DraftedMessage,
  draftMessage,
  type MessageLengths,
  type MessageMaterial,
  readMessageMaterial,
} from "../../runtime/review/draft-message.ts";
import { t, write } from "../../texts/language.ts";
import { readSettings } from "../host/settings.ts";
import { chooseRepository, type EditorRepository, openGitApi } from "../workspace/git-api.ts";
import { createTaskModel, type ReviewerDependencies } from "./reviewer.ts";

/** Drafts commit messages into the boxes of Source Control, one per repository at a time. Nothing is committed. */
export class DraftedMessages {
  private readonly dependencies: ReviewerDependencies;
  /** Drafts in progress, by the repository's address. */
  private readonly running = new Map<string, AbortController>();
  /** The last draft of a repository, which may be replaced without a question. */
  private readonly last = new Map<string, string>();

  constructor(dependencies: ReviewerDependencies) {
    this.dependencies = dependencies;
  }

  /** Drafts the message of a repository; if that is in progress, does nothing. Throws a sentence. */
  async draft(given: unknown): Promise<void> {
    const repository = await chooseRepository(await openGitApi(), given);
    const root = repository.rootUri.toString();
    if (this.running.has(root)) return;
    const stopping = new AbortController();
    this.running.set(root, stopping);
    this.showRunning();
    const options = { location: vscode.ProgressLocation.SourceControl, title: t("scm.drafting") };
    try {
      await vscode.window.withProgress(options, () => this.draftInto(repository, stopping));
    } finally {
      this.running.delete(root);
      this.showRunning();
    }
  }

  /** Stops the drafts in progress. */
  stop(): void {
    for (const stopping of this.running.values()) stopping.abort(new vscode.CancellationError());
  }

  private showRunning(): void {
    void vscode.commands.executeCommand("setContext", "autogpt.draftingMessage", this.running.size > 0);
  }

  private async draftInto({ inputBox, rootUri }: EditorRepository, stopping: AbortController): Promise<void> {
    const { signal } = stopping;
    const settings = readSettings(rootUri);
    const box = new MessageBox(inputBox);
    const [material, { fast }, redact] = await Promise.all([
      readMessageMaterial(rootUri.fsPath, shouldIncludeUntracked(rootUri), signal),
      this.dependencies.desk.createModelPair(settings),
      this.dependencies.createRedactor(),
    ]);
    const begun = this.findUsersText(rootUri, inputBox.value, material);
    if (begun !== "") await confirmReplacement();
    const { model, getTotals } = createTaskModel(this.dependencies, fast, "message", rootUri);
    const request = { material, model, lengths: readLengths(rootUri) };
    const drafted = await fillBox(box, signal, (drafting, show) =>
      draftMessage({ ...request, ...{ begun, redact, show }, signal: drafting }),
    );
    if (!drafted) return void vscode.window.setStatusBarMessage(t("scm.typedMeanwhile"), SHOWN_MS);
    this.last.set(rootUri.toString(), drafted.text);
    reportDraft(drafted, material, { model: fast.name, cost: formatTotalCost(getTotals()) });
  }

  /** The text of the box, unless it's empty, prepared by git, or a draft. */
  private findUsersText(root: vscode.Uri, text: string, { template, prepared }: MessageMaterial): string {
    const known = [template, prepared, this.last.get(root.toString()) ?? ""].map((one) => one.trim());
    const own = text.trim();
    return known.includes(own) ? "" : own;
  }
}

const SHOWN_MS = 10_000;

async function confirmReplacement(): Promise<void> {
  const replace = t("scm.replaceButton");
  const detail = t("scm.replaceDetail");
  const answer = await vscode.window.showWarningMessage(t("scm.replace"), { modal: true, detail }, replace);
  if (answer !== replace) throw new vscode.CancellationError();
}

function reportDraft(
  { leftOut }: DraftedMessage,
  { changes }: MessageMaterial,
  { model, cost }: { readonly model: string; readonly cost: string },
): void {
  void vscode.window.setStatusBarMessage(t("scm.drafted", { model: formatDisplayLine(model), cost }), SHOWN_MS);
  const tooLong = leftOut.map((change) => ({ ...change, hidden: "large" as const }));
  const hidden = [...changes.filter((change) => change.hidden !== undefined), ...tooLong];
  const notes = describeHidden(hidden, ["large", "secret", "conflict"]);
  if (notes.length > 0) void vscode.window.showInformationMessage(formatDisplayLine(notes.map(write).join(" ")));
}

/** The lengths that VS Code's git extension warns of. */
function readLengths(root: vscode.Uri): MessageLengths {
  const git = vscode.workspace.getConfiguration("git", root);
  const line = git.get<number>("inputValidationLength", 72);
  return { line, subject: git.get<number | null>("inputValidationSubjectLength", null) ?? line };
}

/** Whether a commit of all changes has files that git doesn't know yet. */
function shouldIncludeUntracked(root: vscode.Uri): boolean {
  const git = vscode.workspace.getConfiguration("git", root);
  return git.get("smartCommitChanges") !== "tracked" && git.get("untrackedChanges") !== "hidden";
}
