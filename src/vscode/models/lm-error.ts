import * as vscode from "vscode";
import { ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { saysBusy, saysFiltered, saysTooLong, saysWrongFormat } from "../../models/http/complaints.ts";
import { quotedWords } from "../../models/http/endpoint.ts";
import type { ServerTrouble } from "../../models/http/error-response.ts";
import { BusyError } from "../../models/http/errors.ts";
import { StalledError } from "../../models/http/timers.ts";

const OTHER_MODEL = 'choose another model with "AutoGPT: Select Model…"';

/** Turns an error of a VS Code model into a `ModelError` whose message says what to do next. */
export function lmError(error: unknown, name: string, request: ModelRequest): ModelError {
  if (error instanceof StalledError)
    return new BusyError(
      `${name} stopped responding.`,
      `Try again, ${OTHER_MODEL}, or give it more time in autogpt.model.timeoutSeconds.`,
    );
  const words = wordsOf(error);
  const said = quotedWords(words, { apiKey: "" });
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  const refused = REFUSALS[code];
  if (refused !== undefined) return new ModelError("setup", `${refused(name)}${said}`);
  return spokenError(spokenTrouble(error), said, name, request);
}

/** Refusals of VS Code itself, by error code. */
const REFUSALS: Readonly<Record<string, (name: string) => string>> = {
  NoPermissions: (name) =>
    `VS Code was not allowed to use ${name} for AutoGPT. Continue and allow it when VS Code asks, or ${OTHER_MODEL}.`,
  NotFound: (name) =>
    `VS Code no longer has the model ${name}. Sign in to its provider again, or ${OTHER_MODEL}.`,
  Blocked: (name) =>
    `${name} is blocked right now; its quota may be used up. Continue later, or ${OTHER_MODEL}.`,
};

/** Turns an error of a VS Code model into a server error with only a message. */
export function spokenTrouble(error: unknown): ServerTrouble {
  return {
    status: undefined,
    complaint: { message: wordsOf(error), code: "", type: "", param: "" },
    retryAfterMs: undefined,
  };
}

function spokenError(trouble: ServerTrouble, said: string, name: string, request: ModelRequest): ModelError {
  if (saysTooLong(trouble))
    return new ModelError(
      "context",
      `The prompt doesn't fit into the context window of ${name}. Use a model with a larger context window: ${OTHER_MODEL}.${said}`,
    );
  if (saysWrongFormat(trouble, request))
    return new ModelError(
      "format",
      `${name} doesn't support tools. Set autogpt.model.replyFormat to "text", or ${OTHER_MODEL}.${said}`,
    );
  if (saysFiltered(trouble))
    return new ModelError(
      "other",
      `The content filter of ${name} withheld the prompt or the reply. Change the task, or what it reads, and continue; or ${OTHER_MODEL}.${said}`,
    );
  if (saysBusy(trouble))
    return new BusyError(`${name} can't answer right now.${said}`, "Wait a little, then continue.");
  return new ModelError("other", `${name} didn't answer. Continue to try again, or ${OTHER_MODEL}.${said}`);
}

/** Messages of an error and its cause. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return [error.message, cause].filter((part) => part !== "").join(": ");
}
