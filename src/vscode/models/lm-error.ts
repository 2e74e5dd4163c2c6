import * as vscode from "vscode";
import { ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { waitInBody } from "../../models/http/asked-wait.ts";
import {
  isBusyComplaint,
  isFilterComplaint,
  isFormatComplaint,
  isTooLongComplaint,
} from "../../models/http/complaints.ts";
import { quoteServerWords } from "../../models/http/endpoint.ts";
import type { ServerTrouble } from "../../models/http/error-response.ts";
import { BusyError } from "../../models/http/errors.ts";
import { StalledError } from "../../models/http/timers.ts";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";

const OTHER_MODEL = displayText("trouble.otherModel");

/** Converts a VS Code model's error to a `ModelError` whose message says what to do next. */
export function convertLmError(error: unknown, name: string, request: ModelRequest): ModelError {
  if (error instanceof StalledError)
    return new BusyError(
      displayText("trouble.modelStopped", { model: name }),
      displayText("trouble.tryAgainOr", { advice: OTHER_MODEL }),
    );
  const words = joinErrorMessages(error);
  const said = quoteServerWords(words, { apiKey: "" });
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  const refused = REFUSALS[code];
  if (refused !== undefined) return new ModelError("setup", joinSentences(refused(name), said));
  return createModelErrorFromTrouble(convertToServerTrouble(error), said, name, request);
}

/** Texts for VS Code's own refusals, by error code. */
const REFUSALS: Readonly<Record<string, (name: string) => Sentence>> = {
  NoPermissions: (name) => displayText("trouble.notPermitted", { model: name, advice: OTHER_MODEL }),
  NotFound: (name) => displayText("trouble.modelGone", { model: name, advice: OTHER_MODEL }),
  Blocked: (name) => displayText("trouble.modelBlocked", { model: name, advice: OTHER_MODEL }),
};

/** Turns an error of a VS Code model into a server error with only a message. */
export function convertToServerTrouble(error: unknown): ServerTrouble {
  return {
    status: undefined,
    complaint: { message: joinErrorMessages(error), code: "", type: "", param: "" },
    retryAfterMs: waitInBody(joinErrorMessages(error), Date.now()),
  };
}

function createModelErrorFromTrouble(
  trouble: ServerTrouble,
  said: Sentence | undefined,
  name: string,
  request: ModelRequest,
): ModelError {
  const about = { model: name, advice: OTHER_MODEL };
  if (isTooLongComplaint(trouble))
    return new ModelError("context", joinSentences(displayText("trouble.windowTooSmall", about), said));
  if (isFormatComplaint(trouble, request))
    return new ModelError("format", joinSentences(displayText("trouble.noTools", about), said));
  if (isFilterComplaint(trouble))
    return new ModelError("other", joinSentences(displayText("trouble.filterOfModel", about), said));
  if (isBusyComplaint(trouble))
    return new BusyError(
      joinSentences(displayText("trouble.cantAnswerNow", { model: name }), said),
      displayText("trouble.waitThenContinue"),
      trouble.retryAfterMs,
    );
  return new ModelError("other", joinSentences(displayText("trouble.didntAnswer", about), said));
}

/** Joins the messages of an error and its cause. */
function joinErrorMessages(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return [error.message, cause].filter((part) => part !== "").join(": ");
}
