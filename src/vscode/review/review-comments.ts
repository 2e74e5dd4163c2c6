import * as vscode from "vscode";
import { escapeAsMarkdown } from "../../editor/chat/chat-parts.ts";
import { formatDisplayLine, pickLine } from "../../editor/panel/notification-text.ts";
import { formatTotalCost } from "../../editor/panel/run-status.ts";
import { listFilesChangedSince, listLastCommits, listOtherBranches } from "../../runtime/review/change-choices.ts";
import {
  type ChangeTarget,
  loadChanges,
  openReadRepository,
  REVIEW_LIMITS,
  type ReadRepository,
} from "../../runtime/review/change-set.ts";
import { describeFix, summarizeFindings } from "../../runtime/review/finding-text.ts";
import { type ReviewReport, reviewChanges } from "../../runtime/review/review-changes.ts";
import type { Finding } from "../../schema/review-page.ts";
import type { Source } from "../../schema/run-values.ts";
import { displayText, fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { showProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { chooseRepository, openGitApi } from "../workspace/git-api.ts";
import { createTaskModel, type ReviewerDependencies } from "./reviewer.ts";

/** A run that fixes a finding. */
interface FixRequest {
  readonly task: string;
  readonly folder?: vscode.Uri;
  readonly sources: readonly Source[];
}

/** Reviews changes, and shows what is found as comments on the lines. Nothing is written. */
export class ReviewComments {
  private readonly dependencies: ReviewerDependencies;
  private controller: vscode.CommentController | undefined;
  private readonly findings = new Map<vscode.CommentThread, Finding>();

  constructor(dependencies: ReviewerDependencies) {
    this.dependencies = dependencies;
  }

  /** Asks for changes and reviews them. Throws a sentence. */
  async review(given: unknown): Promise<void> {
    const api = await openGitApi();
    const { rootUri } = await chooseRepository(api, given);
    const { signal: patient } = new AbortController();
    const repository = await openReadRepository(rootUri.fsPath, patient);
    const target = readTarget(given) ?? (await askForTarget(repository));
    const settings = readSettings(rootUri);
    const [{ smart }, redact] = await Promise.all([
      this.dependencies.desk.createModelPair(settings),
      this.dependencies.createRedactor(),
    ]);
    const report = await showProgress(t("scm.reviewing"), async (signal, tell) => {
      const changes = await loadChanges(await openReadRepository(rootUri.fsPath, signal), target, REVIEW_LIMITS);
      if (changes.length === 0) fail("scm.nothingToReview");
      if (!changes.some(({ hunks }) => hunks.length > 0)) fail("scm.nothingReadable");
      return reviewChanges({
        ...{ changes, paid: createTaskModel(this.dependencies, smart, "review", rootUri), signal, redact },
        reportProgress: (done, all) => tell(displayText("scm.reviewedParts", { done, all })),
      });
    });
    const { name } = target.kind === "commit" ? target : { name: "" };
    const since = name === "" ? new Set() : await listFilesChangedSince(repository, name);
    this.clear();
    for (const finding of report.findings) {
      const uri = vscode.Uri.joinPath(rootUri, finding.file);
      this.add(since.has(finding.file) ? api.toGitUri(uri, name) : uri, finding);
    }
    this.showCount();
    await this.announce(report);
  }

  /** The run that fixes the finding of a thread; undefined if it's gone. */
  createFix(given: unknown): FixRequest | undefined {
    const thread = this.findThread(given);
    const finding = thread && this.findings.get(thread);
    if (!thread || !finding) return undefined;
    const file = thread.uri.with({ scheme: "file", query: "" });
    const folder = vscode.workspace.getWorkspaceFolder(file)?.uri;
    const task = describeFix(finding, vscode.workspace.asRelativePath(file));
    return { task, sources: [FROM_REVIEW], ...(folder ? { folder } : {}) };
  }

  dismiss(given: unknown): void {
    const thread = this.findThread(given);
    if (thread) this.findings.delete(thread);
    thread?.dispose();
    this.showCount();
  }

  clear(): void {
    for (const thread of this.findings.keys()) thread.dispose();
    this.findings.clear();
    this.showCount();
  }

  private findThread(given: unknown): vscode.CommentThread | undefined {
    return [...this.findings.keys()].find((thread) => thread === given);
  }

  private add(uri: vscode.Uri, finding: Finding): void {
    this.controller ??= vscode.comments.createCommentController("autogpt.review", t("scm.controller"));
    const { line, endLine, severity, title, reason, suggestion } = finding;
    const range = new vscode.Range(line - 1, 0, endLine - 1, 0);
    const grade = t(`scm.severity.${severity}`);
    const text = [`${grade}: ${title}`, reason, ...(suggestion === undefined ? [] : [suggestion])].join("\n\n");
    // Its words come from a model that has read others' texts, so none of them is a link, a picture or a command.
    const body = new vscode.MarkdownString(escapeAsMarkdown(text));
    const comment = { author: { name: "AutoGPT" }, body, mode: vscode.CommentMode.Preview };
    const thread = this.controller.createCommentThread(uri, range, [comment]);
    thread.canReply = false;
    thread.label = formatDisplayLine(`${grade}: ${title}`);
    thread.contextValue = "finding";
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.findings.set(thread, finding);
  }

  private showCount(): void {
    void vscode.commands.executeCommand("setContext", "autogpt.hasFindings", this.findings.size > 0);
  }

  private async announce({ findings, files, totals, notes }: ReviewReport): Promise<void> {
    const [show, clear] = [t("scm.showFindingsButton"), t("scm.clearFindingsButton")];
    const summary = write(summarizeFindings(findings, files));
    const cost = t("scm.cost", { cost: formatTotalCost(totals) });
    const text = formatDisplayLine([summary, ...notes.map(write), cost].join(" "));
    const buttons = findings.length > 0 ? [show, clear] : [];
    const answer = await vscode.window.showInformationMessage(text, ...buttons);
    if (answer === show) await vscode.commands.executeCommand("workbench.action.focusCommentsPanel");
    if (answer === clear) this.clear();
  }
}

/** Changes can steer what a model says about them, so a task made of it isn't the user's own word. */
const FROM_REVIEW: Source = { kind: "tool", name: "#review" };

/** The changes that a caller names, as in a key binding: `{ "base": "main" }`, `{ "commit": "HEAD" }` or `{ "uncommitted": true }`. */
function readTarget(given: unknown): ChangeTarget | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  if ("base" in given && typeof given.base === "string") return { kind: "branch", name: given.base };
  if ("commit" in given && typeof given.commit === "string") return { kind: "commit", name: given.commit };
  return "uncommitted" in given && given.uncommitted === true ? { kind: "uncommitted" } : undefined;
}

async function askForTarget(repository: ReadRepository): Promise<ChangeTarget> {
  const items = [
    { label: t("scm.target.uncommitted"), choose: async () => ({ kind: "uncommitted" }) as const },
    { label: t("scm.target.branch"), choose: () => askForBranch(repository) },
    { label: t("scm.target.commit"), choose: () => askForCommit(repository) },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: t("scm.review"),
    placeHolder: t("scm.whichChanges"),
  });
  const target = await picked?.choose();
  if (!target) throw new vscode.CancellationError();
  return target;
}

async function askForBranch(repository: ReadRepository): Promise<ChangeTarget | undefined> {
  const items = (await listOtherBranches(repository)).map((name) => ({ label: pickLine(name), name }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("scm.review"),
    placeHolder: t("scm.whichBranch"),
  });
  return picked && { kind: "branch", name: picked.name };
}

async function askForCommit(repository: ReadRepository): Promise<ChangeTarget | undefined> {
  const items = (await listLastCommits(repository)).map(({ hash, subject, author, age }) => ({
    label: pickLine(subject),
    description: pickLine(`${hash.slice(0, 8)} · ${author} · ${age}`),
    hash,
  }));
  const options = { title: t("scm.review"), placeHolder: t("scm.whichCommit"), matchOnDescription: true };
  const picked = await vscode.window.showQuickPick(items, options);
  return picked && { kind: "commit", name: picked.hash };
}
