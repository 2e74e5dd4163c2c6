import { cutText, escapeForApproval } from "../core/base/text.ts";
import { pushCommit } from "../node/git/push.ts";
import { fail } from "../texts/display-text.ts";
import { t } from "../texts/language.ts";
import type { CodeHost, PullRequest } from "./code-host.ts";
import {
  findFetchedCommit,
  isBranchName,
  isNextCommit,
  type LocalRepository,
  listOutgoing,
  nameBranch,
  type Outgoing,
} from "./local-repository.ts";
import { getRepositoryAddress, type NamedRemote, type RemoteRepository } from "./remotes.ts";
import { nameRequest } from "./servers.ts";

/** The places of a pull request: the branch that it's for, and the repository that gets the branch with the changes. */
export interface PullRequestPlaces {
  readonly target: CodeHost;
  readonly remote: string;
  readonly base: string;
  readonly source: CodeHost;
}

/** Opens a repository with its user's token. */
export type OpenRepository = (repository: RemoteRepository) => Promise<CodeHost>;

/**
 * Chooses the places: the target is the first remote, and the branch goes to the user's own remote if there is one, otherwise to the target.
 * Throws a sentence if the user may push to none of them.
 */
export async function choosePlaces(
  remotes: readonly NamedRemote[],
  open: OpenRepository,
  signal: AbortSignal,
): Promise<PullRequestPlaces> {
  const [first] = remotes;
  if (!first) return fail("codehost.noRemote");
  const onServer = remotes.filter(({ repository }) => repository.server.web === first.repository.server.web);
  const target = await open(first.repository);
  const facts = await target.readFacts(signal);
  const places = { target, remote: first.remote, base: facts.defaultBranch };
  for (const { repository } of onServer.slice(1, MOST_REMOTES)) {
    const source = await open(repository);
    const other = await source.readFacts(signal).catch(() => undefined);
    if (other?.canPush) return { ...places, source };
  }
  if (!facts.canPush) {
    const { owner, name } = first.repository;
    return fail("codehost.noRights", { repository: `${owner}/${name}`, host: getHost(first.repository) });
  }
  return { ...places, source: target };
}

const MOST_REMOTES = 4;

function getHost({ server }: RemoteRepository): string {
  return new URL(server.web).host;
}

/** A branch with changes, before it's sent. */
export interface PullRequestDraft {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
}

/** The draft as it's shown and sent: a pull request that exists keeps its text, and gets a commit without one. */
export function limitDraft(draft: PullRequestDraft, existing: PullRequest | undefined): PullRequestDraft {
  return existing ? { ...draft, body: "" } : draft;
}

/** The message of a draft's commit. */
export function composeDraftMessage({ title, body }: PullRequestDraft): string {
  return `${title}\n\n${body}`.trim();
}

/**
 * Lists what the last commit has that the target doesn't, with `files` that a commit on top of it will have. Throws a sentence if that's
 * nothing.
 */
export async function findOutgoing(
  local: LocalRepository,
  { target, remote, base }: PullRequestPlaces,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Outgoing> {
  const known = await target.findBranch(base, signal);
  const fetched = await findFetchedCommit(local, remote, base);
  // Any repository can name its own commits like fetched ones.
  const isOld = fetched !== undefined && fetched !== known && (await target.hasCommit(fetched, signal));
  const commits = [known, isOld ? fetched : undefined].filter((commit) => commit !== undefined);
  const committed = await listOutgoing(local, local.head, { name: `${remote}/${base}`, commits });
  if (files.length === 0 && committed.count === 0)
    return fail("codehost.nothingToSend", { branch: local.branch ?? "HEAD", base });
  return { ...committed, files: [...new Set([...committed.files, ...files])] };
}

/** Throws a sentence if a branch can't be sent under its name. */
export async function demandBranch(
  local: LocalRepository,
  { target, base, source }: PullRequestPlaces,
  branch: string,
): Promise<void> {
  if (!(await isBranchName(local, branch))) fail("isolation.branch.badName", { branch });
  if (branch === base && source === target)
    fail("codehost.onBase", { branch, ...nameRequest(target.repository.server) });
}

/** The last click's work: sends a commit, then creates the pull request. */
export interface Sending {
  readonly places: PullRequestPlaces;
  readonly draft: PullRequestDraft;
  /** The list that the user has seen; `files` has those of a new commit, too. */
  readonly shown: Outgoing;
  /** The last commit, or a new one on top of it. */
  readonly commit: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Pushes the branch, creates its pull request or finds the one that is there, and names a new branch here, too. Throws a sentence. */
export async function sendPullRequest(local: LocalRepository, sending: Sending): Promise<PullRequest> {
  const { places, draft, commit, signal } = sending;
  const { target, base } = places;
  const { branch, title, body } = draft;
  const source = places.source.repository;
  const isNewBranch = branch !== local.branch;
  await demandShown(local, sending);
  // After an attempt that failed later, the branch is there already.
  if ((await places.source.findBranch(branch, signal)) !== commit)
    await pushBranch(local, { ...sending, source, branch, isNewBranch });
  const sent =
    (await target.findPullRequest(source, branch, signal)) ??
    (await target.createPullRequest({ source, branch, base, title, body }, signal));
  if (isNewBranch) await nameBranch(local, branch, commit);
  return sent;
}

/** Throws a sentence if a commit has more than what was shown. */
async function demandShown(local: LocalRepository, { places, shown, commit }: Sending): Promise<void> {
  const isNew = commit !== local.head;
  const base = { name: `${places.remote}/${places.base}`, commits: [shown.base] };
  const { count, files } = await listOutgoing(local, commit, base);
  const known = new Set(shown.files);
  const isShown = count === shown.count + (isNew ? 1 : 0) && files.every((file) => known.has(file));
  if (!isShown || (isNew && !(await isNextCommit(local, commit, local.head)))) fail("codehost.changedMeanwhile");
}

/** A commit to send to a branch of a server. */
interface BranchPush extends Pick<Sending, "commit" | "token" | "signal"> {
  readonly source: RemoteRepository;
  readonly branch: string;
  readonly isNewBranch: boolean;
}

/** Pushes a commit to a branch, without ever replacing other commits there. Throws a sentence. */
async function pushBranch({ repository }: LocalRepository, push: BranchPush): Promise<void> {
  const { source, branch } = push;
  const user = source.server.kind === "gitlab" ? "oauth2" : "x-access-token";
  const pushed = await pushCommit(repository, { ...push, user, address: `${getRepositoryAddress(source)}.git` });
  if (pushed.ok) return;
  if (/\[rejected\]|stale info|non-fast-forward|fetch first/.test(pushed.why))
    fail("codehost.branchTaken", { repository: `${source.owner}/${source.name}`, branch });
  if (/returned error: 403|permission to .* denied/i.test(pushed.why))
    fail("codehost.noRights", { repository: `${source.owner}/${source.name}`, host: getHost(source) });
  fail("codehost.notPushed", { why: pushed.why });
}

/** Number of commits and files that a question names. */
const MOST_NAMED = 25;

/** All that leaves the machine with the last click, in the user's language. */
export function describeSending(
  { target, base, source }: PullRequestPlaces,
  { branch, title, body }: PullRequestDraft,
  { commits, count, files }: Outgoing,
  hasNewCommit: boolean,
): string {
  const name = ({ repository }: CodeHost): string => `${repository.owner}/${repository.name}`;
  const subjects = [...(hasNewCommit ? [title] : []), ...commits];
  const all = count + (hasNewCommit ? 1 : 0);
  const paragraphs = [
    t("codehost.confirmDirection", { source: `${name(source)} ${branch}`, target: `${name(target)} ${base}` }),
    [t("codehost.sendsCommits", { count: all }), ...listNamed(subjects, all)].join("\n"),
    [t("codehost.sendsFiles", { count: files.length }), ...listNamed(files, files.length)].join("\n"),
    title === "" ? "" : `${t("codehost.sendsText")}\n${title}`,
    body,
  ];
  return escapeForApproval(paragraphs.filter((text) => text !== "").join("\n\n"));
}

function listNamed(names: readonly string[], count: number): readonly string[] {
  const shown = names.slice(0, MOST_NAMED).map((name) => `  ${cutText(name, LONGEST_NAMED)}`);
  const more = count - shown.length;
  return more > 0 ? [...shown, `  ${t("common.andMore", { count: more })}`] : shown;
}

const LONGEST_NAMED = 120;
