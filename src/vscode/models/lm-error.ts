import * as vscode from "vscode";
import { ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { saysBusy, saysFiltered, saysTooLong, saysWrongFormat } from "../../models/http/complaints.ts";
import { quotedWords } from "../../models/http/endpoint.ts";
import type { ServerTrouble } from "../../models/http/error-response.ts";
import { BusyError } from "../../models/http/errors.ts";
import { StalledError } from "../../models/http/timers.ts";

const OTHER_MODEL = 'choose another model with "AutoGPT: Select Model…"';

/** What a model of VS Code threw, as a `ModelError` whose message is a sentence that says what to do next. */
export function lmError(error: unknown, name: string, request: ModelRequest): ModelError {
  if (error instanceof StalledError)
    return new BusyError(
      `${name} has fallen silent.`,
      `Try again, ${OTHER_MODEL}, or give it more time in autogpt.model.timeoutSeconds.`,
    );
  const words = wordsOf(error);
  const said = quotedWords(words, { apiKey: "" });
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  const refused = REFUSALS[code];
  if (refused !== undefined) return new ModelError("setup", `${refused(name)}${said}`);
  return spokenError(spokenTrouble(error), said, name, request);
}

/** What VS Code itself refuses, by the code of its error. */
const REFUSALS: Readonly<Record<string, (name: string) => string>> = {
  NoPermissions: (name) =>
    `VS Code was not allowed to use ${name} for AutoGPT. Go on and allow it when VS Code asks, or ${OTHER_MODEL}.`,
  NotFound: (name) =>
    `VS Code does not have the model ${name} any more. Sign in to its provider again, or ${OTHER_MODEL}.`,
  Blocked: (name) =>
    `${name} is blocked at the moment; its quota may be used up. Go on later, or ${OTHER_MODEL}.`,
};

/** An error of a VS Code model as a server's trouble, of which only the message is known. */
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
      `The prompt does not fit into ${name}. Use a model with a larger context window: ${OTHER_MODEL}.${said}`,
    );
  if (saysWrongFormat(trouble, request))
    return new ModelError(
      "format",
      `${name} takes no tools. Set autogpt.model.replyFormat to "text", or ${OTHER_MODEL}.${said}`,
    );
  if (saysFiltered(trouble))
    return new ModelError(
      "other",
      `The content filter of ${name} withheld the prompt or the reply. Change the task, or what it reads, and go on; or ${OTHER_MODEL}.${said}`,
    );
  if (saysBusy(trouble))
    return new BusyError(`${name} cannot answer just now.${said}`, "Wait a little and go on.");
  return new ModelError(
    "other",
    `${name} did not answer. Go on to try it once more, or ${OTHER_MODEL}.${said}`,
  );
}

/** The words of an error and of what caused it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return [error.message, cause].filter((part) => part !== "").join(": ");
}
