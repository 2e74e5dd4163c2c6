import { isObject } from "../core/base/json.ts";
import { createBoundFetch, readEnd } from "./bound-fetch.ts";
import type { CodeServer } from "./servers.ts";

/** An answer of GitLab's API that isn't a success, in the form of octokit's errors. */
class GitLabError extends Error {
  readonly status: number;
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly data: unknown };

  constructor({ status, headers }: Response, text: string) {
    super(`${status}`);
    this.status = status;
    this.response = { headers: Object.fromEntries(headers), data: parseAnswer(text) };
  }

  /** A scope is missing. */
  get isAboutToken(): boolean {
    return isObject(this.response.data) && "error" in this.response.data;
  }
}

/** The fields of a request's address. */
type Query = Readonly<Record<string, string | number>>;

const REQUEST_MS = 30_000;
const PER_PAGE = 100;
const MOST_PAGES = 20;

/** Sends requests to GitLab's API, with the token of one server. An error has the answer's status and words. */
export class GitLabClient {
  private readonly api: string;
  private readonly token: string;
  private readonly fetch: typeof globalThis.fetch;

  constructor({ api }: CodeServer, token: string) {
    this.api = api;
    this.token = token;
    this.fetch = createBoundFetch(api);
  }

  async get<T>(path: string, signal: AbortSignal, query: Query = {}): Promise<T> {
    return parseSuccess<T>(await readEnd(await this.send("GET", path, signal, { query })));
  }

  /** Undefined if there is no such thing. */
  find<T>(path: string, signal: AbortSignal): Promise<T | undefined> {
    return this.get<T>(path, signal).catch(ignoreMissing);
  }

  /** A list that is empty where the user may not see it, but not where only the token may not. */
  search<T>(path: string, signal: AbortSignal, query: Query): Promise<readonly T[]> {
    return this.get<readonly T[]>(path, signal, query).catch((error: unknown) => {
      if (!(error instanceof GitLabError) || error.status !== 403 || error.isAboutToken) throw error;
      return [];
    });
  }

  /** All pages of a list, up to a limit. */
  async list<T>(path: string, signal: AbortSignal, query: Query = {}): Promise<readonly T[]> {
    const all: T[] = [];
    for (let page = "1", count = 0; page !== "" && count < MOST_PAGES; count++) {
      const response = await this.send("GET", path, signal, { query: { ...query, per_page: PER_PAGE, page } });
      all.push(...parseSuccess<readonly T[]>(await readEnd(response)));
      page = response.headers.get("x-next-page") ?? "";
    }
    return all;
  }

  /** The end of a text; undefined if there is none. */
  async readText(path: string, signal: AbortSignal): Promise<string | undefined> {
    const response = await this.send("GET", path, signal).catch(ignoreMissing);
    return (response && (await readEnd(response))) || undefined;
  }

  async post<T>(path: string, signal: AbortSignal, body: object): Promise<T> {
    return parseSuccess<T>(await readEnd(await this.send("POST", path, signal, { body })));
  }

  private async send(
    method: "GET" | "POST",
    path: string,
    signal: AbortSignal,
    { query = {}, body }: { readonly query?: Query; readonly body?: object } = {},
  ): Promise<Response> {
    const fields = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const search = fields.length > 0 ? `?${new URLSearchParams(fields)}` : "";
    const response = await this.fetch(`${this.api}${path}${search}`, {
      method,
      headers: {
        "user-agent": "AutoGPT-VSCode",
        ...(this.token === "" ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body ? { "content-type": "application/json" } : {}),
      },
      credentials: "omit",
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new GitLabError(response, await readEnd(response));
    return response;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof GitLabError) || error.status !== 404) throw error;
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An answer as GitLab documents it. A page in its place is another program's. */
function parseSuccess<T>(text: string): T {
  const answer = parseAnswer(text);
  if (answer === undefined) throw new Error("it doesn't answer like GitLab");
  return answer as T;
}
