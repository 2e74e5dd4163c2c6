import * as vscode from "vscode";
import type { CodeHost, PullRequest, ReviewThread } from "../../code-host/code-host.ts";
import { composeReviewTask, type DraftedReply, readReplies } from "../../code-host/review-task.ts";
import { nameRequest } from "../../code-host/servers.ts";
import { cutText, escapeForApproval } from "../../core/base/text.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine, pickLine } from "../../editor/panel/notification-text.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { CodeSessions } from "../code-host/sessions.ts";
import { retrySignedOut } from "../code-host/sign-in-again.ts";
import { showError, showProgress } from "../host/notifications.ts";
import type { Starter } from "../host/starter.ts";
import { findLikelyFolder } from "../workspace/folders.ts";

/** Dependencies of answering review comments. */
export interface ReviewCommentDependencies {
  readonly starter: Starter;
  readonly codeSessions: CodeSessions;
}

/** A pull request with its unresolved comments. */
interface FoundThreads {
  readonly host: CodeHost;
  readonly pull: PullRequest;
  readonly threads: readonly ReviewThread[];
}

/** Starts a run that answers review comments of the checked-out branch. Its replies are sent by the user alone, one by one. */
export async function answerReview({ starter, codeSessions }: ReviewCommentDependencies): Promise<void> {
  await starter.demandStart();
  const found = await retrySignedOut((signIn) =>
    showProgress(t("codehost.readingComments"), (signal) => findThreads(codeSessions, signIn, signal)),
  );
  const items = found.threads.map((thread) => ({
    label: pickLine(`${thread.file}${thread.line === undefined ? "" : `:${thread.line}`}`),
    detail: pickLine(thread.comments.map(({ author, body }) => `${author}: ${body}`).join(" · ")),
    picked: true,
    thread,
  }));
  const options = {
    title: t("codehost.answerTitle"),
    placeHolder: t("codehost.whichComments"),
    canPickMany: true,
  } as const;
  const threads = ((await vscode.window.showQuickPick(items, options)) ?? []).map(({ thread }) => thread);
  if (threads.length === 0) return;
  const run = await starter.startTask({ task: composeReviewTask(found.pull, found.host.repository.server, threads) });
  const named = nameRequest(found.host.repository.server, found.pull.number);
  await starter.nameRun(run.id, t("codehost.answerRunTitle", named));
  await vscode.commands.executeCommand("autogpt.panel.focus");
  offerReplies(run, { ...found, threads }).catch(showError);
}

async function findThreads(
  sessions: CodeSessions,
  signIn: "ask" | "again",
  signal: AbortSignal,
): Promise<FoundThreads> {
  const { remotes, branch } = await sessions.readLocal(findLikelyFolder(), signal);
  if (branch === undefined) return fail("codehost.detached");
  const [first] = remotes;
  if (first) await sessions.findToken(first.repository.server, signIn);
  for (const { repository } of remotes) {
    const host = await sessions.open(repository, "quietly");
    for (const { repository: source } of remotes) {
      if (source.server.web !== repository.server.web) continue;
      const pull = await host.findPullRequest(source, branch, signal);
      if (!pull) continue;
      const threads = await host.listReviewThreads(pull.number, signal);
      if (threads.length > 0) return { host, pull, threads };
      return fail("codehost.noThreads", nameRequest(repository.server, pull.number));
    }
  }
  return first
    ? fail("codehost.noPull", { branch, ...nameRequest(first.repository.server) })
    : fail("codehost.noRemote");
}

/** Shows each drafted reply once the run has finished. */
async function offerReplies({ live }: HostedRun, { host, pull, threads }: FoundThreads): Promise<void> {
  const end = await live?.end.catch(() => undefined);
  const replies = end?.reason === "finished" ? readReplies(end.summary, threads) : [];
  if (replies.length === 0) return;
  const show = t("codehost.showRepliesButton");
  const answer = await vscode.window.showInformationMessage(
    t("codehost.repliesDrafted", { count: replies.length }),
    show,
  );
  if (answer !== show) return;
  for (const reply of replies) if (!(await decideReply(host, pull, reply))) return;
}

/** Shows one reply with its comment until it's sent or skipped; false if the user cancels all. */
async function decideReply(host: CodeHost, { number }: PullRequest, { thread, text }: DraftedReply): Promise<boolean> {
  const [send, edit, skip] = [t("codehost.sendReplyButton"), t("codehost.editReplyButton"), t("codehost.skipButton")];
  for (let draft = text; ; ) {
    const comment = thread.comments.map(({ author, body }) => `${author}: ${cutText(body, 400)}`).join("\n");
    const about = t("codehost.commentOn", { file: thread.file });
    const detail = escapeForApproval([t("codehost.yourReply"), draft, "", about, comment].join("\n"));
    const question = t("codehost.sendReply", nameRequest(host.repository.server, number));
    const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, send, edit, skip);
    if (answer === undefined) return false;
    if (answer === skip) return true;
    if (answer === edit) {
      const options = { title: t("codehost.answerTitle"), value: draft, ignoreFocusOut: true };
      draft = (await vscode.window.showInputBox(options))?.trim() || draft;
      continue;
    }
    const { signal } = new AbortController();
    await host.sendReply(number, thread.replyTo, draft, signal);
    void vscode.window.showInformationMessage(formatDisplayLine(t("codehost.replySent", { file: thread.file })));
    return true;
  }
}
