import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Processes } from "../../core/ports/programs.ts";
import { type Args, createNumberSchema, createObjectSchema } from "../arguments.ts";
import { createFailure, createSuccess, createTextSummary } from "../outcomes.ts";
import {
  describeProcessState,
  explainMissingProcess,
  NO_PROCESS,
  NO_PROCESSES,
  PROCESS,
  PROCESS_ALIASES,
  summarizeEndedProcess,
} from "./process-text.ts";

/** Ends a background process and its children. */
export function stopProcess(processes: Processes | undefined): Command {
  return {
    name: "stop_process",
    aliases: ["kill_process", "terminate_process", "end_process"],
    category: "shell",
    effect: "none",
    traits: { titles: [{ code: "StopProcess", id: "process" }], rank: 100 },
    description: "Ends a background process and its children.",
    parameters: createObjectSchema({ process: PROCESS }, ["process"]),
    argumentAliases: PROCESS_ALIASES,
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: (args) => prepare(processes, args),
  };
}

async function prepare(processes: Processes | undefined, args: Args): Promise<PreparedCall | Outcome> {
  const id = createNumberSchema(args, "process") ?? 0;
  const all = processes?.list() ?? [];
  const process = all.find((one) => one.id === id);
  if (!processes || !process) return createFailure(explainMissingProcess(id, all), NO_PROCESS);
  if (process.state !== "running")
    return createSuccess(
      `Process ${id} ${describeProcessState(process)} already.`,
      process.state === "stopped" ? undefined : summarizeEndedProcess(process.code),
    );
  return createPreparedCall("none", `Stop process ${id}: ${process.commandLine}`, async () => {
    const stopped = await processes.stop(id);
    return stopped
      ? createSuccess(`Process ${id} ${describeProcessState(stopped)}.`, createTextSummary(process.commandLine))
      : createFailure(explainMissingProcess(id, processes.list()), NO_PROCESS);
  });
}
