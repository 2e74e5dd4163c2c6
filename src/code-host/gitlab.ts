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
import { GitLabClient } from "./gitlab-client.ts";
import { getRepositoryAddress, isSameRepository, type NamedIssue, type RemoteRepository } from "./remotes.ts";

const MOST_COMMENTS = 100;
const MOST_LISTED = 30;
/** The access level of developers, who may push. */
const DEVELOPER = 30;

/** A repository on gitlab.com or a self-managed GitLab, by its REST API. */
export class GitLab implements CodeHost {
  readonly repository: RemoteRepository;
  private readonly client: GitLabClient;
  private readonly place: string;

  constructor(repository: RemoteRepository, token: string) {
    this.repository = repository;
    this.client = new GitLabClient(repository.server, token);
    this.place = getProjectPath(repository);
  }

  readFacts(signal: AbortSignal): Promise<RepositoryFacts> {
    return this.ask(signal, async () => {
      const { default_branch: branch, permissions } = await this.client.get<Project>(this.place, signal);
      const canPush =
        permissions !== undefined &&
        ([permissions.project_access, permissions.group_access].some(isDeveloper) ||
          isDeveloper(await this.findMember(signal)));
      return { defaultBranch: branch ?? "main", canPush };
    });
  }

  /** The user's access by any way, such as by an invited group, which a project's own permissions leave out. */
  private async findMember(signal: AbortSignal): Promise<Access | undefined> {
    const { id } = await this.client.get<{ readonly id: number }>("/user", signal);
    return this.client.find<Access>(`${this.place}/members/all/${id}`, signal);
  }

  findBranch(name: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `${this.place}/repository/branches/${encodeURIComponent(name)}`;
    return this.ask(signal, async () => (await this.client.find<Branch>(path, signal))?.commit.id);
  }

  hasCommit(commit: string, signal: AbortSignal): Promise<boolean> {
    const path = `${this.place}/repository/commits/${commit}`;
    return this.ask(signal, async () => (await this.client.find<object>(path, signal)) !== undefined);
  }

  readIssue(
    { number, isMergeRequest }: Pick<NamedIssue, "number" | "isMergeRequest">,
    signal: AbortSignal,
  ): Promise<Issue> {
    const path = `${this.place}/${isMergeRequest ? "merge_requests" : "issues"}/${number}`;
    const read = async (): Promise<Issue> => {
      const { title, description, author, user_notes_count: count } = await this.client.get<Issuable>(path, signal);
      const newest = { sort: "desc", order_by: "created_at", per_page: MOST_COMMENTS };
      const notes = count > 0 ? await this.client.get<readonly Note[]>(`${path}/notes`, signal, newest) : [];
      return {
        number,
        title,
        address: `${getRepositoryAddress(this.repository)}/-/${isMergeRequest ? "merge_requests" : "issues"}/${number}`,
        author: author?.username ?? "ghost",
        body: description ?? "",
        kind: isMergeRequest ? "merge request" : "issue",
        comments: notes
          .filter(({ system }) => !system)
          .map(readComment)
          .toReversed(),
      };
    };
    return this.ask(signal, read, `${isMergeRequest ? "!" : "#"}${number}`);
  }

  listIssues(signal: AbortSignal) {
    return this.ask(signal, async () => {
      const listing = { state: "opened", per_page: MOST_LISTED };
      const issues = await this.client.get<readonly Listed[]>(`${this.place}/issues`, signal, listing);
      return issues.map(({ iid, title }) => ({ number: iid, title }));
    });
  }

  findPullRequest(source: RemoteRepository, branch: string, signal: AbortSignal): Promise<PullRequest | undefined> {
    return this.ask(signal, async () => {
      const listing = { state: "opened", source_branch: branch };
      const found = await this.client.list<MergeRequest>(`${this.place}/merge_requests`, signal, listing);
      if (found.length === 0) return undefined;
      // Another project's branch may have the same name.
      const from = isSameRepository(source, this.repository)
        ? found[0]?.target_project_id
        : (await this.client.find<Project>(getProjectPath(source), signal))?.id;
      const pull = found.find((one) => one.source_project_id === from);
      return pull && readMergeRequest(pull);
    });
  }

  createPullRequest(wanted: NewPullRequest, signal: AbortSignal): Promise<PullRequest> {
    const { source, branch, base, title, body } = wanted;
    return this.ask(signal, async () => {
      const isFork = !isSameRepository(source, this.repository);
      const target = isFork ? { target_project_id: (await this.client.get<Project>(this.place, signal)).id } : {};
      const fields = { source_branch: branch, target_branch: base, title, description: body, ...target };
      const path = `${getProjectPath(source)}/merge_requests`;
      return readMergeRequest(await this.client.post<MergeRequest>(path, signal, fields));
    });
  }

  listReviewThreads(number: number, signal: AbortSignal): Promise<readonly ReviewThread[]> {
    const path = `${this.place}/merge_requests/${number}/discussions`;
    const read = async (): Promise<readonly ReviewThread[]> =>
      (await this.client.list<Discussion>(path, signal)).flatMap(({ id, notes }) => {
        const [first] = notes;
        const isOpen = notes.some(({ resolvable, resolved }) => resolvable && !resolved);
        const file = first?.position?.new_path ?? first?.position?.old_path;
        if (!first || !isOpen || !file) return [];
        const line = first.position?.new_line ?? undefined;
        const comments = notes.filter(({ system }) => !system).map(readComment);
        return [{ replyTo: id, file, line, comments, address: this.getNoteAddress(number, first.id) }];
      });
    return this.ask(signal, read, `!${number}`);
  }

  sendReply(number: number, replyTo: string, body: string, signal: AbortSignal): Promise<string> {
    const path = `${this.place}/merge_requests/${number}/discussions/${encodeURIComponent(replyTo)}/notes`;
    const send = async (): Promise<string> =>
      this.getNoteAddress(number, (await this.client.post<Note>(path, signal, { body })).id);
    return this.ask(signal, send, `!${number}`);
  }

  listFailedChecks(commit: string, signal: AbortSignal): Promise<readonly FailedCheck[]> {
    return this.ask(signal, async () => {
      const pipeline = await this.findPipeline(commit, signal);
      if (!pipeline) return [];
      const path = `${this.place}/pipelines/${pipeline.id}/jobs`;
      const jobs = await this.client.list<Job>(path, signal, { "scope[]": "failed" });
      return jobs
        .filter((job) => !job.allow_failure)
        .map(({ id, name, web_url: address, failure_reason: why }) => ({ name, address, job: id, summary: why ?? "" }));
    });
  }

  /** The newest pipeline of a commit, also one on the merged result of the merge request that ends with it. */
  private async findPipeline(commit: string, signal: AbortSignal): Promise<Pipeline | undefined> {
    const newest = { sha: commit, order_by: "id", sort: "desc", per_page: 1 };
    // There is none either where a project doesn't show its pipelines, such as to the owner of a fork.
    const [own] = await this.client.search<Pipeline>(`${this.place}/pipelines`, signal, newest);
    const path = `${this.place}/repository/commits/${commit}/merge_requests`;
    const pulls = (await this.client.find<readonly MergeRequest[]>(path, signal)) ?? [];
    const pull = pulls.find(({ state, sha }) => state === "opened" && sha === commit);
    const { head_pipeline: merged, target_project_id: here } = pull
      ? await this.client.get<MergeRequest>(`${this.place}/merge_requests/${pull.iid}`, signal)
      : {};
    return merged && merged.project_id === here && merged.id > (own?.id ?? 0) ? merged : own;
  }

  readJob(job: number, signal: AbortSignal): Promise<WorkflowJob> {
    return this.ask(signal, async () => {
      const { name } = await this.client.get<Job>(`${this.place}/jobs/${job}`, signal);
      const { ci_config_path: file } = await this.client.get<Project>(this.place, signal);
      return { kind: "gitlab", failedSteps: [name], workflow: file || ".gitlab-ci.yml" };
    });
  }

  readLog(job: number, signal: AbortSignal): Promise<string | undefined> {
    return this.ask(signal, () => this.client.readText(`${this.place}/jobs/${job}/trace`, signal));
  }

  private getNoteAddress(number: number, note: number): string {
    return `${getRepositoryAddress(this.repository)}/-/merge_requests/${number}#note_${note}`;
  }

  /** Sends requests; an error becomes a sentence. `about`: the issue or merge request that they name. */
  private async ask<T>(signal: AbortSignal, act: () => Promise<T>, about?: string): Promise<T> {
    try {
      return await act();
    } catch (error) {
      signal.throwIfAborted();
      throw describeCodeHostFailure(error, this.repository, about);
    }
  }
}

function isDeveloper(access: Access | null | undefined): boolean {
  return (access?.access_level ?? 0) >= DEVELOPER;
}

function getProjectPath({ owner, name }: RemoteRepository): string {
  return `/projects/${encodeURIComponent(`${owner}/${name}`)}`;
}

function readComment({ author, body }: Note) {
  return { author: author?.username ?? "ghost", body };
}

function readMergeRequest({ iid, title, web_url: address }: MergeRequest): PullRequest {
  return { number: iid, title, address };
}

interface Access {
  readonly access_level: number;
}

interface Project {
  readonly id: number;
  readonly default_branch: string | null;
  readonly ci_config_path?: string | null;
  /** Absent without a token. */
  readonly permissions?: { readonly project_access: Access | null; readonly group_access: Access | null };
}

interface Branch {
  readonly commit: { readonly id: string };
}

interface Listed {
  readonly iid: number;
  readonly title: string;
}

interface Author {
  readonly author: { readonly username: string } | null;
}

interface Issuable extends Listed, Author {
  readonly description: string | null;
  readonly user_notes_count: number;
}

interface MergeRequest extends Listed {
  readonly web_url: string;
  readonly source_project_id: number;
  readonly target_project_id: number;
  readonly state: string;
  /** The last commit. */
  readonly sha: string;
  readonly head_pipeline?: Pipeline | null;
}

interface Note extends Author {
  readonly id: number;
  readonly body: string;
  /** Written by GitLab itself, such as a new label. */
  readonly system: boolean;
  readonly resolvable: boolean;
  readonly resolved?: boolean;
  readonly position?: {
    readonly new_path: string | null;
    readonly old_path: string | null;
    readonly new_line: number | null;
  };
}

interface Discussion {
  readonly id: string;
  readonly notes: readonly Note[];
}

interface Pipeline {
  readonly id: number;
  readonly project_id: number;
}

interface Job {
  readonly id: number;
  readonly name: string;
  readonly web_url: string;
  readonly allow_failure: boolean;
  readonly failure_reason?: string;
}
