import { ModelError, type ModelRequest, type TroubleDetails } from "../../core/ports/model.ts";
import type { ConnectionProblem } from "../../core/ports/model-source.ts";
import {
  saysBusy,
  saysFiltered,
  saysNoCredit,
  saysTooLong,
  saysUnknownModel,
  saysWrongFormat,
  sizesIn,
} from "./complaints.ts";
import { proxySentence, quotedWords, type Server } from "./endpoint.ts";
import { MOVED, type ServerTrouble, serverTrouble, WEB_PAGE } from "./error-response.ts";
import { StalledError } from "./timers.ts";

/** The stream ended without any content. */
export class EmptyReplyError extends Error {
  override readonly name = "NothingCame";
}

/** An error of a server call as a `ModelError`, whose message says what to do next. */
export function modelError(
  error: unknown,
  server: Server,
  request: ModelRequest,
  afterSeconds = 0,
): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof StalledError) {
    return new BusyError(
      `${server.name} sent nothing for ${server.timeoutSeconds} seconds.`,
      "Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.",
    );
  }
  if (error instanceof EmptyReplyError)
    return new BusyError(`${server.name} ended its reply without any content.`, "Try again.");
  const trouble = serverTrouble(error);
  if (trouble) return answerError(trouble, server, request);
  const { why } = whyUnreachable(error);
  return why === "lost" && afterSeconds >= CUT_BY_LIMIT_SECONDS
    ? cutByLimit(server, afterSeconds)
    : connectionError(error, server);
}

/** A connection that held this long was likely cut by a limit, and not by a fault. */
const CUT_BY_LIMIT_SECONDS = 20;

function cutByLimit({ name, steps }: Server, seconds: number): BusyError {
  return new BusyError(
    `The connection to ${name} was cut after ${Math.round(seconds)} seconds.`,
    `If that happens again after the same time, the server or a proxy before it limits how long a reply may take. Raise that limit, or choose a faster model with ${steps.model}.`,
  );
}

/** True if a connection failed before the server said anything. */
export function isConnectionLoss(error: unknown): boolean {
  const isKnown =
    error instanceof ModelError || error instanceof StalledError || error instanceof EmptyReplyError;
  return !isKnown && serverTrouble(error) === undefined;
}

/** A server's refusal as a sentence that says what to do next. */
function answerError(trouble: ServerTrouble, server: Server, request: ModelRequest): ModelError {
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
      `The provider's content filter withheld the prompt or the reply. Change the task or what it reads, or choose another model with ${server.steps.model}.${said}`,
    );
  if (saysWrongFormat(trouble, request))
    return new ModelError(
      "format",
      `${server.model} doesn't support the requested reply format. Set autogpt.model.replyFormat to "text", or choose another model with ${server.steps.model}.${said}`,
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
      "Wait a moment, then try again.",
      retryAfterMs,
      { isUnexplained: status !== undefined && UNEXPLAINED.has(status) && !saysBusy(trouble) },
    );
  return new ModelError(
    "other",
    `${server.name} did not accept the request${status === undefined ? "" : ` (${status})`}. Try again, or choose another model with ${server.steps.model}.${said}`,
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
  const hint = /\/v\d+\w*$/.test(name) ? "" : ` Such addresses usually end in /v1: try ${name}/v1.`;
  const what = complaint.code === WEB_PAGE ? "is a web page, not a chat API" : `has no chat API (${status})`;
  return new ModelError("setup", `${name} ${what}. Correct ${steps.address}.${hint}${said}`);
}

/** A server that fails on an unknown field may report only this status. */
const UNEXPLAINED = new Set([500, 501, 502]);
const RETRIED = new Set([408, 409, 425, 429]);

function isBusy(trouble: ServerTrouble): boolean {
  const { status } = trouble;
  return status === undefined ? saysBusy(trouble) : RETRIED.has(status) || status >= 500;
}

function busyWords(status: number | undefined): string {
  if (status === 429) return "is limiting requests right now (429)";
  if (status === undefined) return "cut off the reply";
  return status === 408 || status === 504 ? `took too long (${status})` : `returned an error (${status})`;
}

/** Why a connection couldn't be made. */
export function whyUnreachable(error: unknown): { readonly why: ConnectionProblem; readonly code: string } {
  const chain = causes(error);
  const code = chain.map(codeOf).find((each) => each !== "") ?? "";
  if (chain.some(({ message }) => /proxy response \(407\)/i.test(message))) return { why: "proxy", code };
  return { why: CODES.find(([, codes]) => codes.test(code))?.[0] ?? "lost", code };
}

const CODES: readonly (readonly [ConnectionProblem, RegExp])[] = [
  ["refused", /^ECONNREFUSED$/],
  ["unknownHost", /^ENOTFOUND$/],
  ["certificate", /^(DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_|^ERR_TLS_CERT_/],
  ["noHttps", /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/],
  ["noHttp", /^(HPE_|UND_ERR_INVALID_ARG|ERR_INVALID_URL)/],
];

/** Why no response came, as a sentence that says what to do next. */
export function connectionError(error: unknown, server: Server): ModelError {
  const { why, code } = whyUnreachable(error);
  const { name, host, steps } = server;
  switch (why) {
    case "refused":
      return setup(`Can't reach ${name}. Start the server there, or correct ${steps.address}.`);
    case "unknownHost":
      return setup(
        `There is no host "${host}". Check that this machine is online, and the spelling in ${steps.address}.`,
      );
    case "certificate":
      return setup(
        `The certificate of ${host} isn't trusted on this machine (${code}). If a company's proxy signs it, ${steps.certificate}; otherwise correct ${steps.address}.`,
      );
    case "noHttps":
      return setup(
        `${host} doesn't speak HTTPS at this address. If it's your own server, write http:// instead in ${steps.address}.`,
      );
    case "noHttp":
      return setup(`The program at ${name} isn't a web server. Correct ${steps.address}.`);
    case "proxy":
      return setup(proxySentence(server));
    case "lost":
      return lost(error, code, server);
  }
}

function setup(sentence: string): ModelError {
  return new ModelError("setup", sentence);
}

function lost(error: unknown, code: string, server: Server): ModelError {
  const chain = causes(error);
  const words = quotedWords(chain.at(-1)?.message ?? String(error), server);
  if (chain.some((cause) => cause instanceof SyntaxError))
    return new BusyError(`${server.name} sent something that isn't part of a reply.${words}`, "Try again.");
  return new BusyError(
    `The connection to ${server.name} was lost${code === "" ? "" : ` (${code})`}.${words}`,
    "Check the network, then try again.",
  );
}

/** The error and its causes, outermost first; of several attempts, the last one's. */
function causes(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  let next = error;
  while (next instanceof Error && chain.length < 8) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors.at(-1) : next.cause;
  }
  return chain;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Trouble that may pass, so that another try makes sense. */
export class BusyError extends ModelError {
  /** Whole sentences about the event. The message adds the next step. */
  readonly what: string;
  readonly advice: string;
  /** Delay that the server asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(what: string, advice: string, retryAfterMs?: number, details?: TroubleDetails) {
    super("busy", `${what} ${advice}`, details);
    this.what = what;
    this.advice = advice;
    this.retryAfterMs = retryAfterMs;
  }
}
