import * as vscode from "vscode";
import { ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { waitInBody } from "../../models/http/asked-wait.ts";
import { saysBusy, saysFiltered, saysTooLong, saysWrongFormat } from "../../models/http/complaints.ts";
import { quotedWords } from "../../models/http/endpoint.ts";
import type { ServerTrouble } from "../../models/http/error-response.ts";
import { BusyError } from "../../models/http/errors.ts";
import { StalledError } from "../../models/http/timers.ts";
import { displayText, type Sentence, sentences } from "../../texts/display-text.ts";

const OTHER_MODEL = displayText("trouble.otherModel");

/** Turns an error of a VS Code model into a `ModelError` whose message says what to do next. */
export function lmError(error: unknown, name: string, request: ModelRequest): ModelError {
  if (error instanceof StalledError)
    return new BusyError(
      displayText("trouble.modelStopped", { model: name }),
      displayText("trouble.tryAgainOr", { advice: OTHER_MODEL }),
    );
  const words = wordsOf(error);
  const said = quotedWords(words, { apiKey: "" });
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  const refused = REFUSALS[code];
  if (refused !== undefined) return new ModelError("setup", sentences(refused(name), said));
  return spokenError(spokenTrouble(error), said, name, request);
}

/** Refusals of VS Code itself, by error code. */
const REFUSALS: Readonly<Record<string, (name: string) => Sentence>> = {
  NoPermissions: (name) => displayText("trouble.notPermitted", { model: name, advice: OTHER_MODEL }),
  NotFound: (name) => displayText("trouble.modelGone", { model: name, advice: OTHER_MODEL }),
  Blocked: (name) => displayText("trouble.modelBlocked", { model: name, advice: OTHER_MODEL }),
};

/** Turns an error of a VS Code model into a server error with only a message. */
export function spokenTrouble(error: unknown): ServerTrouble {
  return {
    status: undefined,
    complaint: { message: wordsOf(error), code: "", type: "", param: "" },
    retryAfterMs: waitInBody(wordsOf(error), Date.now()),
  };
}

function spokenError(
  trouble: ServerTrouble,
  said: Sentence | undefined,
  name: string,
  request: ModelRequest,
): ModelError {
  const about = { model: name, advice: OTHER_MODEL };
  if (saysTooLong(trouble))
    return new ModelError("context", sentences(displayText("trouble.windowTooSmall", about), said));
  if (saysWrongFormat(trouble, request))
    return new ModelError("format", sentences(displayText("trouble.noTools", about), said));
  if (saysFiltered(trouble))
    return new ModelError("other", sentences(displayText("trouble.filterOfModel", about), said));
  if (saysBusy(trouble))
    return new BusyError(
      sentences(displayText("trouble.cantAnswerNow", { model: name }), said),
      displayText("trouble.waitThenContinue"),
      trouble.retryAfterMs,
    );
  return new ModelError("other", sentences(displayText("trouble.didntAnswer", about), said));
}

/** Messages of an error and its cause. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return [error.message, cause].filter((part) => part !== "").join(": ");
}
