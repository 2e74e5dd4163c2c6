import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type Asked,
  CodeHostServer,
  closeServer,
  openServer,
  type PlayedComment,
  type PlayedIssue,
  type PlayedPull,
  type PlayedRepository,
  readToken,
  type SeenCall,
  type Sent,
} from "./code-host-server.ts";

/** A repository of the played server, with what GitHub alone has. */
export interface GitHubRepository extends PlayedRepository {
  readonly checks: readonly object[];
  readonly jobs: Readonly<Record<number, { readonly job: object; readonly log?: string }>>;
  readonly runs: Readonly<Record<number, object>>;
  readonly threads: readonly object[];
  /** Rights of people, by login. */
  readonly permissions: Readonly<Record<string, "admin" | "write" | "read">>;
}

/** `root`: a folder for the repositories. */
export async function githubServer(root: string): Promise<GitHubServer> {
  const played = new GitHubServer(root);
  await played.listen();
  return played;
}

const VALIDATION = "Validation Failed";
const MOST_CHARACTERS = 65_536;

/** GitHub's API as it's published, and git over HTTP, on loopback as an Enterprise server. The API is below `/api/v3`. */
export class GitHubServer extends CodeHostServer<GitHubRepository> {
  /** Requests to the other origin, where logs are. */
  readonly logCalls: SeenCall[] = [];
  protected readonly user = "x-access-token";
  private readonly logs: Server = createServer((request, response) => this.answerLog(request, response));
  private logOrigin = "";

  override async listen(): Promise<void> {
    await super.listen();
    this.logOrigin = await openServer(this.logs);
  }

  override async close(): Promise<void> {
    await super.close();
    await closeServer(this.logs);
  }

  protected fill(shared: PlayedRepository, parts: Partial<GitHubRepository>): GitHubRepository {
    return { ...shared, checks: [], jobs: {}, runs: {}, threads: [], permissions: {}, ...parts };
  }

  protected answerApi(request: IncomingMessage, asked: Asked, response: ServerResponse): Sent {
    const fault = this.findFault(request);
    if (fault) return asked.send(fault.status, { message: fault.message });
    return asked.url.pathname === "/api/graphql" ? this.answerGraphql(asked) : this.answerRest(asked, response);
  }

  /** Requests as the documentation demands them. */
  private findFault({
    headers,
    url = "",
  }: IncomingMessage): { readonly status: number; readonly message: string } | undefined {
    const { authorization, accept = "", "user-agent": agent = "" } = headers;
    if (agent === "") return { status: 403, message: "Request forbidden by administrative rules." };
    if (authorization !== undefined && !this.tokens.has(readToken(authorization)))
      return { status: 401, message: "Bad credentials" };
    if (url.startsWith("/api/graphql"))
      return authorization === undefined
        ? { status: 401, message: "This endpoint requires you to be authenticated." }
        : undefined;
    if (!accept.startsWith("application/vnd.github")) return { status: 415, message: "Unsupported 'Accept' header" };
    if (headers["x-github-api-version"] !== "2022-11-28") return { status: 400, message: "Unsupported API version" };
    return undefined;
  }

  private answerRest(asked: Asked, response: ServerResponse): Sent {
    const { method, url, token, send } = asked;
    const [, owner = "", name = "", rest = ""] = /^\/api\/v3\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    const full = `${owner}/${name}`;
    const repository = this.repositories.get(full);
    if (!repository || (repository.readers && !repository.readers.has(token)))
      return send(404, { message: "Not Found" });
    const issue = /^\/issues\/(\d+)(\/comments)?$/.exec(rest);
    const job = /^\/actions\/jobs\/(\d+)(\/logs)?$/.exec(rest);
    const run = /^\/actions\/runs\/(\d+)$/.exec(rest);
    const branch = /^\/branches\/(.+)$/.exec(rest);
    const comment = /^\/issues\/comments\/(\d+)$/.exec(rest);
    const person = /^\/collaborators\/([\w-]+)\/permission$/.exec(rest);
    const gitCommit = /^\/git\/commits\/([0-9a-f]{40})$/.exec(rest);
    const replies = /^\/pulls\/(\d+)\/comments\/(\d+)\/replies$/.exec(rest);
    if (method === "GET" && rest === "")
      return send(200, {
        full_name: full,
        default_branch: "main",
        permissions: { pull: true, push: repository.writers.has(token) },
      });
    if (method === "GET" && rest === "/issues")
      return send(
        200,
        [...repository.issues].map(([number, one]) => asIssue(number, one)),
      );
    if (method === "GET" && person) return sendPermission(asked, repository, person[1] ?? "");
    if (method === "GET" && comment) return this.sendComment(asked, repository, full, Number(comment[1]));
    if (method === "POST" && (rest === "/issues" || issue?.[2]))
      return this.write(asked, repository, full, issue ? Number(issue[1]) : undefined);
    if (method === "GET" && issue)
      return this.sendIssue(asked, repository, full, Number(issue[1]), issue[2] !== undefined);
    if (method === "GET" && branch) return this.sendBranch(asked, full, decodeURIComponent(branch[1] ?? ""));
    if (rest === "/pulls")
      return method === "POST" ? this.createPull(asked, repository, full) : this.listPulls(asked, repository);
    if (method === "POST" && replies) return sendReply(asked, `${this.web}/${full}/pull/${replies[1]}#discussion_r99`);
    if (method === "GET" && /^\/commits\/[^/]+\/check-runs$/.test(rest)) return this.sendChecks(asked, repository);
    if (method === "GET" && gitCommit) return sendFound(asked, this.readCommit(full, gitCommit[1] ?? ""));
    if (method === "GET" && run) return sendFound(asked, repository.runs[Number(run[1])]);
    if (method === "GET" && job?.[2]) {
      const { log } = repository.jobs[Number(job[1])] ?? {};
      if (log === undefined) return send(410, { message: "The logs for this run have expired." });
      response.writeHead(302, { location: `${this.logOrigin}/${full}/${job[1]}` });
      response.end();
      return "sent";
    }
    if (method === "GET" && job) return sendFound(asked, repository.jobs[Number(job[1])]?.job);
    return send(404, { message: "Not Found" });
  }

  private sendIssue(
    { send, url }: Asked,
    { issues }: PlayedRepository,
    full: string,
    number: number,
    isComments: boolean,
  ): Sent {
    const issue = issues.get(number);
    if (!issue) return send(404, { message: "Not Found" });
    if (issue.isDeleted) return send(410, { message: "This issue was deleted" });
    if (!isComments) return send(200, asIssue(number, issue));
    const comments = (issue.comments ?? []).map((one, at) => this.asComment(full, number, at, one));
    const size = Math.min(100, Number(url.searchParams.get("per_page") ?? "30"));
    const page = Number(url.searchParams.get("page") ?? "1");
    const last = Math.ceil(comments.length / size);
    const linkTo = (to: number, rel: string): string => {
      const address = new URL(url);
      address.searchParams.set("page", String(to));
      return `<${address}>; rel="${rel}"`;
    };
    const link = page < last ? { link: `${linkTo(page + 1, "next")}, ${linkTo(last, "last")}` } : {};
    return send(200, comments.slice((page - 1) * size, page * size), link);
  }

  /** Numbers of comments are unique in a repository: the issue's, and the comment's place in it. */
  private asComment(full: string, issue: number, at: number, { login, body, type, isEdited }: PlayedComment): object {
    const id = issue * 1_000 + at;
    return {
      id,
      body,
      user: { login, type: type ?? "User" },
      created_at: "2026-03-04T05:06:07Z",
      updated_at: isEdited ? "2026-03-04T05:07:08Z" : "2026-03-04T05:06:07Z",
      issue_url: `${this.web}/api/v3/repos/${full}/issues/${issue}`,
      html_url: `${this.web}/${full}/issues/${issue}#issuecomment-${id}`,
    };
  }

  private sendComment(asked: Asked, { issues }: PlayedRepository, full: string, id: number): Sent {
    const [issue, at] = [Math.floor(id / 1_000), id % 1_000];
    const found = issues.get(issue)?.comments?.[at];
    return sendFound(asked, found && this.asComment(full, issue, at, found));
  }

  /** Adds a comment to an issue, or an issue, as the app whose token it is. */
  private write({ body, token, send }: Asked, repository: PlayedRepository, full: string, number?: number): Sent {
    if (token === "") return send(401, { message: "Requires authentication" });
    const { title, body: text } = JSON.parse(body);
    const missing = number === undefined ? title : text;
    if (typeof missing !== "string" || missing === "" || text?.length > MOST_CHARACTERS)
      return send(422, { message: VALIDATION, errors: [{ field: "body", code: "invalid" }] });
    if (number === undefined) {
      const next = Math.max(0, ...repository.issues.keys()) + 1;
      repository.issues.set(next, { title, body: text });
      return send(201, { ...asIssue(next, { title, body: text }), html_url: `${this.web}/${full}/issues/${next}` });
    }
    const issue = repository.issues.get(number);
    if (!issue) return send(404, { message: "Not Found" });
    const comments = [...(issue.comments ?? []), { login: "github-actions[bot]", body: text, type: "Bot" as const }];
    repository.issues.set(number, { ...issue, comments });
    return send(
      201,
      this.asComment(full, number, comments.length - 1, { login: "github-actions[bot]", body: text, type: "Bot" }),
    );
  }

  private sendBranch({ send }: Asked, full: string, name: string): Sent {
    const commit = this.readRef(full, name);
    if (commit === undefined) return send(404, { message: "Branch not found" });
    return send(200, { name, commit: { sha: commit } });
  }

  private listPulls({ url, send }: Asked, { pulls }: GitHubRepository): Sent {
    const head = url.searchParams.get("head");
    const found = pulls.filter((pull) => head === null || head.endsWith(`:${pull.head.replace(/^.*:/, "")}`));
    return send(
      200,
      found.map((pull) => this.asPull(pull)),
    );
  }

  private asPull({ number, title, head }: PlayedPull): object {
    return { number, title, html_url: `${this.web}/octo/tool/pull/${number}`, head: { ref: head.replace(/^.*:/, "") } };
  }

  private createPull({ body, token, send }: Asked, repository: GitHubRepository, full: string): Sent {
    const wanted = JSON.parse(body);
    const errors = ["title", "head", "base"]
      .filter((field) => typeof wanted[field] !== "string" || wanted[field] === "")
      .map((field) => ({ resource: "PullRequest", field, code: "missing_field" }));
    if (errors.length > 0) return send(422, { message: VALIDATION, errors });
    const [owner = "", branch = ""] = wanted.head.includes(":")
      ? wanted.head.split(":")
      : [full.split("/")[0], wanted.head];
    const source = [...this.repositories.keys()].find((name) => name.startsWith(`${owner}/`)) ?? "";
    if (source === "" || this.readRef(source, branch) === undefined)
      return send(422, { message: VALIDATION, errors: [{ resource: "PullRequest", field: "head", code: "invalid" }] });
    if (repository.pulls.some((pull) => pull.head === wanted.head))
      return send(422, {
        message: VALIDATION,
        errors: [
          { resource: "PullRequest", code: "custom", message: `A pull request already exists for ${owner}:${branch}.` },
        ],
      });
    if (token === "") return send(401, { message: "Requires authentication" });
    const pull = {
      number: 100 + repository.pulls.length,
      title: wanted.title,
      body: wanted.body ?? "",
      head: wanted.head,
      base: wanted.base,
    };
    repository.pulls.push(pull);
    return send(201, this.asPull(pull));
  }

  /** In pages of one, as many links as there are. */
  private sendChecks({ url, send }: Asked, { checks }: GitHubRepository): Sent {
    const page = Number(url.searchParams.get("page") ?? "1");
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    const link = page < checks.length ? { link: `<${next}>; rel="next"` } : {};
    return send(200, { total_count: checks.length, check_runs: checks.slice(page - 1, page) }, link);
  }

  private answerGraphql({ body, send }: Asked): Sent {
    const { query, variables } = JSON.parse(body);
    const repository = this.repositories.get(`${variables?.owner}/${variables?.name}`);
    if (!String(query).includes("reviewThreads")) return send(200, { errors: [{ message: "Unknown query" }] });
    if (!repository)
      return send(200, {
        data: { repository: null },
        errors: [{ type: "NOT_FOUND", message: "Could not resolve to a Repository" }],
      });
    return send(200, { data: { repository: { pullRequest: { reviewThreads: { nodes: repository.threads } } } } });
  }

  private answerLog(request: IncomingMessage, response: ServerResponse): void {
    const { url = "/", headers } = request;
    this.logCalls.push({ method: request.method ?? "", path: url, authorization: headers.authorization });
    const [, full = "", job = ""] = /^\/(.+)\/(\d+)$/.exec(url) ?? [];
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(this.repositories.get(full)?.jobs[Number(job)]?.log ?? "");
  }
}

function asIssue(number: number, { title, body, isPull, comments = [] }: PlayedIssue): object {
  return {
    number,
    title,
    body,
    user: { login: "stranger" },
    comments: comments.length,
    ...(isPull ? { pull_request: {} } : {}),
  };
}

function sendFound({ send }: Asked, found: object | undefined): Sent {
  return send(found ? 200 : 404, found ?? { message: "Not Found" });
}

function sendReply({ body, send }: Asked, address: string): Sent {
  const { body: words } = JSON.parse(body);
  if (typeof words !== "string" || words === "")
    return send(422, { message: VALIDATION, errors: [{ field: "body", code: "missing_field" }] });
  return send(201, { html_url: address, body: words });
}

function sendPermission({ send }: Asked, { permissions }: GitHubRepository, login: string): Sent {
  const permission = permissions[login];
  if (permission === undefined) return send(404, { message: `${login} is not a user` });
  return send(200, { permission, user: { login } });
}
