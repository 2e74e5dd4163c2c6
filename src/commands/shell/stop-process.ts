import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Processes } from "../../core/ports/programs.ts";
import { type Args, number, objectSchema } from "../arguments.ts";
import { done, failed, textSummary } from "../outcomes.ts";
import {
  endedSummary,
  NO_PROCESS,
  NO_PROCESSES,
  noProcess,
  PROCESS,
  PROCESS_ALIASES,
  stateText,
} from "./process-text.ts";

/** Ends a background process and its children. */
export function stopProcess(processes: Processes | undefined): Command {
  return {
    name: "stop_process",
    aliases: ["kill_process", "terminate_process", "end_process"],
    category: "shell",
    effect: "none",
    description: "Ends a background process and its children.",
    parameters: objectSchema({ process: PROCESS }, ["process"]),
    argumentAliases: PROCESS_ALIASES,
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: (args) => prepare(processes, args),
  };
}

async function prepare(processes: Processes | undefined, args: Args): Promise<PreparedCall | Outcome> {
  const id = number(args, "process") ?? 0;
  const all = processes?.list() ?? [];
  const process = all.find((one) => one.id === id);
  if (!processes || !process) return failed(noProcess(id, all), NO_PROCESS);
  if (process.state !== "running")
    return done(
      `Process ${id} ${stateText(process)} already.`,
      process.state === "stopped" ? undefined : endedSummary(process.code),
    );
  return prepared("none", `Stop process ${id}: ${process.commandLine}`, async () => {
    const stopped = await processes.stop(id);
    return stopped
      ? done(`Process ${id} ${stateText(stopped)}.`, textSummary(process.commandLine))
      : failed(noProcess(id, processes.list()), NO_PROCESS);
  });
}
