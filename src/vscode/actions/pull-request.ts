import * as vscode from "vscode";
import type { CodeHost, PullRequest } from "../../code-host/code-host.ts";
import { addClosedIssue, createPullRequestMessages, type DraftedText, readDraftedText } from "../../code-host/draft.ts";
import { SignedOutError } from "../../code-host/failures.ts";
import type { LocalRepository, Outgoing, UncommittedChanges } from "../../code-host/local-repository.ts";
import {
  choosePlaces,
  composeDraftMessage,
  demandBranch,
  describeSending,
  findOutgoing,
  limitDraft,
  type PullRequestDraft,
  type PullRequestPlaces,
  sendPullRequest,
} from "../../code-host/pull-request.ts";
import { type CodeServer, nameRequest } from "../../code-host/servers.ts";
import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { createUsageEvent } from "../../core/events/run.ts";
import { findRunByArgument, type HostedRun, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { createBranchName } from "../../editor/panel/run-groups.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import { composeCommitMessage } from "../../runs/export/commit-message.ts";
import { getErrorText } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { findUncommitted, type RunReviews } from "../code-host/run-commit.ts";
import type { CodeSessions } from "../code-host/sessions.ts";
import { retrySignedOut } from "../code-host/sign-in-again.ts";
import { showMessage, showProgress } from "../host/notifications.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { findLikelyFolder } from "../workspace/folders.ts";

/** Dependencies of creating pull requests. */
export interface PullRequestDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly reviews: RunReviews;
  readonly codeSessions: CodeSessions;
}

/** A run's changes or the checked-out branch, with the places that they may go to. */
interface Prepared {
  readonly hosted: HostedRun | undefined;
  readonly local: LocalRepository;
  readonly places: PullRequestPlaces;
  /** The commits and files beyond the target, with those of the run that aren't committed yet. */
  readonly outgoing: Outgoing;
  /** Changes of the run for a new commit; undefined if there are none. */
  readonly uncommitted: UncommittedChanges | undefined;
  /** The open pull request of the checked-out branch. */
  readonly existing: PullRequest | undefined;
}

/** Creates a pull request from a run, or from the checked-out branch. Nothing is sent before the user's last click. */
export async function createPullRequest(parts: PullRequestDependencies, given: unknown): Promise<void> {
  const hosted = await findGivenRun(parts, given);
  const prepared = await retrySignedOut((signIn) =>
    showProgress(t("codehost.preparing"), (signal) => prepare(parts, hosted, signIn, signal)),
  );
  const text = await draftText(prepared);
  const branch = await askForBranch(prepared);
  const title = branch === undefined ? undefined : await askForTitle(prepared, branch, text.title);
  if (branch === undefined || title === undefined) return;
  await confirmAndSend(parts, prepared, { branch, title, body: text.body });
}

/** The run of a menu or of the panel; undefined for the palette's action without a run in this window. */
async function findGivenRun({ runs, stored }: PullRequestDependencies, given: unknown): Promise<HostedRun | undefined> {
  if (typeof given === "object" && given !== null && "runId" in given) return stored.open(String(given.runId));
  return findRunByArgument(runs, given) ?? runs.shown;
}

async function prepare(
  { codeSessions, reviews }: PullRequestDependencies,
  hosted: HostedRun | undefined,
  signIn: "ask" | "again",
  signal: AbortSignal,
): Promise<Prepared> {
  const local = await codeSessions.readLocal(hosted?.folder ?? findLikelyFolder(), signal);
  const [first] = local.remotes;
  // Signs in once, so that the other repositories of the server are opened quietly.
  if (first) await codeSessions.findToken(first.repository.server, signIn);
  const open = (repository: CodeHost["repository"]): Promise<CodeHost> => codeSessions.open(repository, "quietly");
  const places = await choosePlaces(local.remotes, open, signal);
  const found = hosted && (await findUncommitted(reviews, hosted, local));
  const uncommitted = found && found.files.length > 0 ? found : undefined;
  const outgoing = await findOutgoing(local, places, found?.files ?? [], signal);
  const { branch } = local;
  const mayExist = branch !== undefined && (branch !== places.base || places.source !== places.target);
  const existing = mayExist ? await places.target.findPullRequest(places.source.repository, branch, signal) : undefined;
  return { hosted, local, places, outgoing, uncommitted, existing };
}

/** Drafts title and text with the run's fast model; without one, or if it fails, they are the task and the summary. */
async function draftText({ hosted, outgoing }: Prepared): Promise<DraftedText> {
  const state = hosted?.run.state;
  const [newest = ""] = outgoing.commits;
  if (!state) return { title: newest.replace(/^\S+ /, ""), body: "" };
  const task = removeMentionedTexts(state.task);
  const { subject, body } = composeCommitMessage(state);
  const plain = addClosedIssue({ title: subject, body }, task);
  const model = hosted.getFastModel?.();
  if (!model) return plain;
  const messages = createPullRequestMessages({ task, summary: body, outgoing });
  const completion = await showProgress(t("codehost.draftingText"), (signal) =>
    model.complete({ messages, isBrief: true }, { signal }),
  ).catch(() => undefined);
  if (completion) await hosted.run.record(createUsageEvent("draft", completion));
  const drafted = completion && readDraftedText(completion.text);
  return drafted ? addClosedIssue(drafted, task) : plain;
}

/** The branch: the checked-out one if it has a pull request or a run left nothing to commit, otherwise a new one. */
async function askForBranch({ hosted, local, places, uncommitted, existing }: Prepared): Promise<string | undefined> {
  const { owner, name } = places.source.repository;
  const isOwn = (!uncommitted || existing) && local.branch !== undefined && local.branch !== places.base;
  const drafted = createBranchName(hosted ? getRunTitle(hosted) : "changes", hosted?.id ?? local.head);
  const answer = await vscode.window.showInputBox({
    title: t("codehost.title"),
    prompt: t("codehost.branchPrompt", { repository: `${owner}/${name}` }),
    value: isOwn ? local.branch : drafted,
    ignoreFocusOut: true,
    validateInput: async (text) =>
      demandBranch(local, places, text.trim()).then(
        () => undefined,
        (error: unknown) => write(getErrorText(error)),
      ),
  });
  return answer?.trim();
}

/** A pull request that exists keeps its title. */
async function askForTitle(
  { local, places, existing }: Prepared,
  branch: string,
  value: string,
): Promise<string | undefined> {
  if (existing && local.branch === branch) return value;
  const { owner, name, server } = places.target.repository;
  const answer = await vscode.window.showInputBox({
    title: t("codehost.title"),
    prompt: t("codehost.titlePrompt", {
      base: places.base,
      repository: `${owner}/${name}`,
      ...nameRequest(server),
    }),
    value: formatDisplayLine(value),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("codehost.emptyTitle") : undefined),
  });
  return answer?.trim();
}

/** Shows all that leaves until the user sends it or cancels. After an error, the draft is still there. */
async function confirmAndSend(
  parts: PullRequestDependencies,
  prepared: Prepared,
  first: PullRequestDraft,
): Promise<void> {
  const { owner, name, server } = prepared.places.target.repository;
  const commits = new Map<string, string>();
  for (let draft = first; ; ) {
    const repository = `${owner}/${name}`;
    const existing = prepared.local.branch === draft.branch ? prepared.existing : undefined;
    const shown = limitDraft(draft, existing);
    const detail = describeSending(prepared.places, shown, prepared.outgoing, prepared.uncommitted !== undefined);
    const question = existing
      ? t("codehost.confirmPush", { repository, ...nameRequest(server, existing.number) })
      : t("codehost.confirm", { repository, ...nameRequest(server) });
    const edit = t("codehost.editTextButton");
    const buttons = existing ? [t("codehost.pushNowButton")] : [t("codehost.createButton"), edit];
    const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, ...buttons);
    if (answer === undefined) return;
    if (answer === edit) {
      draft = { ...draft, body: await editText(draft.body) };
      continue;
    }
    try {
      const created = await showProgress(t("codehost.sending"), (signal) =>
        send(parts, prepared, shown, commits, signal),
      );
      return void announcePullRequest(created, server);
    } catch (error) {
      const next = await recover(parts, prepared, draft, error);
      if (!next) return;
      draft = next;
    }
  }
}

/** Asks what to do after an error: sign in again, choose another branch, or nothing. */
async function recover(
  { codeSessions }: PullRequestDependencies,
  prepared: Prepared,
  draft: PullRequestDraft,
  error: unknown,
): Promise<PullRequestDraft | undefined> {
  if (error instanceof vscode.CancellationError) return draft;
  const again = error instanceof SignedOutError ? t("codehost.signInButton") : t("codehost.tryAgainButton");
  if ((await showMessage("error", getErrorText(error), again)) !== again) return undefined;
  if (error instanceof SignedOutError) {
    await codeSessions.findToken(prepared.places.target.repository.server, "again");
    return draft;
  }
  const branch = await askForBranch(prepared);
  return branch === undefined ? undefined : { ...draft, branch };
}

/** Commits what isn't committed yet, pushes the branch and creates the pull request. */
async function send(
  { codeSessions }: PullRequestDependencies,
  { local, places, outgoing, uncommitted }: Prepared,
  draft: PullRequestDraft,
  commits: Map<string, string>,
  signal: AbortSignal,
): Promise<PullRequest> {
  const { branch } = draft;
  const message = composeDraftMessage(draft);
  const key = `${branch}\n${message}`;
  const commit = commits.get(key) ?? (await uncommitted?.commit(branch, message)) ?? local.head;
  commits.set(key, commit);
  const open = (repository: CodeHost["repository"]): Promise<CodeHost> => codeSessions.open(repository, "quietly");
  const target = await open(places.target.repository);
  const source = places.source === places.target ? target : await open(places.source.repository);
  const token = await codeSessions.findToken(source.repository.server, "quietly");
  const sent = { ...places, target, source };
  return sendPullRequest(local, { places: sent, draft, shown: outgoing, commit, token, signal });
}

/** Lets the user edit a text in an untitled document. Its text counts, saved or not. */
async function editText(content: string): Promise<string> {
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
  await vscode.window.showTextDocument(document);
  const go = t("codehost.continueButton");
  await vscode.window.showWarningMessage(t("codehost.editing"), go);
  return document.isClosed ? content : document.getText();
}

function announcePullRequest({ number, title, address }: PullRequest, server: CodeServer): void {
  const [open, copy] = [t("codehost.openButton"), t("codehost.copyLinkButton")];
  const text = formatDisplayLine(t("codehost.created", { title, ...nameRequest(server, number) }));
  void vscode.window.showInformationMessage(text, open, copy).then(async (answer) => {
    if (answer === open) await vscode.env.openExternal(vscode.Uri.parse(address, true));
    if (answer === copy) await vscode.env.clipboard.writeText(address);
  });
}
