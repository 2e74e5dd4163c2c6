import { dirname } from "node:path";
import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { collectShellLines, type IsolatedReviews } from "../../editor/panel/isolated-reviews.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { acceptChoices, createReviewRows } from "../../editor/panel/review-rows.ts";
import { createBranchName } from "../../editor/panel/run-groups.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import type { Review, ReviewedChange } from "../../isolation/review/review.ts";
import { listChangedSince, listChangesWithTexts, readChangeTexts } from "../../isolation/review/review.ts";
import { readVersion } from "../../isolation/review/versions.ts";
import { resolveRealPath } from "../../node/files/real-path.ts";
import { diskPaths, resolveAbsolutePath, resolveRoots } from "../../node/files/roots.ts";
import { decodeText } from "../../node/files/text-encoding.ts";
import { composeCommitMessage } from "../../runs/export/commit-message.ts";
import { readLog } from "../../runs/log/read-log.ts";
import { closeCopyWindow } from "../../runtime/isolated/copy-window.ts";
import type { IsolatedRun } from "../../runtime/isolated/isolated-run.ts";
import type { ReviewPage } from "../../schema/review-page.ts";
import { DisplayError, displayText, fail, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { ReviewBranch } from "../code-host/run-commit.ts";
import { showProgress } from "../host/notifications.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { pickChange } from "./before-documents.ts";
import type { DiffReview } from "./diff-review.ts";
import { createChangeRequest } from "./offered-change.ts";
import { RESULT_SCHEME } from "./proposal-uri.ts";

/** Dependencies of the reviews in the editor. */
interface ReviewDependencies {
  readonly stored: Pick<StoredRuns, "open">;
  readonly diff: DiffReview;
  /** Announces that the text of a result has changed. */
  readonly resultChanged: vscode.EventEmitter<vscode.Uri>;
}

/** A review as it was last shown. */
interface ShownReview {
  readonly review: Review;
  readonly version: string;
}

/**
 * Reviews of isolated runs in the editor. Files of a copy are never opened by path, because extensions and the editor's git would run its
 * contents; our own documents show their texts.
 */
export class EditorReviews implements IsolatedReviews, vscode.Disposable {
  private readonly parts: ReviewDependencies;
  private readonly shown = new Map<string, ShownReview>();
  private readonly changes = new vscode.EventEmitter<string>();
  private readonly firstPages = new Map<string, Promise<unknown>>();
  /** Labels of the files whose diffs the user has edited, by run, as JSON. */
  private readonly edited = new Map<string, string>();
  private readonly disposables: readonly { dispose(): unknown }[];

  constructor(parts: ReviewDependencies) {
    this.parts = parts;
    this.disposables = [this.changes, parts.diff.onDidChange(() => this.announceChangedEdits())];
  }

  async buildPage(hosted: HostedRun): Promise<ReviewPage> {
    const isolated = requireIsolation(hosted);
    const review = await isolated.review(AbortSignal.timeout(COMPARE_MS));
    const before = this.shown.get(hosted.id);
    for (const label of before ? listChangedSince(before.review, review) : [])
      await this.withdrawUnedited(hosted.id, label);
    const { version, rows, count } = createReviewRows(review, this.collectEdits(hosted.id, review));
    this.shown.set(hosted.id, { review, version });
    if (before && before.version !== version) this.refreshResults(hosted.id);
    const { events } = await readLog(hosted.home);
    const undoable = await isolated.canWithdraw();
    return {
      version,
      rows: [...rows],
      count,
      notes: [...review.parts.copy.notes],
      ...collectShellLines(events),
      ...omitUndefined({ undoable: undoable || undefined }),
    };
  }

  async accept(hosted: HostedRun, version: string, files: readonly string[], side?: "mine" | "run"): Promise<void> {
    const shown = this.shown.get(hosted.id);
    if (shown?.version !== version) {
      this.changes.fire(hosted.id);
      fail("isolation.outdated");
    }
    const { review } = shown;
    const choices = acceptChoices(review, files, this.collectEdits(hosted.id, review), side);
    const done = await requireIsolation(hosted).accept(review, choices);
    for (const label of done.files) await this.parts.diff.withdraw(formatDiffPlace(hosted.id, label), 0);
    if (done.conflicts.length === 0) return;
    if (done.files.length === 0) this.changes.fire(hosted.id);
    const left = done.conflicts.map(({ label, why }) => t("isolation.leftOut", { file: label, why }));
    void vscode.window.showWarningMessage(formatDisplayLine(left.join(" ")));
  }

  async showChange(hosted: HostedRun, file: string): Promise<Sentence | undefined> {
    const { review } = await this.loadCurrentReview(hosted);
    const change = review.changes.find(({ label }) => label === file);
    if (!change) fail("isolation.outdated");
    const { mine, result } = await readChangeTexts(review, change);
    if (result === undefined && mine === undefined) return change.why ?? displayText("isolation.noText", { file });
    if (result === undefined || change.result === "refused") {
      await this.compare(hosted, change);
      return undefined;
    }
    const place = formatDiffPlace(hosted.id, file);
    const offered = {
      file,
      target: change.path,
      ...omitUndefined({ before: mine }),
      after: result,
    };
    await this.parts.diff.offer(place, createChangeRequest(0, offered), {
      auto: false,
      title: t("isolation.diffTitle", { file }),
    });
    await this.parts.diff.reveal(place, 0);
    return undefined;
  }

  async showAll(hosted: HostedRun): Promise<void> {
    await this.buildPage(hosted);
    this.changes.fire(hosted.id);
    const { review, version } = await this.loadCurrentReview(hosted);
    const texts = (await listChangesWithTexts(review)).map(({ change, sides }) => {
      const left = sides.includes("mine") ? convertPathToUri(change.path) : undefined;
      const right = sides.includes("result") ? createResultUri(hosted.id, version, change) : undefined;
      return [convertPathToUri(change.path), left, right] as const;
    });
    if (texts.length === 0) fail("review.nothingToReview");
    const title = t("isolation.allTitle");
    try {
      await vscode.commands.executeCommand("vscode.changes", title, texts);
    } catch {
      // An editor without that command compares one file at a time.
      await pickChange(title, texts);
    }
  }

  async showFile(hosted: HostedRun, label: string, line = 0): Promise<void> {
    const { path } = await locateCopiedFile(hosted, label);
    const query = JSON.stringify({ run: hosted.id, copied: label } satisfies ShownText);
    const uri = vscode.Uri.from({ scheme: RESULT_SCHEME, path: convertPathToUri(path).path, query });
    const at = line > 0 ? { selection: new vscode.Range(line - 1, 0, line - 1, 0) } : {};
    await vscode.window.showTextDocument(uri, { preview: true, ...at });
  }

  async keepAsBranch(hosted: HostedRun): Promise<void> {
    const { review } = await this.loadCurrentReview(hosted);
    const { subject, body } = composeCommitMessage(hosted.run.state);
    const name = await vscode.window.showInputBox({
      title: t("isolation.branchTitle"),
      prompt: t("isolation.branchPrompt"),
      value: createBranchName(getRunTitle(hosted), hosted.id),
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" ? t("isolation.noBranchName") : undefined),
    });
    if (name === undefined) return;
    const message = await vscode.window.showInputBox({
      title: t("isolation.branchTitle"),
      prompt: t("isolation.messagePrompt"),
      value: subject,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" ? t("review.noCommitMessage") : undefined),
    });
    if (message === undefined) return;
    const whole = body === "" ? message : `${message}\n\n${body}`;
    await this.commitToBranch(hosted, review, { name: name.trim(), message: whole });
    void vscode.window.showInformationMessage(t("isolation.branchMade", { name: formatDisplayLine(name.trim()) }));
  }

  async loadReview(hosted: HostedRun): Promise<Review> {
    return (await this.loadCurrentReview(hosted)).review;
  }

  async commitToBranch(hosted: HostedRun, review: Review, branch: ReviewBranch): Promise<void> {
    await requireIsolation(hosted).keepAsBranch(review, { ...branch, signal: AbortSignal.timeout(COMPARE_MS) });
  }

  async discard(hosted: HostedRun): Promise<void> {
    const isolated = requireIsolation(hosted);
    const discard = t("isolation.discardButton");
    const answer = await vscode.window.showWarningMessage(
      t("isolation.discardQuestion"),
      { modal: true, detail: t("isolation.discardDetail") },
      discard,
    );
    if (answer !== discard) return;
    if (hosted.live?.running) await hosted.live.stop();
    await closeCopyWindow(dirname(isolated.copy.home), hosted.id);
    await isolated.discard(AbortSignal.timeout(COMPARE_MS));
    const { review } = this.shown.get(hosted.id) ?? {};
    for (const { label } of review?.changes ?? []) await this.parts.diff.withdraw(formatDiffPlace(hosted.id, label), 0);
    this.shown.delete(hosted.id);
  }

  async withdraw(hosted: HostedRun): Promise<void> {
    const isolated = requireIsolation(hosted);
    const undone = await showProgress(t("isolation.undoing"), () => isolated.withdraw());
    const files = [...new Set(undone.steps.flatMap((step) => step.files))];
    const kept = undone.conflicts.map(({ file, why }) => t("isolation.leftOut", { file, why }));
    const text = files.length === 0 ? "" : t("actions.undo.undone", { count: files.length });
    const message = formatDisplayLine([text, ...kept].filter((part) => part !== "").join(" "));
    if (kept.length > 0) void vscode.window.showWarningMessage(message);
    else void vscode.window.showInformationMessage(message);
  }

  onChange(listener: (run: string) => void): vscode.Disposable {
    return this.changes.event(listener);
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** Closes the diff of a file that has changed since. A text edited by the user stays, and would be accepted. */
  private async withdrawUnedited(run: string, label: string): Promise<void> {
    const place = formatDiffPlace(run, label);
    if (this.parts.diff.findAcceptedText(place, 0) === undefined) await this.parts.diff.withdraw(place, 0);
  }

  /** Updates the texts in open editors to the last comparison. */
  private refreshResults(run: string): void {
    for (const { uri } of vscode.workspace.textDocuments)
      if (uri.scheme === RESULT_SCHEME && (JSON.parse(uri.query) as ShownText).run === run)
        this.parts.resultChanged.fire(uri);
  }

  /** The review in the panel. Without one, compares the copy now, once for all concurrent callers. */
  private async loadCurrentReview(hosted: HostedRun): Promise<ShownReview> {
    const { id } = hosted;
    if (!this.shown.has(id)) {
      const first = this.firstPages.get(id) ?? this.buildPage(hosted).finally(() => this.firstPages.delete(id));
      this.firstPages.set(id, first);
      await first;
    }
    const shown = this.shown.get(id);
    if (!shown) fail("isolation.outdated");
    return shown;
  }

  /** Shows a read-only diff for a file that is deleted or never accepted. */
  private async compare(hosted: HostedRun, change: ReviewedChange): Promise<void> {
    const { version } = await this.loadCurrentReview(hosted);
    const left = convertPathToUri(change.path);
    const right = createResultUri(hosted.id, version, change);
    await vscode.commands.executeCommand("vscode.diff", left, right, t("isolation.diffTitle", { file: change.label }));
  }

  /** The text of a copied file, or of a change's result. The run needn't be open, because such editors are restored with the window. */
  async loadText({ query }: vscode.Uri): Promise<string> {
    const { run, label, copied } = JSON.parse(query) as ShownText;
    const hosted = await this.parts.stored.open(run);
    if (copied !== undefined) return (await locateCopiedFile(hosted, copied)).readText();
    const { review } = await this.loadCurrentReview(hosted);
    const change = review.changes.find((one) => one.label === label);
    if (!change) fail("isolation.outdated");
    return (await readChangeTexts(review, change)).result ?? "";
  }

  /** The user's edited texts in a review's diffs, by label. */
  private collectEdits(run: string, { changes }: Review): ReadonlyMap<string, string> {
    return new Map(
      changes.flatMap(({ label }) => {
        const text = this.parts.diff.findAcceptedText(formatDiffPlace(run, label), 0);
        return text === undefined ? [] : [[label, text] as const];
      }),
    );
  }

  private announceChangedEdits(): void {
    for (const [run, { review }] of this.shown) {
      const now = JSON.stringify([...this.collectEdits(run, review).keys()]);
      if (now === (this.edited.get(run) ?? "[]")) continue;
      this.edited.set(run, now);
      this.changes.fire(run);
    }
  }
}

/** Query of a document's URI, which identifies a change's result or a copied file. */
interface ShownText {
  readonly run: string;
  readonly version?: string;
  readonly label?: string;
  readonly copied?: string;
}

/** Locates a copied file by the run's name for it, without following links out of the copy. */
async function locateCopiedFile(
  hosted: HostedRun,
  label: string,
): Promise<{ readonly path: string; readText(): Promise<string> }> {
  const { folders } = requireIsolation(hosted).copy;
  const roots = await resolveRoots(folders.map(({ name, path }) => ({ name, path })));
  const path = await resolveAbsolutePath(label, roots, "existing", diskPaths);
  const folder = folders.find((one) => isAtOrBelow(path, one.path));
  if (!folder) fail("trouble.notInWorkspace", { file: label });
  return {
    path: `${folder.origin}${path.slice(folder.path.length)}`,
    readText: async () => {
      const real = await resolveRealPath(path);
      if (!isAtOrBelow(real, folder.path)) fail("trouble.notInWorkspace", { file: label });
      const { content } = await readVersion(real);
      return (content && (await decodeText(content))?.text) ?? t("isolation.noText", { file: label });
    },
  };
}

/** A comparison that takes longer has failed. */
const COMPARE_MS = 120_000;

function requireIsolation({ isolation, readOnly }: HostedRun): IsolatedRun {
  if (!isolation) throw new DisplayError(readOnly ?? displayText("isolation.notIsolated"));
  return isolation;
}

/** Identifies a file's diff. A hash, because names may contain any characters. */
function formatDiffPlace(run: string, label: string): string {
  return `${run}/review/${sha256(label).slice(0, 12)}`;
}

/** Uses the workspace's path, so that language and icon match. */
function createResultUri(run: string, version: string, { label, path }: ReviewedChange): vscode.Uri {
  const query = JSON.stringify({ run, version, label } satisfies ShownText);
  return vscode.Uri.from({ scheme: RESULT_SCHEME, path: convertPathToUri(path).path, query });
}
