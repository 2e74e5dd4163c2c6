import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answerGit } from "./git-backend.ts";

/** A repository of the played server. Its git repository is real. */
export interface PlayedRepository {
  /** Tokens that may push to it. */
  readonly writers: Set<string>;
  /** Tokens that see it; everybody does if it's undefined. */
  readonly readers?: ReadonlySet<string>;
  readonly issues: Map<number, PlayedIssue>;
  readonly pulls: PlayedPull[];
  readonly checks: readonly object[];
  readonly jobs: Readonly<Record<number, { readonly job: object; readonly log?: string }>>;
  readonly runs: Readonly<Record<number, object>>;
  readonly threads: readonly object[];
}

interface PlayedIssue {
  readonly title: string;
  readonly body: string | null;
  readonly isPull?: boolean;
  readonly isDeleted?: boolean;
  readonly comments?: readonly { readonly login: string; readonly body: string }[];
}

interface PlayedPull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
}

interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** GitHub's API as it's published, and git over HTTP, on loopback as an Enterprise server. */
export interface GitHubServer {
  /** The address of its pages; the API is below `/api/v3`. */
  readonly web: string;
  readonly calls: readonly SeenCall[];
  /** Requests to the other origin, where logs are. */
  readonly logCalls: readonly SeenCall[];
  /** Tokens that count. */
  readonly tokens: Set<string>;
  addRepository(name: string, parts?: Partial<PlayedRepository>): PlayedRepository;
  /** The folder of a repository's history. */
  folderOf(name: string): string;
  /** Answers the next request of the API with this instead. */
  failNext(status: number, body: object, headers?: Readonly<Record<string, string>>, times?: number): void;
  close(): Promise<void>;
}

interface Failure {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** `root`: a folder for the repositories. */
export async function githubServer(root: string): Promise<GitHubServer> {
  const played = new Played(root);
  await played.listen();
  return played;
}

const VALIDATION = "Validation Failed";

class Played implements GitHubServer {
  readonly calls: SeenCall[] = [];
  readonly logCalls: SeenCall[] = [];
  readonly tokens = new Set<string>(["good-token"]);
  private readonly repositories = new Map<string, PlayedRepository>();
  private readonly failures: Failure[] = [];
  private readonly root: string;
  private readonly server: Server;
  private readonly logs: Server;
  web = "";
  private logOrigin = "";

  constructor(root: string) {
    this.root = root;
    this.server = createServer((request, response) => void this.answer(request, response));
    this.logs = createServer((request, response) => this.answerLog(request, response));
  }

  async listen(): Promise<void> {
    for (const server of [this.server, this.logs])
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    this.web = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    this.logOrigin = `http://127.0.0.1:${(this.logs.address() as AddressInfo).port}`;
  }

  addRepository(name: string, parts: Partial<PlayedRepository> = {}): PlayedRepository {
    const folder = this.folderOf(name);
    mkdirSync(folder, { recursive: true });
    execFileSync("git", ["init", "-q", "--bare", "-b", "main"], { cwd: folder });
    execFileSync("git", ["config", "http.receivepack", "true"], { cwd: folder });
    const whole: PlayedRepository = {
      writers: new Set(["good-token"]),
      issues: new Map(),
      pulls: [],
      checks: [],
      jobs: {},
      runs: {},
      threads: [],
      ...parts,
    };
    this.repositories.set(name, whole);
    return whole;
  }

  folderOf(name: string): string {
    return join(this.root, `${name}.git`);
  }

  failNext(status: number, body: object, headers: Readonly<Record<string, string>> = {}, times = 1): void {
    for (let count = 0; count < times; count++) this.failures.push({ status, body, headers });
  }

  async close(): Promise<void> {
    for (const server of [this.server, this.logs]) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = "GET", url = "/", headers } = request;
    const { authorization } = headers;
    const path = new URL(url, this.web).pathname;
    this.calls.push({ method, path, authorization });
    if (!path.startsWith("/api/")) return this.answerGit(request, response);
    const failure = this.failures.shift();
    const body = await text(request);
    const send = (status: number, value: object, more: Readonly<Record<string, string>> = {}): Sent => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...more });
      response.end(JSON.stringify(value));
      return "sent";
    };
    if (failure) return send(failure.status, failure.body, failure.headers);
    const fault = this.findFault(request);
    if (fault) return send(fault.status, { message: fault.message });
    const asked: Asked = { method, url: new URL(url, this.web), token: readToken(authorization), body, send };
    if (path === "/api/graphql") return this.answerGraphql(asked);
    return this.answerRest(asked, response);
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
    if (method === "GET" && issue) return this.sendIssue(asked, repository, Number(issue[1]), issue[2] !== undefined);
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

  private sendIssue({ send }: Asked, { issues }: PlayedRepository, number: number, isComments: boolean): Sent {
    const issue = issues.get(number);
    if (!issue) return send(404, { message: "Not Found" });
    if (issue.isDeleted) return send(410, { message: "This issue was deleted" });
    const comments = (issue.comments ?? []).map(({ login, body }) => ({ user: { login }, body }));
    return send(200, isComments ? comments : asIssue(number, issue));
  }

  private sendBranch({ send }: Asked, full: string, name: string): Sent {
    const commit = this.readRef(full, name);
    if (commit === undefined) return send(404, { message: "Branch not found" });
    return send(200, { name, commit: { sha: commit } });
  }

  private readRef(full: string, name: string): string | undefined {
    try {
      return execFileSync("git", ["rev-parse", "--verify", "--quiet", `refs/heads/${name}`], {
        cwd: this.folderOf(full),
        encoding: "utf8",
      }).trim();
    } catch {
      return undefined;
    }
  }

  private readCommit(full: string, sha: string): object | undefined {
    try {
      execFileSync("git", ["cat-file", "commit", sha], { cwd: this.folderOf(full), stdio: "ignore" });
      return { sha };
    } catch {
      return undefined;
    }
  }

  private listPulls({ url, send }: Asked, { pulls }: PlayedRepository): Sent {
    const head = url.searchParams.get("head");
    const found = pulls.filter((pull) => head === null || head.endsWith(`:${pull.head.replace(/^.*:/, "")}`));
    return send(
      200,
      found.map((pull) => this.asPull(pull)),
    );
  }

  private asPull({ number, title, head }: PlayedPull): object {
    return { number, title, html_url: `${this.web}/pull/${number}`, head: { ref: head.replace(/^.*:/, "") } };
  }

  private createPull({ body, token, send }: Asked, repository: PlayedRepository, full: string): Sent {
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
  private sendChecks({ url, send }: Asked, { checks }: PlayedRepository): Sent {
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

  private answerGit(request: IncomingMessage, response: ServerResponse): void {
    const { authorization = "" } = request.headers;
    const [, full = ""] = /^\/([^/]+\/[^/]+)\.git\//.exec(request.url ?? "") ?? [];
    const repository = this.repositories.get(full);
    const [user, token = ""] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":");
    if (!repository) return void response.writeHead(404).end();
    if (!this.tokens.has(token) || user !== "x-access-token")
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="GitHub"' }).end();
    if (!repository.writers.has(token)) return void response.writeHead(403).end("Permission denied");
    answerGit(request, response, this.root);
  }

  private answerLog(request: IncomingMessage, response: ServerResponse): void {
    const { url = "/", headers } = request;
    this.logCalls.push({ method: request.method ?? "", path: url, authorization: headers.authorization });
    const [, full = "", job = ""] = /^\/(.+)\/(\d+)$/.exec(url) ?? [];
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(this.repositories.get(full)?.jobs[Number(job)]?.log ?? "");
  }
}

/** Every request gets one answer. */
type Sent = "sent";

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly token: string;
  readonly body: string;
  send(status: number, value: object, headers?: Readonly<Record<string, string>>): Sent;
}

function readToken(authorization = ""): string {
  return /^(?:token|bearer) (.+)$/i.exec(authorization)?.[1] ?? "";
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
