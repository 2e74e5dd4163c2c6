/**
 * Hands the signals that ask this process to end on to a child, and stays until the child has ended. Not a Ctrl-C at
 * a terminal: that has reached the child already, and would make two.
 */
export function forwardSignals(child) {
  const forward = (signal) => {
    if (signal !== "SIGINT" || !atTerminal()) child.kill(signal);
  };
  const signals = ["SIGTERM", "SIGHUP", "SIGINT"];
  for (const signal of signals) process.on(signal, forward);
  child.once("exit", () => {
    for (const signal of signals) process.off(signal, forward);
  });
}

function atTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}
