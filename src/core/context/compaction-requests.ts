/** Outcome of a request to compact the history. */
export type CompactionResult =
  | { readonly kind: "compacted"; readonly tokensBefore: number; readonly tokensAfter: number }
  /** The history is too short to gain anything. */
  | { readonly kind: "nothing" }
  /** The run stopped before its next step. */
  | { readonly kind: "stopped" };

/** The user's requests to compact the history before the next step. */
export class CompactionRequests {
  private waiting: ((result: CompactionResult) => void)[] = [];

  get isOpen(): boolean {
    return this.waiting.length > 0;
  }

  /** Resolves once the next step has begun, or the run has stopped. */
  request(): Promise<CompactionResult> {
    const { promise, resolve } = Promise.withResolvers<CompactionResult>();
    this.waiting.push(resolve);
    return promise;
  }

  settle(result: CompactionResult): void {
    for (const resolve of this.waiting.splice(0)) resolve(result);
  }
}
