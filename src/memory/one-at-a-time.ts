/** A function for a timer: it does nothing while its last call is under way, because calls would pile up on a slow disk or server. */
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
