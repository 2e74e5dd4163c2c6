import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asked, CodeHostServer, type PlayedPull, type PlayedRepository, type Sent } from "./code-host-server.ts";

/** A project of the played server. */
export interface GitLabProject extends PlayedRepository {
  /** Tokens of developers by an invited group. */
  readonly invited: ReadonlySet<string>;
  readonly ciConfig: string | null;
  /** Of merge requests, by their numbers. */
  readonly headPipelines: Readonly<Record<number, number>>;
  readonly hidesPipelines?: boolean;
  readonly discussions: object[];
  readonly pipelines: { readonly id: number; readonly sha: string; readonly jobs: readonly PlayedJob[] }[];
}

interface PlayedJob {
  readonly id: number;
  readonly name: string;
  readonly status: "failed" | "success";
  readonly allow_failure?: boolean;
  readonly failure_reason?: string;
  readonly trace?: string;
}

/** `root`: a folder for the repositories. */
export async function gitlabServer(root: string): Promise<GitLabServer> {
  const played = new GitLabServer(root);
  await played.listen();
  return played;
}

type Answer = (asked: Asked, project: GitLabProject, parts: readonly string[], response: ServerResponse) => Sent;

/** GitLab's REST API as it's published, below `/api/v4`, and git over HTTP. */
export class GitLabServer extends CodeHostServer<GitLabProject> {
  /** Tokens with the scope `read_api` alone. */
  readonly readers = new Set<string>();
  /** The longest page; the real one has 100 entries. */
  mostPerPage = 100;
  protected readonly user = "oauth2";

  protected fill(shared: PlayedRepository, parts: Partial<GitLabProject>): GitLabProject {
    return {
      ...shared,
      invited: new Set(),
      ciConfig: null,
      discussions: [],
      headPipelines: {},
      pipelines: [],
      ...parts,
    };
  }

  protected answerApi({ headers }: IncomingMessage, asked: Asked, response: ServerResponse): Sent {
    const { method, url, token, send } = asked;
    if (headers.authorization !== undefined && !this.tokens.has(token))
      return send(401, { error: "invalid_token", error_description: "Token was revoked." });
    if (method !== "GET" && token === "") return send(401, { message: "401 Unauthorized" });
    if (method !== "GET" && this.readers.has(token))
      return send(403, {
        error: "insufficient_scope",
        error_description: "The request requires higher privileges than provided by the access token.",
        scope: "api",
      });
    if (url.pathname === "/api/v4/user")
      return token === "" ? send(401, { message: "401 Unauthorized" }) : send(200, { id: 4, username: "ada" });
    if (method === "POST" && headers["content-type"] !== "application/json") return send(415, { error: "unsupported" });
    const [, id = "", rest = ""] = /^\/api\/v4\/projects\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    const project = this.findProject(decodeURIComponent(id));
    if (!project || (project.readers && !project.readers.has(token)))
      return send(404, { message: "404 Project Not Found" });
    for (const [route, answer] of this.routes) {
      const [wanted = "", path = ""] = route.split(" ");
      const found = new RegExp(`^${path.replaceAll("*", "([^/]+)")}$`).exec(rest);
      if (found && wanted === method) return answer(asked, project, found.slice(1).map(decodeURIComponent), response);
    }
    return send(404, { error: "404 Not Found" });
  }

  private readonly routes: readonly (readonly [route: string, answer: Answer])[] = [
    ["GET ", (asked, project) => this.sendProject(asked, project)],
    ["GET /members/all/4", (asked, project) => sendMember(asked, project)],
    ["GET /repository/branches/*", (asked, project, [name = ""]) => this.sendBranch(asked, project, name)],
    ["GET /repository/commits/*", (asked, project, [sha = ""]) => this.sendCommit(asked, project, sha)],
    ["GET /repository/commits/*/merge_requests", (asked, project, [sha = ""]) => this.sendPullsOf(asked, project, sha)],
    ["GET /issues", (asked, project) => this.sendIssues(asked, project)],
    ["GET /(issues|merge_requests)/*", (asked, project, parts) => this.sendIssue(asked, project, parts)],
    ["GET /(issues|merge_requests)/*/notes", (asked, project, parts) => this.sendNotes(asked, project, parts)],
    ["GET /merge_requests", (asked, project) => this.sendPulls(asked, project)],
    ["POST /merge_requests", (asked, project) => this.createPull(asked, project)],
    ["GET /merge_requests/*/discussions", (asked, { discussions }) => this.sendPage(asked, discussions)],
    ["POST /merge_requests/*/discussions/*/notes", (asked, project, [, id]) => sendReply(asked, project, id)],
    ["GET /pipelines", (asked, project) => this.sendPipelines(asked, project)],
    ["GET /pipelines/*/jobs", (asked, project, [id]) => this.sendJobs(asked, project, Number(id))],
    ["GET /jobs/*", (asked, project, [id]) => sendJob(asked, project, Number(id))],
    ["GET /jobs/*/trace", (asked, project, [id], response) => sendTrace(asked, project, Number(id), response)],
  ];

  private findProject(id: string): GitLabProject | undefined {
    return this.repositories.get(id) ?? [...this.repositories.values()].find((one) => String(one.id) === id);
  }

  private nameOf(project: GitLabProject): string {
    return [...this.repositories].find(([, one]) => one === project)?.[0] ?? "";
  }

  private sendPage({ url, send }: Asked, all: readonly object[]): Sent {
    const [size, page] = [url.searchParams.get("per_page") ?? "20", url.searchParams.get("page") ?? "1"].map(Number);
    const most = Math.min(size ?? 20, this.mostPerPage);
    const start = ((page ?? 1) - 1) * most;
    const next = start + most < all.length ? String((page ?? 1) + 1) : "";
    return send(200, all.slice(start, start + most), { "x-next-page": next, "x-total": String(all.length) });
  }

  private sendProject({ token, send }: Asked, project: GitLabProject): Sent {
    const level = project.writers.has(token) ? 30 : 20;
    const permissions = { project_access: { access_level: level }, group_access: null };
    return send(200, {
      id: project.id,
      path_with_namespace: this.nameOf(project),
      default_branch: "main",
      ci_config_path: project.ciConfig,
      ...(token === "" ? {} : { permissions }),
    });
  }

  private sendBranch({ send }: Asked, project: GitLabProject, name: string): Sent {
    const id = this.readRef(this.nameOf(project), name);
    return id === undefined ? send(404, { message: "404 Branch Not Found" }) : send(200, { name, commit: { id } });
  }

  private sendCommit({ send }: Asked, project: GitLabProject, sha: string): Sent {
    const commit = this.readCommit(this.nameOf(project), sha);
    return commit ? send(200, commit) : send(404, { message: "404 Commit Not Found" });
  }

  private sendIssues(asked: Asked, { issues }: GitLabProject): Sent {
    if (asked.url.searchParams.get("state") !== "opened") return this.sendPage(asked, []);
    const open = [...issues].filter(([, one]) => !one.isPull && !one.isDeleted);
    return this.sendPage(
      asked,
      open.map(([iid, { title }]) => ({ iid, title })),
    );
  }

  private sendIssue({ send }: Asked, project: GitLabProject, [kind, number]: readonly string[]): Sent {
    const issue = project.issues.get(Number(number));
    const pull = project.pulls.find((one) => kind === "merge_requests" && one.number === Number(number));
    if (pull) {
      const id = project.headPipelines[pull.number];
      const pipeline = id === undefined ? null : { id, project_id: project.id };
      return send(200, { ...this.asPull(project, pull), head_pipeline: pipeline });
    }
    if (!issue || issue.isDeleted || (issue.isPull ?? false) !== (kind === "merge_requests"))
      return send(404, { message: "404 Not found" });
    return send(200, {
      iid: Number(number),
      title: issue.title,
      description: issue.body,
      author: { username: "stranger" },
      user_notes_count: issue.comments?.length ?? 0,
    });
  }

  /** The newest first, with a note of GitLab itself. */
  private sendNotes(asked: Asked, { issues }: GitLabProject, [, number]: readonly string[]): Sent {
    const comments = issues.get(Number(number))?.comments ?? [];
    const notes = comments.map(({ login, body }, id) => ({ id, body, system: false, author: { username: login } }));
    const all = [...notes, { id: 99, body: "added ~bug label", system: true, author: { username: "ada" } }];
    return this.sendPage(asked, asked.url.searchParams.get("sort") === "asc" ? all : all.toReversed());
  }

  private sendPulls(asked: Asked, project: GitLabProject): Sent {
    const branch = asked.url.searchParams.get("source_branch");
    const found = project.pulls.filter(({ head }) => branch === null || head.replace(/^.*:/, "") === branch);
    return this.sendPage(
      asked,
      found.map((one) => this.asPull(project, one)),
    );
  }

  private sendPullsOf(asked: Asked, project: GitLabProject, sha: string): Sent {
    const all = project.pulls.map((one) => this.asPull(project, one));
    return this.sendPage(
      asked,
      all.filter((one) => "sha" in one && one.sha === sha),
    );
  }

  private asPull(project: GitLabProject, { number, title, head }: PlayedPull): object {
    const [, owner] = /^(.*):/.exec(head) ?? [];
    const source = [...this.repositories].find(([name]) => owner !== undefined && name.startsWith(`${owner}/`))?.[1];
    return {
      iid: number,
      title,
      web_url: `${this.web}/${this.nameOf(project)}/-/merge_requests/${number}`,
      source_project_id: source?.id ?? project.id,
      target_project_id: project.id,
      state: "opened",
      sha: this.readRef(this.nameOf(source ?? project), head.replace(/^.*:/, "")) ?? "",
    };
  }

  private createPull({ body, token, send }: Asked, source: GitLabProject): Sent {
    const wanted = JSON.parse(body);
    const missing = ["source_branch", "target_branch", "title"].filter((field) => !wanted[field]);
    if (missing.length > 0) return send(400, { error: missing.map((field) => `${field} is missing`).join(", ") });
    const target = wanted.target_project_id === undefined ? source : this.findProject(`${wanted.target_project_id}`);
    if (!target) return send(404, { message: "404 Project Not Found" });
    if (!source.writers.has(token)) return send(403, { message: "403 Forbidden" });
    const name = this.nameOf(source);
    if (this.readRef(name, wanted.source_branch) === undefined)
      return send(400, { message: { base: [`Source branch "${wanted.source_branch}" does not exist`] } });
    const owner = name.replace(/\/[^/]+$/, "");
    const head = source === target ? wanted.source_branch : `${owner}:${wanted.source_branch}`;
    const other = target.pulls.find((one) => one.head === head);
    if (other)
      return send(409, {
        message: [`Another open merge request already exists for this source branch: !${other.number}`],
      });
    const number = 100 + target.pulls.length;
    const { title, description = "", target_branch: base } = wanted;
    const pull = { number, title, body: description, head, base };
    target.pulls.push(pull);
    return send(201, this.asPull(target, pull));
  }

  /** The newest first. */
  private sendPipelines(asked: Asked, { id: project_id, pipelines, hidesPipelines }: GitLabProject): Sent {
    if (hidesPipelines) return asked.send(403, { message: "403 Forbidden" });
    const sha = asked.url.searchParams.get("sha");
    const found = pipelines.filter((one) => sha === null || one.sha === sha);
    return this.sendPage(
      asked,
      found.toSorted((one, other) => other.id - one.id).map(({ id }) => ({ id, project_id })),
    );
  }

  private sendJobs(asked: Asked, { pipelines }: GitLabProject, id: number): Sent {
    const jobs = pipelines.find((one) => one.id === id)?.jobs;
    if (!jobs) return asked.send(404, { message: "404 Not found" });
    const scope = asked.url.searchParams.getAll("scope[]");
    return this.sendPage(asked, jobs.filter(({ status }) => scope.length === 0 || scope.includes(status)).map(asJob));
  }
}

function sendMember({ token, send }: Asked, { invited }: GitLabProject): Sent {
  return invited.has(token) ? send(200, { id: 4, access_level: 30 }) : send(404, { message: "404 Not found" });
}

function asJob({ id, name, status, allow_failure = false, failure_reason }: PlayedJob): object {
  return { id, name, status, allow_failure, failure_reason, web_url: `https://x/-/jobs/${id}` };
}

function findJob({ pipelines }: GitLabProject, id: number): PlayedJob | undefined {
  return pipelines.flatMap(({ jobs }) => jobs).find((one) => one.id === id);
}

function sendJob({ send }: Asked, project: GitLabProject, id: number): Sent {
  const job = findJob(project, id);
  return job ? send(200, asJob(job)) : send(404, { message: "404 Not found" });
}

function sendTrace({ send }: Asked, project: GitLabProject, id: number, response: ServerResponse): Sent {
  const job = findJob(project, id);
  if (!job) return send(404, { message: "404 Not found" });
  response.writeHead(200, { "content-type": "text/plain" });
  response.end(job.trace ?? "");
  return "sent";
}

function sendReply({ body, send }: Asked, { discussions }: GitLabProject, id = ""): Sent {
  const { body: words } = JSON.parse(body);
  if (typeof words !== "string" || words === "") return send(400, { error: "body is missing" });
  if (!discussions.some((one) => "id" in one && one.id === id))
    return send(404, { message: "404 Discussion Not Found" });
  return send(201, { id: 77, body: words });
}
