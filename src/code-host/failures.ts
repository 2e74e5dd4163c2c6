import { getErrorMessage } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { cutText } from "../core/base/text.ts";
import { DisplayError, type DisplayText, displayText } from "../texts/display-text.ts";
import type { RemoteRepository } from "./remotes.ts";
import { nameRequest } from "./servers.ts";

/** The server no longer accepts the token, so its user has to sign in again. */
export class SignedOutError extends DisplayError {}

const LONGEST_WORDS = 300;

interface ServerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly words: string;
  /** The token is valid, but not for this. */
  readonly isScopeMissing?: boolean;
}

/** The error for people of a request about a repository, or about one of its issues or pull requests, such as `#12`. */
export function describeCodeHostFailure(error: unknown, repository: RemoteRepository, about?: string): Error {
  if (error instanceof DisplayError) return error;
  if (isObject(error) && error.cause instanceof DisplayError) return error.cause;
  const { host } = new URL(repository.server.web);
  const answer = readAnswer(error);
  if (!answer) {
    const why = cutText(getErrorMessage(error), LONGEST_WORDS);
    return new DisplayError(displayText("codehost.unreachable", { host, why }), { cause: error });
  }
  if (answer.status === 401) return new SignedOutError(displayText("codehost.signedOut", { host }), { cause: error });
  if (answer.status === 403 && answer.isScopeMissing)
    return new SignedOutError(displayText("codehost.scopeMissing", { host }), { cause: error });
  if ([409, 422].includes(answer.status) && /(?:pull|merge) request already exists/i.test(answer.words))
    return new DisplayError(displayText("codehost.pullExists", { host, ...nameRequest(repository.server) }), {
      cause: error,
    });
  return new DisplayError(describeAnswer(answer, repository, about), { cause: error });
}

function describeAnswer(answer: ServerAnswer, repository: RemoteRepository, about: string | undefined): DisplayText {
  const { status, words } = answer;
  const { host } = new URL(repository.server.web);
  const name = `${repository.owner}/${repository.name}`;
  const limit = findLimitEnd(answer);
  if (limit !== undefined) return displayText("codehost.limited", { host, count: limit });
  switch (status) {
    case 403:
      return displayText("codehost.forbidden", { host, repository: name, words });
    case 404:
      return about === undefined
        ? displayText("codehost.noRepository", { repository: name })
        : displayText("codehost.noIssue", { repository: name, number: about });
    case 410:
      return displayText("codehost.deleted", { repository: name, number: about ?? "" });
    default:
      return status >= 500
        ? displayText("codehost.serverDown", { host, status })
        : displayText("codehost.refused", { host, words });
  }
}

/** The seconds until a limit of requests ends; undefined if none was reached. */
function findLimitEnd({ status, headers, words }: ServerAnswer, now = Date.now()): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(headers["retry-after"] ?? Number.NaN);
  if (Number.isFinite(after)) return Math.max(1, Math.ceil(after));
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? Number.NaN);
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  if (String(remaining) === "0" && Number.isFinite(reset)) return Math.max(1, Math.ceil(reset - now / 1000));
  return status === 429 || /secondary rate limit/i.test(words) ? FALLBACK_SECONDS : undefined;
}

/** The wait that the documentation advises where the answer says nothing. */
const FALLBACK_SECONDS = 60;

/** The server's answer; undefined if there was none. Errors of GraphQL come with status 200. */
function readAnswer(error: unknown): ServerAnswer | undefined {
  if (!isObject(error) || !isObject(error.response)) {
    // GraphQL's errors have the headers beside the answer's data.
    if (!isObject(error) || !Array.isArray(error.errors)) return undefined;
    const [first] = error.errors;
    const kind = isObject(first) ? String(first.type ?? "") : "";
    return { status: GRAPHQL[kind] ?? 422, headers: readHeaders(error.headers), words: readWords(error) };
  }
  const { headers, data } = error.response;
  const isScopeMissing = isObject(data) && data.error === "insufficient_scope";
  return { status: Number(error.status), headers: readHeaders(headers), words: readWords(error), isScopeMissing };
}

const GRAPHQL: Readonly<Record<string, number>> = { NOT_FOUND: 404, FORBIDDEN: 403, RATE_LIMITED: 429 };

function readHeaders(headers: unknown): ServerAnswer["headers"] {
  return isObject(headers)
    ? Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          typeof value === "string" || typeof value === "number" ? [[name, value] as const] : [],
        ),
      )
    : {};
}

/** The server's own words: those of its errors, or its message, which may be a list or have one for each field. */
function readWords(error: object): string {
  const response = "response" in error && isObject(error.response) ? error.response : {};
  const data = isObject(response.data) ? response.data : {};
  const details = Array.isArray(data.errors) ? data.errors : [];
  const said = details.flatMap((one: unknown) =>
    isObject(one) && typeof one.message === "string" ? [one.message] : [],
  );
  const message = listStrings([data.message ?? data.error_description ?? data.error]).join(" ");
  const words = (said.length > 0 ? said.join(" ") : message || getErrorMessage(error))
    .replace(/ - https:\S+$/, "")
    .trim();
  return cutText(words.replace(/[.\s]+$/, ""), LONGEST_WORDS);
}

/** All strings in a value, to the depth to which servers put them. */
function listStrings(values: readonly unknown[], depth = 3): readonly string[] {
  return values.flatMap((value) => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null && depth > 0 ? listStrings(Object.values(value), depth - 1) : [];
  });
}
