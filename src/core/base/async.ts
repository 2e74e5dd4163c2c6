/** Lets things happen one after the other, in the order they were asked for. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  /** What `act` gives, once all before it are done or have failed. */
  add<T>(act: () => Promise<T>): Promise<T> {
    const result = this.last.then(act);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that has been asked for so far is done or has failed. */
  get idle(): Promise<unknown> {
    return this.last;
  }
}

/** What a promise comes to. An abort throws the signal's reason at once; the promise is waited for no longer. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([aborted, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** The reason of a pause that the user asked for; any other pause means trouble. */
export const PAUSED_BY_USER = "Paused by the user.";

/** Where a run waits between two steps while it is paused. */
export class PauseGate {
  private why: string | undefined;
  private waiting: (() => void)[] = [];

  /** Why the run shall wait; undefined when the way is free. */
  get reason(): string | undefined {
    return this.why;
  }

  close(reason: string): void {
    this.why = reason;
  }

  open(): void {
    this.why = undefined;
    for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves when the gate opens; an abort throws the signal's reason. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.why === undefined) return;
    await untilAborted(new Promise<void>((resolve) => this.waiting.push(resolve)), signal);
  }
}
