import { ModelError, type ModelRequest, type TroubleDetails } from "../../core/ports/model.ts";
import type { ConnectionProblem } from "../../core/ports/model-source.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import {
  isBusyComplaint,
  isFilterComplaint,
  isForbiddenComplaint,
  isFormatComplaint,
  isFormatLengthComplaint,
  isNoCreditComplaint,
  isTokenCountComplaint,
  isTooLongComplaint,
  isTooManyBytesComplaint,
  isUnknownModelComplaint,
  isWrongKeyComplaint,
  mayMeanLength,
  readTokenSizes,
} from "./complaints.ts";
import { describeProxyStep, isLoopback, quoteServerWords, type Server } from "./endpoint.ts";
import { MOVED, readServerTrouble, type ServerTrouble, WEB_PAGE } from "./error-response.ts";
import { StalledError, WordlessError } from "./timers.ts";

/** The stream ended without any content. */
export class EmptyReplyError extends Error {
  override readonly name = "NothingCame";
}

/** An error of a server call as a `ModelError`, whose message says what to do next. */
export function createModelError(error: unknown, server: Server, request: ModelRequest, afterSeconds = 0): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof StalledError) {
    return new BusyError(
      displayText("trouble.serverSilent", {
        server: server.name,
        timeoutSeconds: server.timeoutSeconds,
      }),
      displayText("trouble.tryFasterModel"),
    );
  }
  if (error instanceof WordlessError)
    return new ModelError(
      "other",
      joinSentences(
        displayText("trouble.serverWordless", { server: server.name, count: error.minutes }),
        displayText("trouble.tryFasterModel"),
      ),
    );
  if (error instanceof EmptyReplyError)
    return new BusyError(
      displayText("trouble.emptyReply", { server: server.name }),
      displayText("trouble.tryAgain"),
      undefined,
      { mayBeTooLong: true },
    );
  const trouble = readServerTrouble(error);
  if (trouble) return createRefusalError(trouble, server, request);
  const { why } = classifyConnectionError(error);
  return why === "lost" && afterSeconds >= CUT_BY_LIMIT_SECONDS
    ? createCutByLimitError(server, afterSeconds)
    : createConnectionError(error, server);
}

/** A connection that lasted this long was probably cut by a limit, and not by a fault. */
const CUT_BY_LIMIT_SECONDS = 20;

function createCutByLimitError({ name, steps }: Server, seconds: number): BusyError {
  return new BusyError(
    displayText("trouble.connectionCut", { name, seconds: Math.round(seconds) }),
    displayText("trouble.ifCutAgain", { model: steps.model }),
  );
}

/** True if a connection failed before the server sent anything. */
export function isConnectionLoss(error: unknown): boolean {
  const isKnown = [ModelError, StalledError, WordlessError, EmptyReplyError].some((kind) => error instanceof kind);
  return !isKnown && readServerTrouble(error) === undefined;
}

/** Converts a server's refusal to a sentence that says what to do next. */
function createRefusalError(trouble: ServerTrouble, server: Server, request: ModelRequest): ModelError {
  const said = quoteServerWords(trouble.complaint.message, server);
  if (isWrongKeyComplaint(trouble)) return createWrongKeyError(server, said);
  if (isNoCreditComplaint(trouble))
    return new ModelError(
      "setup",
      joinSentences(displayText("trouble.outOfCredit", { host: server.host, model: server.steps.model }), said),
    );
  if (isTooManyBytesComplaint(trouble))
    return new ModelError(
      "context",
      joinSentences(displayText("trouble.requestTooLarge", { server: server.name }), said),
      { mayBeTooLong: true },
    );
  if (isTooLongComplaint(trouble))
    return new ModelError(
      "context",
      joinSentences(displayText("trouble.promptTooLong", { name: server.model }), said),
      readTokenSizes(trouble),
    );
  if (isFilterComplaint(trouble))
    return new ModelError(
      "other",
      joinSentences(displayText("trouble.filterWithheld", { model: server.steps.model }), said),
    );
  if (isFormatComplaint(trouble, request))
    return new ModelError(
      "format",
      joinSentences(displayText("trouble.formatUnsupported", { name: server.model, model: server.steps.model }), said),
      { mayBeTooLong: isFormatLengthComplaint(trouble) },
    );
  return createStatusError(trouble, server, said);
}

function createStatusError(trouble: ServerTrouble, server: Server, said?: Sentence): ModelError {
  const { status, complaint, retryAfterMs } = trouble;
  if (status === 407) return new ModelError("setup", describeProxyStep(server));
  if (complaint.code === MOVED) return createWrongAddressError(trouble, server);
  const noSuchPath = status === 404 || status === 405;
  if ((noSuchPath || status === undefined) && complaint.code === WEB_PAGE)
    return createWrongAddressError(trouble, server);
  const isOfSize = isTokenCountComplaint(trouble);
  if (!isOfSize && isForbiddenComplaint(trouble))
    return new ModelError(
      "setup",
      joinSentences(
        displayText("trouble.modelForbidden", {
          server: server.name,
          name: server.model,
          model: server.steps.model,
        }),
        said,
      ),
    );
  if (!isOfSize && isUnknownModelComplaint(trouble))
    return new ModelError(
      "setup",
      joinSentences(
        displayText("trouble.modelMissing", {
          server: server.name,
          name: server.model,
          model: server.steps.model,
        }),
        said,
      ),
    );
  if (!isOfSize && noSuchPath) return createWrongAddressError(trouble, server, said);
  if (isBusy(trouble))
    return new BusyError(
      joinSentences(describeBusyServer(server.name, status), said),
      displayText("trouble.waitThenTry"),
      retryAfterMs,
      {
        isUnexplained: status !== undefined && UNEXPLAINED.has(status) && !isBusyComplaint(trouble),
        mayBeTooLong: mayMeanLength(trouble),
      },
    );
  return new ModelError("other", joinSentences(describeRejection(server, status), said), {
    isUnexplained: true,
    mayBeTooLong: true,
  });
}

function describeRejection({ name, steps: { model } }: Server, status: number | undefined): Sentence {
  return status === undefined
    ? displayText("trouble.requestRejectedPlain", { server: name, model })
    : displayText("trouble.requestRejected", { server: name, status: String(status), model });
}

function createWrongKeyError(server: Server, said?: Sentence): ModelError {
  const about = { server: server.name, key: server.steps.key };
  return new ModelError(
    "setup",
    joinSentences(
      server.apiKey === "" ? displayText("trouble.needsKey", about) : displayText("trouble.keyRejected", about),
      said,
    ),
  );
}

function createWrongAddressError({ status, complaint }: ServerTrouble, server: Server, said?: Sentence): ModelError {
  const { name, steps } = server;
  if (complaint.code === MOVED)
    return new ModelError(
      "setup",
      displayText("trouble.redirectRefused", {
        name,
        message: complaint.message || displayText("trouble.anotherAddress"),
        address: steps.address,
      }),
    );
  const hint = /\/v\d+\w*$/.test(name) ? undefined : displayText("trouble.usualEnding", { address: `${name}/v1` });
  const about = { server: name, address: steps.address };
  const what =
    complaint.code === WEB_PAGE
      ? displayText("trouble.webPage", about)
      : displayText("trouble.noChatApi", { ...about, status: String(status) });
  return new ModelError("setup", joinSentences(what, hint, said));
}

/** A server that fails on an unknown field may report only this status. */
const UNEXPLAINED = new Set([500, 501, 502]);
const RETRIED = new Set([408, 409, 425, 429]);

function isBusy(trouble: ServerTrouble): boolean {
  const { status } = trouble;
  if (status === undefined) return isBusyComplaint(trouble);
  return RETRIED.has(status) || (status >= 500 && (isBusyComplaint(trouble) || !isTokenCountComplaint(trouble)));
}

function describeBusyServer(server: string, status: number | undefined): Sentence {
  if (status === 429) return displayText("trouble.limitsRequests", { server });
  if (status === undefined) return displayText("trouble.cutOffReply", { server });
  return displayText(status === 408 || status === 504 ? "trouble.tookTooLong" : "trouble.serverError", {
    server,
    status: String(status),
  });
}

/** Why a connection couldn't be made. */
export function classifyConnectionError(error: unknown): {
  readonly why: ConnectionProblem;
  readonly code: string;
} {
  const chain = listCauses(error);
  const code = chain.map(findErrorCode).find(Boolean) ?? "";
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
export function createConnectionError(error: unknown, server: Server): ModelError {
  const { why, code } = classifyConnectionError(error);
  const { name, host, steps } = server;
  switch (why) {
    case "refused":
      return createSetupError(
        steps.remote !== undefined && isLoopback(name)
          ? displayText("trouble.unreachableRemotely", { name, remote: steps.remote, address: steps.address })
          : displayText("trouble.unreachable", { name, address: steps.address }),
      );
    case "unknownHost":
      return createSetupError(displayText("trouble.noSuchHost", { host, address: steps.address }));
    case "certificate":
      return createSetupError(
        displayText("trouble.untrustedCertificate", {
          host,
          code,
          certificate: steps.certificate,
          address: steps.address,
        }),
      );
    case "noHttps":
      return createSetupError(displayText("trouble.noHttps", { host, address: steps.address }));
    case "noHttp":
      return createSetupError(displayText("trouble.notAWebServer", { name, address: steps.address }));
    case "proxy":
      return createSetupError(describeProxyStep(server));
    case "lost":
      return createLostConnectionError(error, code, server);
  }
}

function createSetupError(sentence: Sentence): ModelError {
  return new ModelError("setup", sentence);
}

function createLostConnectionError(error: unknown, code: string, server: Server): ModelError {
  const chain = listCauses(error);
  const words = quoteServerWords(chain.at(-1)?.message ?? String(error), server);
  if (chain.some((cause) => cause instanceof SyntaxError))
    return new BusyError(
      joinSentences(displayText("trouble.notReply", { server: server.name }), words),
      displayText("trouble.tryAgain"),
    );
  const what =
    code === ""
      ? displayText("trouble.connectionLostPlain", { server: server.name })
      : displayText("trouble.connectionLost", { server: server.name, code });
  return new BusyError(joinSentences(what, words), displayText("trouble.checkNetwork"));
}

/** The error and its causes, outermost first; after several attempts, those of the last one. */
function listCauses(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  let next = error;
  while (next instanceof Error && chain.length < 8) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors.at(-1) : next.cause;
  }
  return chain;
}

/** Temporary trouble, so that another attempt makes sense. */
export class BusyError extends ModelError {
  /** Whole sentences about the event. The message adds the next step. */
  readonly what: Sentence;
  readonly advice: Sentence;
  /** Delay that the server asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(what: Sentence, advice: Sentence, retryAfterMs?: number, details?: TroubleDetails) {
    super("busy", joinSentences(what, advice), details);
    this.what = what;
    this.advice = advice;
    this.retryAfterMs = retryAfterMs;
  }
}
