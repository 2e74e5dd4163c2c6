import { ModelError, type ModelRequest } from "../core/ports/model.ts";
import { BusyError } from "./busy-error.ts";
import {
  saysBusy,
  saysFiltered,
  saysNoCredit,
  saysTooLong,
  saysUnknownModel,
  saysWrongFormat,
  sizesIn,
} from "./complaints.ts";
import { MOVED, WEB_PAGE } from "./error-answer.ts";
import { proxySentence, quotedWords, type Server } from "./server.ts";
import type { ServerTrouble } from "./server-trouble.ts";

/** What a server answered instead of a reply, as a sentence that says what to do next. */
export function answerError(trouble: ServerTrouble, server: Server, request: ModelRequest): ModelError {
  const said = quotedWords(trouble.complaint.message, server);
  if (saysNoCredit(trouble))
    return new ModelError(
      "setup",
      `Your account at ${server.host} is out of credit. Top it up or raise its limit at the provider, or choose another model with ${server.steps.model}.${said}`,
    );
  if (saysTooLong(trouble))
    return new ModelError(
      "context",
      `The prompt does not fit into ${server.model}. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.${said}`,
      sizesIn(trouble),
    );
  if (saysFiltered(trouble))
    return new ModelError(
      "other",
      `The provider's content filter withheld the prompt or the reply. Change the task, or what it reads, and go on; or choose another model with ${server.steps.model}.${said}`,
    );
  if (saysWrongFormat(trouble, request))
    return new ModelError(
      "format",
      `${server.model} does not take the reply format that was asked for. Set autogpt.model.replyFormat to "text", or choose another model with ${server.steps.model}.${said}`,
    );
  return statusError(trouble, server, said);
}

function statusError(trouble: ServerTrouble, server: Server, said: string): ModelError {
  const { status, complaint, retryAfterMs } = trouble;
  if (status === 401) return wrongKey(server, said);
  if (status === 407) return new ModelError("setup", proxySentence(server));
  if (complaint.code === MOVED) return wrongAddress(trouble, server);
  const noSuchPath = status === 404 || status === 405;
  if (noSuchPath && complaint.code === WEB_PAGE) return wrongAddress(trouble, server);
  if (saysUnknownModel(trouble))
    return new ModelError(
      "setup",
      `${server.name} has no model "${server.model}". Choose one that it has with ${server.steps.model}.${said}`,
    );
  if (status === 403)
    return new ModelError(
      "setup",
      `${server.name} does not let this API key use ${server.model}. Ask its owner for access, or choose another model with ${server.steps.model}.${said}`,
    );
  if (noSuchPath) return wrongAddress(trouble, server, said);
  if (isBusy(trouble))
    return new BusyError(
      `${server.name} ${busyWords(status)}.${said}`,
      "Wait a little and go on.",
      retryAfterMs,
      { isUnexplained: status !== undefined && UNEXPLAINED.has(status) && !saysBusy(trouble) },
    );
  return new ModelError(
    "other",
    `${server.name} did not accept the request${status === undefined ? "" : ` (${status})`}. Go on to try it once more, or choose another model with ${server.steps.model}.${said}`,
    { isUnexplained: true },
  );
}

function wrongKey(server: Server, said: string): ModelError {
  return new ModelError(
    "setup",
    server.apiKey === ""
      ? `${server.name} needs an API key, and none is set. To set one, ${server.steps.key}.${said}`
      : `${server.name} rejected the API key. Check that it's complete, valid and for this server; to change it, ${server.steps.key}.${said}`,
  );
}

function wrongAddress({ status, complaint }: ServerTrouble, server: Server, said = ""): ModelError {
  const { name, steps } = server;
  if (complaint.code === MOVED)
    return new ModelError(
      "setup",
      `${name} redirects to ${complaint.message || "another address"}, and an API key is never sent there. If that's the right place, put its address into ${steps.address}.`,
    );
  const hint = /\/v\d+\w*$/.test(name) ? "" : ` Such addresses mostly end in /v1: try ${name}/v1.`;
  const what = complaint.code === WEB_PAGE ? "is a web page and no chat API" : `has no chat API (${status})`;
  return new ModelError("setup", `${name} ${what}. Correct ${steps.address}.${hint}${said}`);
}

/** A server that fails at a field it doesn't know may say no more than that. */
const UNEXPLAINED = new Set([500, 501, 502]);
const RETRIED = new Set([408, 409, 425, 429]);

function isBusy(trouble: ServerTrouble): boolean {
  const { status } = trouble;
  return status === undefined ? saysBusy(trouble) : RETRIED.has(status) || status >= 500;
}

function busyWords(status: number | undefined): string {
  if (status === 429) return "lets in no more requests just now (429)";
  if (status === undefined) return "broke off the reply";
  return status === 408 || status === 504 ? `took too long (${status})` : `returned an error (${status})`;
}
