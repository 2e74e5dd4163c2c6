import type { Octokit } from "octokit";
import { createBoundFetch, fetchLogEnd } from "./bound-fetch.ts";
import type {
  CodeHost,
  FailedCheck,
  Issue,
  NewPullRequest,
  PullRequest,
  RepositoryFacts,
  ReviewThread,
  WorkflowJob,
} from "./code-host.ts";
import { describeCodeHostFailure } from "./failures.ts";
import { getRepositoryAddress, isSameRepository, type NamedIssue, type RemoteRepository } from "./remotes.ts";

/** For requests that change something: after an error of the server, they may have been carried out. */
const ONCE = { retries: 0 };

const MOST_COMMENTS = 100;
const MOST_LISTED = 30;
const MOST_CHECKS = 100;

/** Loads GitHub's client. */
export type LoadOctokit = () => Promise<typeof import("./octokit-client.ts")>;

/** Opens a repository on GitHub or GitHub Enterprise. Without a token, only what is public can be read. */
export async function openGitHub(repository: RemoteRepository, token: string, load: LoadOctokit): Promise<CodeHost> {
  const { api } = repository.server;
  const { createOctokit } = await load();
  return new GitHub(repository, createOctokit({ api, token, fetch: createBoundFetch(api) }));
}

class GitHub implements CodeHost {
  readonly repository: RemoteRepository;
  private readonly octokit: Octokit;
  private readonly place: { readonly owner: string; readonly repo: string };

  constructor(repository: RemoteRepository, octokit: Octokit) {
    this.repository = repository;
    this.octokit = octokit;
    this.place = { owner: repository.owner, repo: repository.name };
  }

  readFacts(signal: AbortSignal): Promise<RepositoryFacts> {
    return this.ask(signal, async (request) => {
      const { data } = await this.octokit.rest.repos.get({ ...this.place, request });
      return { defaultBranch: data.default_branch, canPush: data.permissions?.push ?? false };
    });
  }

  findBranch(name: string, signal: AbortSignal): Promise<string | undefined> {
    return this.ask(signal, async (request) => {
      const found = await this.octokit.rest.repos
        .getBranch({ ...this.place, branch: name, request })
        .catch((error: unknown) => (hasStatus(error, [404]) ? undefined : Promise.reject(error)));
      return found?.data.commit.sha;
    });
  }

  hasCommit(commit: string, signal: AbortSignal): Promise<boolean> {
    return this.ask(signal, (request) =>
      this.octokit.rest.git.getCommit({ ...this.place, commit_sha: commit, request }).then(
        () => true,
        (error: unknown) => (hasStatus(error, [404, 409, 422]) ? false : Promise.reject(error)),
      ),
    );
  }

  readIssue({ number }: Pick<NamedIssue, "number">, signal: AbortSignal): Promise<Issue> {
    return this.ask(
      signal,
      async (request) => {
        const named = { ...this.place, issue_number: number, request };
        const { data } = await this.octokit.rest.issues.get(named);
        const comments =
          data.comments > 0
            ? await this.octokit.rest.issues.listComments({ ...named, per_page: MOST_COMMENTS })
            : undefined;
        return {
          number,
          title: data.title,
          address: `${getRepositoryAddress(this.repository)}/${data.pull_request ? "pull" : "issues"}/${number}`,
          author: data.user?.login ?? "ghost",
          body: data.body ?? "",
          kind: data.pull_request ? "pull request" : "issue",
          comments: (comments?.data ?? []).map(({ user, body }) => ({
            author: user?.login ?? "ghost",
            body: body ?? "",
          })),
        };
      },
      number,
    );
  }

  listIssues(signal: AbortSignal) {
    return this.ask(signal, async (request) => {
      const listing = { ...this.place, state: "open" as const, per_page: MOST_LISTED, request };
      const { data } = await this.octokit.rest.issues.listForRepo(listing);
      return data.filter((one) => !one.pull_request).map(({ number, title }) => ({ number, title }));
    });
  }

  findPullRequest({ owner }: RemoteRepository, branch: string, signal: AbortSignal): Promise<PullRequest | undefined> {
    return this.ask(signal, async (request) => {
      const head = `${owner}:${branch}`;
      const { data } = await this.octokit.rest.pulls.list({ ...this.place, head, state: "open", request });
      // A server that doesn't know the owner lists all of them.
      const found = data.find((one) => one.head.ref === branch);
      return found && { number: found.number, title: found.title, address: found.html_url };
    });
  }

  createPullRequest({ source, branch, ...wanted }: NewPullRequest, signal: AbortSignal): Promise<PullRequest> {
    return this.ask(signal, async (request) => {
      const { data } = await this.octokit.rest.pulls.create({
        ...this.place,
        ...wanted,
        head: isSameRepository(source, this.repository) ? branch : `${source.owner}:${branch}`,
        request: { ...request, ...ONCE },
      });
      return { number: data.number, title: data.title, address: data.html_url };
    });
  }

  listReviewThreads(number: number, signal: AbortSignal): Promise<readonly ReviewThread[]> {
    return this.ask(
      signal,
      async (request) => {
        const answer = await this.octokit.graphql<ThreadsAnswer>(THREADS, {
          owner: this.place.owner,
          name: this.place.repo,
          number,
          request,
        });
        const threads = answer.repository?.pullRequest?.reviewThreads.nodes ?? [];
        return threads.filter(({ isResolved }) => !isResolved).flatMap(readThread);
      },
      number,
    );
  }

  sendReply(number: number, replyTo: string, body: string, signal: AbortSignal): Promise<string> {
    return this.ask(
      signal,
      async (request) => {
        const { data } = await this.octokit.rest.pulls.createReplyForReviewComment({
          ...this.place,
          pull_number: number,
          comment_id: Number(replyTo),
          body,
          request: { ...request, ...ONCE },
        });
        return data.html_url;
      },
      number,
    );
  }

  listFailedChecks(commit: string, signal: AbortSignal): Promise<readonly FailedCheck[]> {
    return this.ask(signal, async (request) => {
      const listing = { ...this.place, ref: commit, filter: "latest" as const, per_page: MOST_CHECKS, request };
      const checks = await this.octokit.paginate(this.octokit.rest.checks.listForRef, listing);
      return checks
        .filter(({ conclusion }) => conclusion === "failure" || conclusion === "timed_out")
        .map(({ id, name, details_url, html_url, app, output }) => {
          const [, job] = /\/job\/(\d+)/.exec(details_url ?? "") ?? [];
          const own = app?.slug === "github-actions" ? id : undefined;
          return {
            name,
            address: html_url ?? details_url ?? getRepositoryAddress(this.repository),
            job: job === undefined ? own : Number(job),
            summary: [output.title, output.summary].filter((text) => text).join("\n"),
          };
        });
    });
  }

  readJob(job: number, signal: AbortSignal): Promise<WorkflowJob> {
    return this.ask(signal, async (request) => {
      const { data } = await this.octokit.rest.actions.getJobForWorkflowRun({ ...this.place, job_id: job, request });
      const run = await this.octokit.rest.actions.getWorkflowRun({ ...this.place, run_id: data.run_id, request });
      const failed = (data.steps ?? []).filter(({ conclusion }) => conclusion === "failure");
      return {
        kind: "github",
        failedSteps: failed.map(({ name }) => name),
        // With the branch of a reusable workflow behind an @.
        workflow: run.data.path.replace(/@.*$/, ""),
      };
    });
  }

  readLog(job: number, signal: AbortSignal): Promise<string | undefined> {
    return this.ask(signal, async (request) => {
      const answer = await this.octokit.rest.actions
        .downloadJobLogsForWorkflowRun({ ...this.place, job_id: job, request: { ...request, redirect: "manual" } })
        .catch((error: unknown) => {
          if (hasStatus(error, [404, 410])) return undefined;
          throw error;
        });
      const location = answer?.headers.location;
      return location === undefined ? undefined : fetchLogEnd(location, this.repository.server, signal);
    });
  }

  /** Sends requests; an error becomes a sentence. `about`: the issue or pull request that they name. */
  private async ask<T>(
    signal: AbortSignal,
    act: (request: { readonly signal: AbortSignal }) => Promise<T>,
    about?: number,
  ): Promise<T> {
    try {
      return await act({ signal });
    } catch (error) {
      signal.throwIfAborted();
      throw describeCodeHostFailure(error, this.repository, about === undefined ? undefined : `#${about}`);
    }
  }
}

function hasStatus(error: unknown, statuses: readonly number[]): boolean {
  return error instanceof Error && "status" in error && statuses.includes(Number(error.status));
}

const THREADS = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50) {
        nodes { isResolved path line comments(first: 20) { nodes { databaseId body url author { login } } } }
      }
    }
  }
}`;

interface ThreadNode {
  readonly isResolved: boolean;
  readonly path: string;
  readonly line: number | null;
  readonly comments: {
    readonly nodes: readonly {
      readonly databaseId: number;
      readonly body: string;
      readonly url: string;
      readonly author: { readonly login: string } | null;
    }[];
  };
}

interface ThreadsAnswer {
  readonly repository?: {
    readonly pullRequest?: { readonly reviewThreads: { readonly nodes: readonly ThreadNode[] } };
  };
}

function readThread({ path, line, comments }: ThreadNode): readonly ReviewThread[] {
  const [first] = comments.nodes;
  if (!first) return [];
  return [
    {
      replyTo: String(first.databaseId),
      file: path,
      line: line ?? undefined,
      comments: comments.nodes.map(({ author, body }) => ({ author: author?.login ?? "ghost", body })),
      address: first.url,
    },
  ];
}
