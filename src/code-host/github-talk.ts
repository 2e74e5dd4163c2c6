import type { Octokit } from "octokit";
import { isObject } from "../core/base/json.ts";
import { createBoundFetch } from "./bound-fetch.ts";
import { describeCodeHostFailure } from "./failures.ts";
import type { LoadOctokit } from "./github.ts";
import type { RemoteRepository } from "./remotes.ts";

/** A comment on an issue, as GitHub has it now. */
export interface TalkComment {
  readonly id: number;
  readonly body: string;
  readonly author: string;
  /** Written by an app. */
  readonly isByBot: boolean;
  readonly isEdited: boolean;
  /** The issue that it's on. */
  readonly issue: number;
}

const PAGE = 100;
const MOST_COMMENTS = 1_000;
/** For requests that change something: after an error of the server, they may have been carried out. */
const ONCE = { retries: 0 };

/** Talks with people on the issues of one repository on GitHub. Every method throws a sentence that says what to do. */
export class GitHubTalk {
  private readonly octokit: Octokit;
  private readonly repository: RemoteRepository;
  private readonly signal: AbortSignal;
  private readonly place: { readonly owner: string; readonly repo: string };

  private constructor(octokit: Octokit, repository: RemoteRepository, signal: AbortSignal) {
    this.octokit = octokit;
    this.repository = repository;
    this.signal = signal;
    this.place = { owner: repository.owner, repo: repository.name };
  }

  static async open(
    repository: RemoteRepository,
    token: string,
    load: LoadOctokit,
    signal: AbortSignal,
  ): Promise<GitHubTalk> {
    const { api } = repository.server;
    const { createOctokit } = await load();
    return new GitHubTalk(createOctokit({ api, token, fetch: createBoundFetch(api) }), repository, signal);
  }

  /** True if a user may push to the repository. Only these may have the agent work, or answer it. */
  canWrite(username: string): Promise<boolean> {
    return this.ask(async (request) => {
      const { data } = await this.octokit.rest.repos
        .getCollaboratorPermissionLevel({ ...this.place, username, request })
        .catch((error: unknown) =>
          isObject(error) && error.status === 404 ? { data: { permission: "none" } } : Promise.reject(error),
        );
      return data.permission === "admin" || data.permission === "write";
    });
  }

  readComment(comment: number): Promise<TalkComment> {
    return this.ask(async (request) => {
      const { data } = await this.octokit.rest.issues.getComment({ ...this.place, comment_id: comment, request });
      return readTalkComment(data);
    });
  }

  /** The newest comments on an issue, the oldest of them first. */
  listComments(issue: number): Promise<readonly TalkComment[]> {
    return this.ask(async (request) => {
      const list = (page: number) =>
        this.octokit.rest.issues.listComments({ ...this.place, issue_number: issue, per_page: PAGE, page, request });
      const { data: oldest, headers } = await list(1);
      // The server lists them from the oldest on, and names the last page.
      const [, last = "1"] = /[?&]page=(\d+)[^<>]*>; rel="last"/.exec(headers.link ?? "") ?? [];
      const newest: SentComment[] = [];
      for (let page = Number(last); page > 1 && newest.length < MOST_COMMENTS; page--)
        newest.unshift(...(await list(page)).data);
      return [...(newest.length < MOST_COMMENTS ? oldest : []), ...newest].map(readTalkComment);
    }, issue);
  }

  /** Returns the comment's address. */
  addComment(issue: number, body: string): Promise<string> {
    return this.ask(async (request) => {
      const { data } = await this.octokit.rest.issues.createComment({
        ...this.place,
        issue_number: issue,
        body,
        request: { ...request, ...ONCE },
      });
      return data.html_url;
    }, issue);
  }

  /** Returns the new issue's number. */
  createIssue(title: string, body: string): Promise<number> {
    return this.ask(async (request) => {
      const { data } = await this.octokit.rest.issues.create({
        ...this.place,
        title,
        body,
        request: { ...request, ...ONCE },
      });
      return data.number;
    });
  }

  private async ask<T>(act: (request: { readonly signal: AbortSignal }) => Promise<T>, about?: number): Promise<T> {
    const { signal } = this;
    try {
      return await act({ signal });
    } catch (error) {
      signal.throwIfAborted();
      throw describeCodeHostFailure(error, this.repository, about === undefined ? undefined : `#${about}`);
    }
  }
}

interface SentComment {
  readonly id: number;
  readonly body?: string | undefined;
  readonly user: { readonly login: string; readonly type: string } | null;
  readonly performed_via_github_app?: object | null | undefined;
  readonly created_at: string;
  readonly updated_at: string;
  readonly issue_url: string;
}

function readTalkComment(sent: SentComment): TalkComment {
  const { id, body = "", user, created_at: created, updated_at: updated } = sent;
  return {
    id,
    body,
    author: user?.login ?? "ghost",
    isByBot: user?.type !== "User" || Boolean(sent.performed_via_github_app),
    isEdited: created !== updated,
    issue: Number(/\/issues\/(\d+)$/.exec(sent.issue_url)?.[1] ?? 0),
  };
}
