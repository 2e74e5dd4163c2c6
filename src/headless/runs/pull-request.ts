import { relative } from "node:path";
import type { PullRequest } from "../../code-host/code-host.ts";
import { addClosedIssue } from "../../code-host/draft.ts";
import {
  findBranchCommit,
  findChangedFiles,
  type LocalRepository,
  readLocalRepository,
  type UncommittedChanges,
} from "../../code-host/local-repository.ts";
import {
  choosePlaces,
  composeDraftMessage,
  demandBranch,
  describeSending,
  findOutgoing,
  sendPullRequest,
} from "../../code-host/pull-request.ts";
import { type CodeServer, findTokenInEnvironment, getTokenVariable, nameRequest } from "../../code-host/servers.ts";
import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { convertToSlug } from "../../core/prompt/profile.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { composeCommitMessage } from "../../runs/export/commit-message.ts";
import { openRun } from "../../runtime/compose-run.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import { DisplayError, displayText, fail, writeInEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { checkShown } from "./isolated-commands.ts";
import { listServers, openRepository } from "./issues.ts";

/** Choices of `runs pr`. */
export interface PullRequestOptions {
  readonly branch: string | undefined;
  /** Send it without asking. */
  readonly isAgreed: boolean;
}

/** `autogpt runs pr ID`: shows all that a pull request of a run's changes would send, asks, then pushes and creates it. */
export async function createRunPullRequest(
  session: Session,
  id: string,
  options: PullRequestOptions,
): Promise<ProgramEnd> {
  return (await proposeRunChanges(session, id, options)) ? { kind: "done" } : { kind: "problem" };
}

/** Creates the pull request of a run's changes; undefined if the person doesn't agree. Throws a sentence. */
export async function proposeRunChanges(
  session: Session,
  id: string,
  { branch: wanted, isAgreed }: PullRequestOptions,
): Promise<PullRequest | undefined> {
  const { host, workspace, options, out, around } = session;
  const { signal } = around;
  const composed = await openRun(host, await host.store.open(id));
  try {
    const { state } = composed.run;
    const local = await readLocalRepository(workspace, listServers(session), signal);
    const [first] = local.remotes;
    const { server } = first?.repository ?? fail("codehost.noRemote");
    const token = findTokenInEnvironment(server, options.env);
    if (token === undefined)
      throw new UsageError(`Put your token for ${new URL(server.web).host} into ${getTokenVariable(server)}.`);
    const places = await choosePlaces(local.remotes, (one) => openRepository(session, one), signal);
    const found = await findRunChanges(composed, local, signal);
    const outgoing = await findOutgoing(local, places, found.files, signal);
    const branch = wanted ?? `autogpt/${convertToSlug(state.profile.name, "run")}-${id.slice(-RANDOM_LENGTH)}`;
    await demandBranch(local, places, branch);
    const { subject, body: summary } = composeCommitMessage(state);
    const text = addClosedIssue({ title: subject, body: summary }, removeMentionedTexts(state.task));
    const draft = { branch, ...text };
    out.writeLine(describeSending(places, draft, outgoing, found.files.length > 0));
    if (!isAgreed && !(await isConfirmed(session, server))) return undefined;
    const commit = found.files.length > 0 ? await found.commit(branch, composeDraftMessage(draft)) : local.head;
    const created = await sendPullRequest(local, { places, draft, shown: outgoing, commit, token, signal });
    out.writeLine(escapeInvisible(created.address));
    return created;
  } finally {
    await composed.dispose();
  }
}

/** The number of random characters at the end of a run's id. */
const RANDOM_LENGTH = 4;

async function isConfirmed({ lines, out, around }: Session, server: CodeServer): Promise<boolean> {
  const request = writeInEnglish(nameRequest(server).request);
  const answer = await lines?.ask(`Create this ${request}? [y/N]\n> `, around.signal);
  if (/^y(?:es)?$/i.test(answer?.trim() ?? "")) return true;
  out.writeLine(lines ? "Nothing was sent." : "Nothing was sent. To send it, add --yes.");
  return false;
}

/** The changes of an isolated run, which must have been shown as they are now, or the files that the run has changed here. */
async function findRunChanges(
  run: ComposedRun,
  local: LocalRepository,
  signal: AbortSignal,
): Promise<UncommittedChanges> {
  const place = (path: string): string => normalizeSlashes(relative(local.repository.root, path));
  if (run.run.state.isolated) {
    const isolation = requireIsolation(run);
    const review = await isolation.review(signal);
    const changes = review.changes.filter(({ result, path }) => result !== "refused" && !place(path).startsWith("../"));
    const labels = changes.map(({ label }) => label);
    await checkShown(review, new Set(labels), run.id);
    return {
      files: changes.map(({ path }) => place(path)),
      commit: async (name, message) => {
        await isolation.keepAsBranch(review, { name, message, labels, signal });
        return (await findBranchCommit(local, name)) ?? fail("codehost.noGit", { why: name });
      },
    };
  }
  if (!run.undo) throw new DisplayError(run.readOnly ?? displayText("actions.readOnly"));
  const before = await run.undo.listEarlierContents();
  return findChangedFiles(local, run, before);
}

function requireIsolation({ isolation, readOnly }: ComposedRun) {
  if (!isolation) throw new DisplayError(readOnly ?? displayText("isolation.notIsolated"));
  return isolation;
}
