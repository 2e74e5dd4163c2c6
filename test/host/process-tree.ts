import { type ChildProcess, spawnSync } from "node:child_process";

/** Ends a process that was started detached, with everything it started, at once. Harmless when it is gone. */
export function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(child.pid), "/T", "/F"]);
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended by itself.
  }
}

/**
 * Calls `end` when this process exits, however it is asked to: by Ctrl-C, a signal, or at its own end.
 * The returned function takes the promise back.
 */
export function whenThisProcessEnds(end: () => void): () => void {
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(code));
  }
  process.once("exit", end);
  return () => process.off("exit", end);
}
