import { Queue } from "../../core/base/async.ts";
import type { Settings } from "../../schema/settings.ts";
import { wait } from "./timers.ts";

/** How much a server is asked in a minute at most; 0: no limit. */
export type PaceLimits = Pick<Settings["model"], "requestsPerMinute" | "tokensPerMinute">;

/** A clock, and how to wait by it. */
export interface PaceClock {
  /** In milliseconds. */
  getNow(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const CLOCK: PaceClock = { getNow: () => performance.now(), wait };

/** A minute, and three seconds in which one request may travel longer than another. */
const MINUTE_MS = 63_000;

/**
 * Spreads requests to a server evenly, so that no minute has more than the limits allow. The first one waits as well: a program that ended
 * right before may have sent requests until then. Tokens are known afterward, so the next request waits for them.
 */
export class Pace {
  private readonly getLimits: () => PaceLimits;
  private readonly clock: PaceClock;
  private readonly turns = new Queue();
  private last: number;
  /** When the tokens so far are within the limit. */
  private paidUntil = 0;

  constructor(getLimits: () => PaceLimits, clock: PaceClock = CLOCK) {
    this.getLimits = getLimits;
    this.clock = clock;
    this.last = clock.getNow();
  }

  /** Waits for the next turn. `onWait` gets the time until then, if there is any. */
  takeTurn(signal: AbortSignal, onWait?: (ms: number) => void): Promise<void> {
    return this.turns.add(async () => {
      for (let ms = this.computeWait(); ms > 0; ms = this.computeWait()) {
        onWait?.(ms);
        await this.clock.wait(ms, signal);
      }
      this.last = this.clock.getNow();
    });
  }

  /** Counts the tokens of a request and its reply. */
  spendTokens(tokens: number): void {
    const { tokensPerMinute } = this.getLimits();
    if (tokensPerMinute > 0)
      this.paidUntil = Math.max(this.paidUntil, this.last) + (tokens * MINUTE_MS) / tokensPerMinute;
  }

  private computeWait(): number {
    const { requestsPerMinute, tokensPerMinute } = this.getLimits();
    const spaced = requestsPerMinute > 0 ? this.last + MINUTE_MS / requestsPerMinute : 0;
    const paid = tokensPerMinute > 0 ? this.paidUntil : 0;
    return Math.ceil(Math.max(spaced, paid) - this.clock.getNow());
  }
}

/** Without limits. */
export const NO_PACE: PaceLimits = { requestsPerMinute: 0, tokensPerMinute: 0 };
