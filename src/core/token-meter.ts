import type { ModelRequest } from "./ports.ts";
import { type CountTokens, estimateTokens, requestTokens } from "./tokens.ts";

/** A request whose tokens a server has counted. */
interface Anchor {
  readonly request: ModelRequest;
  readonly reported: number;
}

/** A server's count further from ours than this is of something else: images, another model behind the name. */
const MOST_OFF = 4;

/**
 * Counts the tokens of requests as a server would: what it said of the last request stands, and only what has changed since is counted
 * by ourselves, at the rate at which the two counts differed.
 */
export class TokenMeter {
  readonly count: CountTokens;
  private anchor: Anchor | undefined;

  constructor(count: CountTokens = estimateTokens) {
    this.count = count;
  }

  /** The prompt's tokens, as far as can be told. */
  of(request: ModelRequest): number {
    const counted = requestTokens(request, this.count);
    if (!this.anchor) return counted;
    const { reported } = this.anchor;
    const before = Math.max(1, requestTokens(this.anchor.request, this.count));
    return Math.max(1, Math.round(reported + ((counted - before) * reported) / before));
  }

  /** Takes in what a server said of a request. */
  learn(request: ModelRequest, reported: number): void {
    const off = reported / Math.max(1, requestTokens(request, this.count));
    if (off > 1 / MOST_OFF && off < MOST_OFF) this.anchor = { request, reported };
  }
}
