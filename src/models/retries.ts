import {
  type Completion,
  type CompletionOptions,
  type Model,
  type ModelRequest,
  wrapModel,
} from "../core/ports/model.ts";
import { displayText, type Sentence } from "../texts/display-text.ts";
import { BusyError } from "./http/errors.ts";
import { wait } from "./http/timers.ts";

/** Number and delays of retries. */
export interface RetryPolicy {
  /** Includes the first attempt. Attempts after a wait requested by the server aren't counted. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A number from 0 up to 1. */
  getRandomNumber(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const RETRY_POLICY: RetryPolicy = {
  attempts: 6,
  firstDelayMs: 1_000,
  maxDelayMs: 30_000,
  getRandomNumber: Math.random,
  wait,
};

/** Limit on all attempts together, so that no server is asked forever. */
const MOST_ATTEMPTS = 20;
/** A longer wait requires the user's consent. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Retries a model after temporary trouble. Each delay is longer than the previous one, and never shorter than the server asks for, in
 * headers or words. Each is announced first and can be stopped. A cut-off reply starts over.
 */
export function addRetries(model: Model, policy: RetryPolicy = RETRY_POLICY): Model {
  return wrapModel(() => model, {
    async complete(request, completing) {
      const { patienceMs = Number.POSITIVE_INFINITY } = completing;
      let counted = 0;
      let waitedMs = 0;
      for (let attempt = 1; ; attempt++) {
        const result = await tryOnce(model, request, completing);
        if ("completion" in result) return result.completion;
        const { error, begun } = result;
        const { retryAfterMs = 0 } = error;
        const isAsked = retryAfterMs > 0;
        if (!isAsked) counted++;
        if (counted >= policy.attempts || attempt >= MOST_ATTEMPTS) throw addAttemptCount(error, attempt);
        const delayMs = computeRetryDelay(attempt, error, policy);
        waitedMs += delayMs;
        if (isAsked && (waitedMs > patienceMs || retryAfterMs > LONGEST_WAIT_MS))
          throw createLongWaitError(error, waitedMs);
        if (begun) completing.restarted?.();
        const attempts = isAsked ? MOST_ATTEMPTS : policy.attempts;
        completing.notice?.(describeRetry(error, delayMs, attempt + 1, attempts));
        await policy.wait(delayMs, completing.signal);
      }
    },
  });
}

type Attempt = { readonly completion: Completion } | { readonly error: BusyError; readonly begun: boolean };

async function tryOnce(model: Model, request: ModelRequest, completing: CompletionOptions): Promise<Attempt> {
  let begun = false;
  try {
    const completion = await model.complete(request, {
      signal: completing.signal,
      delta(delta) {
        begun = true;
        completing.delta?.(delta);
      },
      restarted: () => completing.restarted?.(),
      notice: (text, kind) => completing.notice?.(text, kind),
    });
    return { completion };
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    return { error, begun };
  }
}

/** Doubles with each attempt, with jitter so that many agents don't return at once. Never less than the server asks for. */
function computeRetryDelay(attempt: number, { retryAfterMs }: BusyError, policy: RetryPolicy): number {
  const longest = Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.maxDelayMs);
  const scattered = Math.round(longest * (0.5 + policy.getRandomNumber() / 2));
  if (retryAfterMs === undefined) return scattered;
  const asked = Math.round(retryAfterMs + policy.getRandomNumber() * Math.min(policy.firstDelayMs, retryAfterMs / 4));
  return Math.max(asked, scattered);
}

/** The error if the server asks for a longer wait than anyone has agreed to: `waitMs` in total. */
function createLongWaitError({ what, retryAfterMs = 0 }: BusyError, waitMs: number): BusyError {
  const until = new Date(Date.now() + retryAfterMs).toLocaleString("sv-SE").slice(0, 16);
  return new BusyError(
    displayText("trouble.asksToWait", { what, time: formatDuration(retryAfterMs), until }),
    displayText("trouble.continueThen"),
    retryAfterMs,
    { waitMs },
  );
}

function describeRetry(error: BusyError, delayMs: number, attempt: number, attempts: number): Sentence {
  return displayText("trouble.tryingAgain", {
    what: error.what,
    time: formatDuration(delayMs),
    attempt,
    attempts,
  });
}

/** A duration for people: `8 seconds`, `2 minutes`, `3 hours 20 minutes`. */
export function formatDuration(ms: number): Sentence {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 120) return displayText("trouble.seconds", { count: seconds });
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return displayText("trouble.minutes", { count: minutes });
  const rest = minutes % 60;
  const hours = displayText("trouble.hours", { count: Math.floor(minutes / 60) });
  return rest === 0
    ? hours
    : displayText("trouble.hoursAndMinutes", {
        hours,
        minutes: displayText("trouble.minutes", { count: rest }),
      });
}

function addAttemptCount(error: BusyError, attempts: number): BusyError {
  if (attempts === 1) return error;
  const { what, advice, retryAfterMs, isUnexplained, mayBeTooLong } = error;
  return new BusyError(displayText("trouble.triedTimes", { what, attempts }), advice, retryAfterMs, {
    isUnexplained,
    mayBeTooLong,
  });
}
