/**
 * Starts measuring the processor's time of this process, and returns a function that gives it in ms. On a busy machine,
 * work takes longer, but no more of it.
 */
export function cpuTime(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
}
