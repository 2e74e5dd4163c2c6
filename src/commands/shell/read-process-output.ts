import { formatQuantity } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Processes } from "../../core/ports/programs.ts";
import { type Args, createNumberSchema, createObjectSchema } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import {
  describeProcessNews,
  explainMissingProcess,
  NO_PROCESS,
  NO_PROCESSES,
  PROCESS,
  PROCESS_ALIASES,
  summarizeProcessNews,
} from "./process-text.ts";

const MOST_SECONDS = 60;

/** Reads the new output of a background process. */
export function readProcessOutput(processes: Processes | undefined): Command {
  return {
    name: "read_process_output",
    aliases: ["get_process_output", "process_output", "poll_process"],
    category: "shell",
    effect: "none",
    traits: { titles: [{ code: "ReadProcess", id: "process" }], rank: 100, reads: "once", isPolled: true },
    description: "Gives a background process's state and its output since the last read.",
    parameters: createObjectSchema(
      {
        process: PROCESS,
        wait_seconds: {
          type: "integer",
          minimum: 0,
          maximum: MOST_SECONDS,
          description: "Wait this long for output or its end.",
        },
      },
      ["process"],
    ),
    argumentAliases: { ...PROCESS_ALIASES, wait: "wait_seconds", timeout: "wait_seconds" },
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: (args) => prepare(processes, args),
  };
}

async function prepare(processes: Processes | undefined, args: Args): Promise<PreparedCall | Outcome> {
  const id = createNumberSchema(args, "process") ?? 0;
  const seconds = createNumberSchema(args, "wait_seconds") ?? 0;
  const all = processes?.list() ?? [];
  const process = all.find((one) => one.id === id);
  if (!processes || !process) return createFailure(explainMissingProcess(id, all), NO_PROCESS);
  const wait = seconds > 0 ? `, waiting up to ${formatQuantity(seconds, "second")} for some` : "";
  return createPreparedCall(
    "none",
    `Read what process ${id} has printed lately${wait}: ${process.commandLine}`,
    async ({ signal }) => {
      const news = await processes.read(id, seconds * 1000, signal);
      return news
        ? createSuccess(describeProcessNews(news), summarizeProcessNews(news))
        : createFailure(explainMissingProcess(id, processes.list()), NO_PROCESS);
    },
    { printedBy: process.commandLine, cwd: process.cwd },
  );
}
