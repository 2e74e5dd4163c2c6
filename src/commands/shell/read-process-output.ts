import { counted } from "../../core/base/text.ts";
import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Processes } from "../../core/ports/programs.ts";
import { type Args, number, objectSchema } from "../arguments.ts";
import { done, failed } from "../outcomes.ts";
import {
  NO_PROCESS,
  NO_PROCESSES,
  newsSummary,
  newsText,
  noProcess,
  PROCESS,
  PROCESS_ALIASES,
} from "./process-text.ts";

const MOST_SECONDS = 60;

/** Reads the new output of a background process. */
export function readProcessOutput(processes: Processes | undefined): Command {
  return {
    name: "read_process_output",
    aliases: ["get_process_output", "process_output", "poll_process"],
    category: "shell",
    effect: "none",
    description: "Gives a background process's state and its output since the last read.",
    parameters: objectSchema(
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
  const id = number(args, "process") ?? 0;
  const seconds = number(args, "wait_seconds") ?? 0;
  const all = processes?.list() ?? [];
  const process = all.find((one) => one.id === id);
  if (!processes || !process) return failed(noProcess(id, all), NO_PROCESS);
  const wait = seconds > 0 ? `, waiting up to ${counted(seconds, "second")} for some` : "";
  return prepared(
    "none",
    `Read what process ${id} has printed lately${wait}: ${process.commandLine}`,
    async ({ signal }) => {
      const news = await processes.read(id, seconds * 1000, signal);
      return news
        ? done(newsText(news), newsSummary(news))
        : failed(noProcess(id, processes.list()), NO_PROCESS);
    },
    { printedBy: process.commandLine, cwd: process.cwd },
  );
}
