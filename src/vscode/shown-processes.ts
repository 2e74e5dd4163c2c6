import type { RunProcesses } from "../node/processes.ts";
import type { ShownProcess } from "../protocol.ts";

const MOST_CHARACTERS = 300;

/** Of those that are over only the latest are shown. */
const MOST_OVER = 5;

/** A run's background processes as the panel shows them, those that run first. */
export function shownProcesses(processes: Pick<RunProcesses, "list"> | undefined): readonly ShownProcess[] {
  const all = processes?.list() ?? [];
  const running = all.filter(({ state }) => state === "running");
  const over = all.filter(({ state }) => state !== "running").slice(-MOST_OVER);
  return [...running, ...over].map(({ id, commandLine, state, code, kept }) => ({
    id,
    commandLine:
      commandLine.length > MOST_CHARACTERS ? `${commandLine.slice(0, MOST_CHARACTERS)}…` : commandLine,
    state,
    ...(code === undefined ? {} : { code }),
    kept,
  }));
}
