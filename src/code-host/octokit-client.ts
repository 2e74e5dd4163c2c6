// GitHub's client is a part of this file alone, which is loaded when a person first asks for an issue or a pull request.

import { Octokit } from "octokit";

/** The version of the API that our requests are written for. */
const API_VERSION = "2022-11-28";

/** The server and the user of a client. */
export interface OctokitOptions {
  /** Base address of the API. */
  readonly api: string;
  /** "" for a client without a user. */
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
}

/** GitHub's client for one server, which writes nothing to the console. */
export function createOctokit({ api, token, fetch }: OctokitOptions): Octokit {
  const octokit = new Octokit({
    ...(token === "" ? {} : { auth: token }),
    baseUrl: api,
    userAgent: "AutoGPT-VSCode",
    // A limit is reported with the time of its end, because people don't wait for an hour.
    throttle: { enabled: false },
    retry: { retries: 1, retryAfterBaseValue: RETRY_MS },
    request: { fetch },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  octokit.hook.before("request", ({ headers }) => {
    headers["x-github-api-version"] = API_VERSION;
  });
  return octokit;
}

/** The time before a request that only reads is sent again. */
const RETRY_MS = 500;

function ignore(): void {
  // Errors are thrown, too.
}
