import { ModelError, type ModelRequest } from "../core/ports/model.ts";
import { answerError } from "./answer-errors.ts";
import { BusyError } from "./busy-error.ts";
import { connectionError } from "./connection-errors.ts";
import type { Server } from "./server.ts";
import { serverTrouble } from "./server-trouble.ts";
import { Stalled } from "./silence.ts";

/** A stream that ended without a word. */
export class NothingCame extends Error {
  override readonly name = "NothingCame";
}

/** What a call of a server threw, as a `ModelError` whose message is a sentence that says what to do next. */
export function modelError(error: unknown, server: Server, request: ModelRequest): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof Stalled) {
    return new BusyError(
      `${server.name} sent nothing for ${server.timeoutSeconds} seconds.`,
      "Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.",
    );
  }
  if (error instanceof NothingCame)
    return new BusyError(`${server.name} ended its answer without a word.`, "Go on to try again.");
  const trouble = serverTrouble(error);
  return trouble ? answerError(trouble, server, request) : connectionError(error, server);
}

/** True when a connection failed without a word from the server. */
export function isConnectionLoss(error: unknown): boolean {
  const isKnown = error instanceof ModelError || error instanceof Stalled || error instanceof NothingCame;
  return !isKnown && serverTrouble(error) === undefined;
}
