import { ModelError } from "../core/ports.ts";

/** Trouble that may be over when it is tried again. */
export class BusyError extends ModelError {
  /** How long the server asks to be left alone. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryAfterMs?: number) {
    super("busy", message);
    this.retryAfterMs = retryAfterMs;
  }
}
