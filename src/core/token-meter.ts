import type { ModelRequest } from "./ports.ts";
import { type CountTokens, estimateTokens, requestTokens } from "./tokens.ts";

/** A request whose tokens a server has counted. */
interface Anchor {
  readonly request: ModelRequest;
  readonly reported: number;
}

/** A server's count further from ours than this is of something else: images, another model behind the name. */
const MOST_OFF = 4;
/** From a smaller difference of two requests nothing can be learnt of the rate. */
const LEAST_DIFFERENCE = 100;
const LEAST_RATE = 0.5;
const MOST_RATE = 2;

/**
 * Counts the tokens of requests as a server would: what it said of the last request stands, and only what has changed since is counted
 * by ourselves, at the rate at which the two counts grew so far.
 */
export class TokenMeter {
  readonly count: CountTokens;
  private anchor: Anchor | undefined;
  /** Tokens of the server's for one of ours. */
  private rate = 1;

  constructor(count: CountTokens = estimateTokens) {
    this.count = count;
  }

  /** The prompt's tokens, as far as can be told. */
  of(request: ModelRequest): number {
    const counted = requestTokens(request, this.count);
    if (!this.anchor) return counted;
    const more = counted - requestTokens(this.anchor.request, this.count);
    return Math.max(1, Math.round(this.anchor.reported + more * this.rate));
  }

  /** Takes in what a server said of a request. */
  learn(request: ModelRequest, reported: number): void {
    const counted = requestTokens(request, this.count);
    const off = reported / Math.max(1, counted);
    if (off < 1 / MOST_OFF || off > MOST_OFF) return;
    if (this.anchor) this.learnRate(counted - requestTokens(this.anchor.request, this.count), reported);
    this.anchor = { request, reported };
  }

  private learnRate(more: number, reported: number): void {
    if (!this.anchor || Math.abs(more) < LEAST_DIFFERENCE) return;
    const seen = (reported - this.anchor.reported) / more;
    this.rate = (this.rate + Math.min(MOST_RATE, Math.max(LEAST_RATE, seen))) / 2;
  }
}
