/** Wraps a function for a timer. A call does nothing while the previous one runs, because calls would pile up on a slow disk or server. */
export function skipWhileRunning(act: () => Promise<void>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    void act()
      .catch(() => "The next call tries again.")
      .finally(() => {
        isRunning = false;
      });
  };
}
