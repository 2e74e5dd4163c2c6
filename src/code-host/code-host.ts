import type { NamedIssue, RemoteRepository } from "./remotes.ts";

/** The rights and branches of a repository, for the user who is signed in. */
export interface RepositoryFacts {
  readonly defaultBranch: string;
  readonly canPush: boolean;
}

/** An issue, or a pull request in place of one. */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly address: string;
  readonly author: string;
  readonly body: string;
  readonly kind: "issue" | "pull request" | "merge request";
  readonly comments: readonly IssueComment[];
}

interface IssueComment {
  readonly author: string;
  readonly body: string;
}

/** An issue in a list. */
interface ListedIssue {
  readonly number: number;
  readonly title: string;
}

export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly address: string;
}

/** A pull request to create. */
export interface NewPullRequest {
  /** The repository of the branch with the changes. */
  readonly source: RemoteRepository;
  readonly branch: string;
  /** The branch that they are for. */
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** An unresolved conversation of a pull request's review. */
export interface ReviewThread {
  /** The server's name for the comment that a reply answers. */
  readonly replyTo: string;
  readonly file: string;
  readonly line: number | undefined;
  readonly comments: readonly IssueComment[];
  readonly address: string;
}

/** A check of a commit that failed. */
export interface FailedCheck {
  readonly name: string;
  readonly address: string;
  /** The job of GitHub Actions or GitLab CI/CD that ran it; undefined for other services, whose logs can't be read. */
  readonly job: number | undefined;
  /** The service's own words about the failure. */
  readonly summary: string;
}

/** A job of a workflow, and the file with the workflow. */
export interface WorkflowJob {
  readonly kind: "github" | "gitlab";
  /** Names of its steps that failed; on GitLab, the name of the job, which has no steps. */
  readonly failedSteps: readonly string[];
  /** Path of the workflow's file in the repository. */
  readonly workflow: string;
}

/** One repository on a server with issues and pull requests. Every method throws a sentence that says what to do. */
export interface CodeHost {
  readonly repository: RemoteRepository;
  readFacts(signal: AbortSignal): Promise<RepositoryFacts>;
  /** The last commit of a branch; undefined if there is no such branch. */
  findBranch(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** True if the server has a commit already. */
  hasCommit(commit: string, signal: AbortSignal): Promise<boolean>;
  readIssue(issue: Pick<NamedIssue, "number" | "isMergeRequest">, signal: AbortSignal): Promise<Issue>;
  /** The newest open issues. */
  listIssues(signal: AbortSignal): Promise<readonly ListedIssue[]>;
  /** The open pull request of a branch of `source`, which may be a fork. */
  findPullRequest(source: RemoteRepository, branch: string, signal: AbortSignal): Promise<PullRequest | undefined>;
  createPullRequest(wanted: NewPullRequest, signal: AbortSignal): Promise<PullRequest>;
  listReviewThreads(number: number, signal: AbortSignal): Promise<readonly ReviewThread[]>;
  /** Replies to a conversation; returns the reply's address. */
  sendReply(number: number, replyTo: string, body: string, signal: AbortSignal): Promise<string>;
  listFailedChecks(commit: string, signal: AbortSignal): Promise<readonly FailedCheck[]>;
  readJob(job: number, signal: AbortSignal): Promise<WorkflowJob>;
  /** The end of a job's log; undefined if there is none, because it has expired or is not written yet. */
  readLog(job: number, signal: AbortSignal): Promise<string | undefined>;
}
