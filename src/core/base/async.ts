import type { Sentence } from "../../texts/display-text.ts";

/** Runs actions one at a time, in the order of the calls. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs an action once all earlier ones have settled, and returns its result. A failure doesn't stop the later ones. */
  add<T>(act: () => Promise<T>): Promise<T> {
    const result = this.last.then(act);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves once all actions added so far have settled. */
  get idle(): Promise<unknown> {
    return this.last;
  }
}

/** Runs the action at the first call only; every call returns its result. */
export function limitToOneCall<Result extends object>(act: () => Result): () => Result {
  let result: Result | undefined;
  return () => {
    result ??= act();
    return result;
  };
}

/** Waits up to `ms` milliseconds until a promise is settled. */
export async function waitForSettled(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a promise is fulfilled in the end. */
export async function hasSucceeded(promise: PromiseLike<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}

/** Waits for a promise. An abort ends the wait at once and throws the signal's reason. */
export async function waitUntilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([aborted, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** Waits for a promise, but no longer than until an abort. */
export async function waitOrAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return waitUntilAborted(promise, signal).catch((error: unknown) => {
    if (signal.aborted) return "aborted";
    throw error;
  });
}

/** Reason of a pause that the user asked for. Any other reason indicates a problem. */
export const PAUSED_BY_USER = "Paused by the user.";

/** Holds a run between two steps while it is paused. */
export class PauseGate {
  private why: Sentence | undefined;
  private waiting: (() => void)[] = [];

  /** Why the run should wait; undefined while the gate is open. */
  get reason(): Sentence | undefined {
    return this.why;
  }

  close(reason: Sentence): void {
    this.why = reason;
  }

  open(): void {
    this.why = undefined;
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** Resolves when the gate opens. An abort throws the signal's reason. */
  async waitUntilOpen(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.why === undefined) return;
    await waitUntilAborted(new Promise<void>((resolve) => this.waiting.push(resolve)), signal);
  }
}

/** Runs calls of the same name one after the other, in order. Calls of different names don't wait for each other. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<void>>();

  run(name: string, act: () => Promise<void>): Promise<void> {
    const turn = (this.last.get(name) ?? Promise.resolve()).then(act);
    const over = turn
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(name) === over) this.last.delete(name);
      });
    this.last.set(name, over);
    return turn;
  }
}

/** The reason of signals whose work has settled. It's shared, because creating an error each time costs more than the rest. */
const SETTLED = new DOMException("This operation was aborted", "AbortError");

/** Runs an operation that may never settle, for a limited time. 0 means until the signal aborts. */
export async function runWithinTime<T>(
  ms: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (why: Error): void => {
    controller.abort(why);
    reject(why);
  };
  const stop = (): void => end(new Error("nobody needs the answer any more"));
  const timer = ms > 0 ? setTimeout(() => end(new Error(`no answer within ${ms / 1000} s`)), ms) : undefined;
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([act(controller.signal), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    controller.abort(SETTLED);
  }
}
