import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answerGit } from "./git-backend.ts";

/** A repository of a played server. Its git repository is real. */
export interface PlayedRepository {
  readonly id: number;
  /** Tokens that may push to it. */
  readonly writers: Set<string>;
  /** Tokens that see it; everybody does if it's undefined. */
  readonly readers?: ReadonlySet<string>;
  readonly issues: Map<number, PlayedIssue>;
  readonly pulls: PlayedPull[];
}

export interface PlayedIssue {
  readonly title: string;
  readonly body: string | null;
  readonly isPull?: boolean;
  readonly isDeleted?: boolean;
  readonly comments?: readonly PlayedComment[];
}

export interface PlayedComment {
  readonly login: string;
  readonly body: string;
  /** Absent for a person. */
  readonly type?: "Bot";
  readonly isEdited?: true;
}

export interface PlayedPull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** In another repository, as `owner:branch`. */
  readonly head: string;
  readonly base: string;
}

export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Every request gets one answer. */
export type Sent = "sent";

/** A request of the API. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly token: string;
  readonly body: string;
  send(status: number, value: object, headers?: Readonly<Record<string, string>>): Sent;
}

interface Failure {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts that all played servers with repositories have: git over HTTP, tokens, and the requests that they saw. */
export abstract class CodeHostServer<Repository extends PlayedRepository = PlayedRepository> {
  readonly calls: SeenCall[] = [];
  /** Tokens that count. */
  readonly tokens = new Set<string>(["good-token"]);
  /** The address of its pages. */
  web = "";
  protected readonly repositories = new Map<string, Repository>();
  /** The name that git has to give with a token. */
  protected abstract readonly user: string;
  private readonly failures: Failure[] = [];
  private readonly root: string;
  private readonly server: Server;

  constructor(root: string) {
    this.root = root;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** Adds what this kind of server has to a repository. */
  protected abstract fill(shared: PlayedRepository, parts: Partial<Repository>): Repository;

  protected abstract answerApi(request: IncomingMessage, asked: Asked, response: ServerResponse): Sent;

  async listen(): Promise<void> {
    this.web = await openServer(this.server);
  }

  async close(): Promise<void> {
    await closeServer(this.server);
  }

  addRepository(name: string, parts: Partial<Repository> = {}): Repository {
    const folder = this.folderOf(name);
    mkdirSync(folder, { recursive: true });
    execFileSync("git", ["init", "-q", "--bare", "-b", "main"], { cwd: folder });
    execFileSync("git", ["config", "http.receivepack", "true"], { cwd: folder });
    const id = this.repositories.size + 1;
    const whole = this.fill({ id, writers: new Set(["good-token"]), issues: new Map(), pulls: [] }, parts);
    this.repositories.set(name, whole);
    return whole;
  }

  /** The folder of a repository's history. */
  folderOf(name: string): string {
    return join(this.root, `${name}.git`);
  }

  /** Answers the next requests of the API with this instead. */
  failNext(status: number, body: object, headers: Readonly<Record<string, string>> = {}, times = 1): void {
    for (let count = 0; count < times; count++) this.failures.push({ status, body, headers });
  }

  protected readRef(full: string, name: string): string | undefined {
    try {
      return execFileSync("git", ["rev-parse", "--verify", "--quiet", `refs/heads/${name}`], {
        cwd: this.folderOf(full),
        encoding: "utf8",
      }).trim();
    } catch {
      return undefined;
    }
  }

  protected readCommit(full: string, sha: string): object | undefined {
    try {
      execFileSync("git", ["cat-file", "commit", sha], { cwd: this.folderOf(full), stdio: "ignore" });
      return { sha, id: sha };
    } catch {
      return undefined;
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = "GET", url = "/", headers } = request;
    const { authorization } = headers;
    const address = new URL(url, this.web);
    this.calls.push({ method, path: address.pathname, authorization });
    if (!address.pathname.startsWith("/api/")) return this.answerGit(request, response);
    const failure = this.failures.shift();
    const body = await text(request);
    const send: Asked["send"] = (status, value, more = {}) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...more });
      response.end(JSON.stringify(value));
      return "sent";
    };
    if (failure) return send(failure.status, failure.body, failure.headers);
    return this.answerApi(request, { method, url: address, token: readToken(authorization), body, send }, response);
  }

  private answerGit(request: IncomingMessage, response: ServerResponse): void {
    const { authorization = "" } = request.headers;
    const [, full = ""] = /^\/([^?]+)\.git\//.exec(request.url ?? "") ?? [];
    const repository = this.repositories.get(full);
    const [user, token = ""] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":");
    if (!repository) return void response.writeHead(404).end();
    if (!this.tokens.has(token) || user !== this.user)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="Git"' }).end();
    if (!repository.writers.has(token)) return void response.writeHead(403).end("Permission denied");
    answerGit(request, response, this.root);
  }
}

/** Listens on loopback; returns the origin. */
export async function openServer(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}

export function readToken(authorization = ""): string {
  return /^(?:token|bearer) (.+)$/i.exec(authorization)?.[1] ?? "";
}
