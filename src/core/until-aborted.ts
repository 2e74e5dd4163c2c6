/** What a promise comes to. An abort throws the signal's reason at once; the promise is waited for no longer. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([aborted, promise]).finally(() => signal.removeEventListener("abort", abort));
}
