import { ModelError, type TroubleDetails } from "../core/ports/model.ts";

/** Trouble that may be over when it is tried again. */
export class BusyError extends ModelError {
  /** What happened, in whole sentences; the message adds what to do. */
  readonly what: string;
  readonly advice: string;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(what: string, advice: string, retryAfterMs?: number, details?: TroubleDetails) {
    super("busy", `${what} ${advice}`, details);
    this.what = what;
    this.advice = advice;
    this.retryAfterMs = retryAfterMs;
  }
}
