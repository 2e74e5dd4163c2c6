import type { WorkspaceMemory } from "../workspace-memory.ts";
import type { SharedState } from "./team-memory.ts";

/** The state of sharing once the server answers in any way, or this program can't ask it. Undefined if that takes too long. */
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
