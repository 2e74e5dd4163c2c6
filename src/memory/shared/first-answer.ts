import type { WorkspaceMemory } from "../workspace-memory.ts";
import type { SharedState } from "./team-memory.ts";

/** The state of sharing once the server has answered in some way, or can't be asked by this program; undefined when it hasn't for long. */
export function waitForFirstAnswer(
  memory: WorkspaceMemory,
  patienceMs: number,
  signal: AbortSignal,
): Promise<SharedState | undefined> {
  const { promise, resolve } = Promise.withResolvers<SharedState | undefined>();
  const look = () => {
    const { shared, mode } = memory.state;
    if (!shared || shared.isConnected || shared.problem !== undefined || mode === "reading") resolve(shared);
  };
  const stop = memory.onChange(look);
  const late = setTimeout(() => resolve(undefined), patienceMs);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  look();
  return promise.finally(() => {
    stop();
    clearTimeout(late);
  });
}
